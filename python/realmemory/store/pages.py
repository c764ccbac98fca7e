"""The pages of a database file, read one by one.

The engine gives up a whole table at the first page that makes no sense. Here a page that makes no
sense is one page: its neighbours are read all the same. The format is the documented one of SQLite
3 (https://www.sqlite.org/fileformat2.html), with texts in UTF-8.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator
    from typing import TypeAlias

    Value: TypeAlias = str | int | float | bytes | None

_FILE_HEADER = 100
_SIZES = tuple(1 << power for power in range(9, 16))
_USUAL_SIZE = 4096
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_REAL, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12


class DamagedError(ValueError):
    """These bytes are not what should stand here."""


class Kind(IntEnum):
    """What a page of a tree is, as its first byte says."""

    INDEX_INNER = 2
    TABLE_INNER = 5
    INDEX_LEAF = 10
    TABLE_LEAF = 13

    @property
    def is_table(self) -> bool:
        """Whether the rows stand under a rowid, and in the leaves only."""
        return self in {Kind.TABLE_INNER, Kind.TABLE_LEAF}

    @property
    def is_inner(self) -> bool:
        """Whether it leads to further pages."""
        return self in {Kind.INDEX_INNER, Kind.TABLE_INNER}


_KINDS = frozenset(int(kind) for kind in Kind)


class Cell(NamedTuple):
    """One entry of a page: its rowid, the page it leads to (0: none) and what it holds."""

    rowid: int
    child: int
    payload: bytes | None


class Node(NamedTuple):
    """One page of a tree: ``bad`` counts entries that cannot be read, ``last`` is its last child."""

    kind: Kind
    cells: list[Cell]
    bad: int
    last: int


class PageFile:
    """The pages of one file, numbered from 1.

    Args:
        content: The whole file; a mapped one is read as it is needed.
        reserved: Bytes at the end of each page that hold nothing.
    """

    def __init__(self, content: bytes | mmap.mmap, reserved: int = 0) -> None:
        self._content = content
        stated = int.from_bytes(content[16:18], "big")
        self._size = stated if stated in _SIZES else 65536 if stated == 1 else _USUAL_SIZE
        self._usable = self._size - reserved
        self.count = len(content) // self._size

    def page(self, number: int) -> bytes:
        """Return the bytes of a page."""
        if not 1 <= number <= self.count:
            raise DamagedError
        return self._content[(number - 1) * self._size : number * self._size]

    def kinds(self) -> Iterator[tuple[int, Kind]]:
        """Yield every page that may be one of a tree."""
        for number in range(2, self.count + 1):
            first = self._content[(number - 1) * self._size]
            if first in _KINDS:
                yield number, Kind(first)

    def node(self, number: int) -> Node:
        """Read one page of a tree, and leave out the entries that cannot be read.

        Raises:
            DamagedError: It is no such page.
        """
        data = self.page(number)
        header = _FILE_HEADER if number == 1 else 0
        if data[header] not in _KINDS:
            raise DamagedError
        kind = Kind(data[header])
        first = header + (12 if kind.is_inner else 8)
        count = int.from_bytes(data[header + 3 : header + 5], "big")
        if first + 2 * count > self._size:
            raise DamagedError
        cells: list[Cell] = []
        bad = 0
        for (at,) in struct.iter_unpack(">H", data[first : first + 2 * count]):
            try:
                cells.append(self._cell(data, at, kind))
            except DamagedError:
                bad += 1
        last = int.from_bytes(data[header + 8 : header + 12], "big") if kind.is_inner else 0
        return Node(kind, cells, bad, last)

    def _cell(self, data: bytes, at: int, kind: Kind) -> Cell:
        child = 0
        if kind.is_inner:
            child = int.from_bytes(data[at : at + 4], "big")
            at += 4
        if kind is Kind.TABLE_INNER:
            return Cell(_signed(varint(data, at)[0]), child, None)
        length, at = varint(data, at)
        rowid = 0
        if kind is Kind.TABLE_LEAF:
            rowid, at = varint(data, at)
        return Cell(_signed(rowid), child, self._payload(data, at, length, kind))

    def _payload(self, data: bytes, at: int, length: int, kind: Kind) -> bytes:
        if length > self.count * self._size:
            raise DamagedError
        usable = self._usable
        most = usable - 35 if kind.is_table else (usable - 12) * 64 // 255 - 23
        here = length
        if length > most:
            least = (usable - 12) * 32 // 255 - 23
            here = least + (length - least) % (usable - 4)
            here = here if here <= most else least
        parts = [data[at : at + here]]
        if len(parts[0]) < here:
            raise DamagedError
        following = int.from_bytes(data[at + here : at + here + 4], "big")
        left = length - here
        while left > 0:
            page = self.page(following)
            parts.append(page[4 : min(usable, 4 + left)])
            left -= len(parts[-1])
            following = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number of one to nine bytes that stands at ``at``, and where it ends."""
    value = 0
    for place, byte in enumerate(data[at : at + 9]):
        if place == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    raise DamagedError


def record(payload: bytes) -> list[Value]:
    """Return the values of a row; a text that is not UTF-8 gets marks in place of the bad bytes.

    Raises:
        DamagedError: The payload is no row.
    """
    start, at = varint(payload, 0)
    if start > len(payload):
        raise DamagedError
    values: list[Value] = []
    place = start
    while at < start:
        code = payload[at]
        # Nearly all are of one byte, and a large store has millions.
        code, at = (code, at + 1) if code < 0x80 else varint(payload, at)
        value, place = _value(payload, place, code)
        values.append(value)
    if at != start or place != len(payload):
        raise DamagedError
    return values


def _value(payload: bytes, at: int, code: int) -> tuple[Value, int]:
    if code == 0:
        return None, at
    if code in {_ZERO, _ONE}:
        return code - _ZERO, at
    if code in {10, 11}:
        raise DamagedError
    length = _INTEGER_BYTES.get(code, 8 if code == _REAL else (code - _FIRST_BLOB) // 2)
    content = payload[at : at + length]
    if len(content) < length:
        raise DamagedError
    if code < _REAL:
        return int.from_bytes(content, "big", signed=True), at + length
    if code == _REAL:
        return float(struct.unpack(">d", content)[0]), at + length
    return (content.decode(errors="replace") if code % 2 else content), at + length


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
