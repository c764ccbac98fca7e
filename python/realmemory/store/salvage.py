"""Reading what can still be read from a damaged database, and telling what is gone.

A table is read page by page, so that a page that makes no sense costs what stands on it and nothing
else; where the way to a page is damaged, the page is found by what it holds. Rows prove themselves
by their hash. What is gone is told by others: every index, and the full-text rows of the memories,
name rows of their own accord.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from realmemory.store.pages import Cell, DamagedError, Kind, Node, PageFile, record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from realmemory.store.layout import Index, Key, Row, Table
    from realmemory.store.pages import Value

# Vectors that are kept for a way back are left out: `reembed` makes them anew.
TABLES = (
    "meta",
    "scopes",
    "spaces",
    "traces",
    "variants",
    "eligibility",
    "usage",
    "events",
    "audit",
    "tombstones",
    "passages",
    "links",
    "publications",
)
_SEARCHED = "fts_docsize"
"""The full-text rows: one for each trace, under its id."""


class Place(NamedTuple):
    """A page of a tree; its rowids are above ``low`` and up to ``high``, where that is known."""

    number: int
    low: int | None = None
    high: int | None = None

    def holds(self, rowid: int) -> bool:
        """Return whether a row may stand here."""
        return (self.low is None or rowid > self.low) and (self.high is None or rowid <= self.high)


@dataclass(slots=True)
class Tree:
    """One tree of pages; ``bad`` counts entries and pages that cannot be read."""

    pages: PageFile
    root: int
    is_table: bool
    bad: int = field(default=0, init=False)
    reached: set[int] = field(default_factory=set, init=False)

    def nodes(self) -> Iterator[tuple[Place, Node]]:
        """Yield every page that the tree leads to."""
        waiting = [Place(self.root)]
        while waiting:
            place = waiting.pop()
            node = self._node(place.number)
            if node is None:
                self.bad += 1
                continue
            self.reached.add(place.number)
            self.bad += node.bad
            if node.kind.is_inner:
                waiting += reversed(_children(place, node))
            yield place, node

    def _node(self, number: int) -> Node | None:
        if number in self.reached:
            return None
        try:
            node = self.pages.node(number)
        except DamagedError:
            return None
        return node if node.kind.is_table is self.is_table else None


def _children(place: Place, node: Node) -> list[Place]:
    """Return the pages below one page, each with the rowids that it may hold."""
    keys = [cell.rowid for cell in node.cells]
    ordered = all(low < high for low, high in pairwise(keys))
    if not node.kind.is_table or node.bad or not ordered or not all(map(place.holds, keys)):
        # What the page says of its children is no proof of anything.
        return [Place(cell.child, place.low, place.high) for cell in node.cells] + [
            Place(node.last, place.low, place.high)
        ]
    bounds = [place.low, *keys, place.high]
    children = [cell.child for cell in node.cells] + [node.last]
    return [Place(*each) for each in zip(children, bounds[:-1], bounds[1:], strict=True)]


class Source(NamedTuple):
    """What one index names and was not saved. Only a sound and complete one can deny a row."""

    names: frozenset[Key]
    can_deny: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the indexes of a table say of the rows that were not read."""

    sources: tuple[Source, ...]

    def names(self, key: Key) -> bool:
        """Return whether a row that does not match its hash may have been there."""
        voices = sum(key in source.names for source in self.sources)
        return voices > 0 or not any(source.can_deny for source in self.sources)

    def missing(self) -> set[Key]:
        """Return the rows that were there: two indexes name them, or one and no sound one denies.

        A damaged index may name what never was.
        """
        return {key for source in self.sources for key in source.names if self._proves(key)}

    def _proves(self, key: Key) -> bool:
        if sum(key in source.names for source in self.sources) > 1:
            return True
        return not any(source.can_deny and key not in source.names for source in self.sources)

    @property
    def is_sound(self) -> bool:
        """Whether some index is whole, so that what it does not name was not there."""
        return any(source.can_deny for source in self.sources)


class Salvage:
    """The tables of one file, whatever state it is in.

    Args:
        pages: The damaged file.
    """

    def __init__(self, pages: PageFile) -> None:
        self._pages = pages
        self._roots = dict(self._trees())

    def _trees(self) -> Iterator[tuple[str, int]]:
        for _, cell in _entries(Tree(self._pages, 1, is_table=True)):
            values = _values(cell)
            if len(values) == 5 and isinstance(values[1], str) and isinstance(values[3], int):
                yield values[1], values[3]

    def sequence(self, table: Table) -> int:
        """Return the largest rowid that the table ever gave, 0 if that cannot be read."""
        for _, cell in _entries(self._tree("sqlite_sequence", is_table=True)):
            values = _values(cell)
            if values[:1] == [table.name] and isinstance(values[-1], int):
                return max(0, values[-1])
        return 0

    def rows(self, table: Table) -> TableRows:
        """Return the rows of one table, to be read once."""
        return TableRows(self._pages, table, self._tree(table.name, is_table=_has_rowids(table)))

    def evidence(self, table: Table, saved: Collection[Key]) -> Evidence:
        """Ask every index of a table for rows that are not among those ``saved``."""
        sources = [self._source(index, saved) for index in table.indexes]
        if table.name == "traces":
            sources.append(self._searched(saved))
        return Evidence(tuple(sources))

    def repeated(self, table: Table, keys: Collection[Key]) -> Iterator[dict[str, Value]]:
        """Yield what the complete indexes of a table repeat of some of its rows."""
        for index in table.indexes:
            if index.is_partial:
                continue
            for _, cell in _entries(self._tree(index.name, is_table=False)):
                values = _values(cell)
                whole = len(values) == len(index.columns)
                if whole and tuple(values[place] for place in index.key) in keys:
                    yield dict(zip(index.columns, values, strict=True))

    def _source(self, index: Index, saved: Collection[Key]) -> Source:
        def key(cell: Cell) -> Key | None:
            values = _values(cell)
            if len(values) != len(index.columns):
                return None
            return tuple(values[place] for place in index.key)

        tree = self._tree(index.name, is_table=False)
        return _source(tree, key, saved, is_partial=index.is_partial)

    def _searched(self, saved: Collection[Key]) -> Source:
        tree = self._tree(_SEARCHED, is_table=True)
        return _source(tree, lambda cell: (cell.rowid,), saved, is_partial=False)

    def _tree(self, name: str, *, is_table: bool) -> Tree:
        return Tree(self._pages, self._roots.get(name, 0), is_table)


def _source(
    tree: Tree, key_of: Callable[[Cell], Key | None], saved: Collection[Key], *, is_partial: bool
) -> Source:
    names = set()
    for _, cell in _entries(tree):
        key = key_of(cell)
        if key is None or any(isinstance(part, int) and part < 1 for part in key):
            tree.bad += 1
        elif key not in saved:
            names.add(key)
    return Source(frozenset(names), not tree.bad and not is_partial)


@dataclass(slots=True)
class TableRows:
    """The rows of one table; ``bad`` counts what could not be read, once they were read."""

    pages: PageFile
    table: Table
    tree: Tree
    bad: int = field(default=0, init=False)

    def read(self) -> Iterator[Row]:
        """Yield every row that can be read, those that do not match their hash among them."""
        strays = set()
        for place, node in self.tree.nodes():
            rows, bad = self._rows(place, node)
            if bad and not rows:
                strays.add(place.number)
            self.bad += bad
            yield from rows
        self.bad += self.tree.bad
        if self.bad:
            yield from self._astray(self.tree.reached - strays)

    def _astray(self, reached: set[int]) -> Iterator[Row]:
        """Look for pages of this table that no way leads to any more."""
        has_rowids = _has_rowids(self.table)
        for number, kind in self.pages.kinds():
            if number in reached or kind.is_table is not has_rowids or kind is Kind.TABLE_INNER:
                continue
            try:
                node = self.pages.node(number)
            except DamagedError:
                continue
            rows, bad = self._rows(Place(number), node)
            # A table with hashes proves each row; of another, the whole page has to be of its form.
            if not bad or self.table.hashed:
                yield from (row for row in rows if self.table.is_sealed(row))

    def _rows(self, place: Place, node: Node) -> tuple[list[Row], int]:
        """Return the rows of a page, and how many of its entries are none."""
        if node.kind is Kind.TABLE_INNER:
            return [], 0
        found = [self.table.row(cell.rowid, _values(cell)) for cell in node.cells]
        rows = [row for row in found if row is not None]
        if not self.table.hashed and self.table.rowid is not None:
            inside = [row for row in rows if place.holds(row[self.table.rowid])]
            # Where most rows do not belong, it is the page above that lies.
            rows = inside if len(inside) * 2 > len(rows) else rows
        return rows, len(found) - len(rows)


def _has_rowids(table: Table) -> bool:
    return table.rowid is not None


def _entries(tree: Tree) -> Iterator[tuple[Place, Cell]]:
    """Yield what a tree holds: of a table the leaves, of an index the inner pages as well."""
    for place, node in tree.nodes():
        if node.kind is not Kind.TABLE_INNER:
            yield from ((place, cell) for cell in node.cells)


def _values(cell: Cell) -> list[Value]:
    try:
        return record(cell.payload or b"")
    except DamagedError:
        return []
