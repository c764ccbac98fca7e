"""Power loss, replayed: what a disk may hold when the power fails between two system calls.

``strace`` records every write, sync and truncation of a process. A crash state is what was synced
before the cut, and of the rest whatever the disk happened to keep: nothing, all, a prefix, some
writes in any order, or a write torn at a sector.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

CALLS = "openat,close,pwrite64,write,fdatasync,fsync,ftruncate,rename,unlink"
_SECTOR = 512
_LINE = re.compile(r"^(?P<call>\w+)\((?P<args>.*)\)\s+= (?P<result>-?\d+)")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class Operation:
    """One system call that matters: what it did to which file."""

    call: str
    path: str
    data: bytes = b""
    offset: int = 0
    target: str = ""


def record(log: Path, folder: Path, acknowledgements: Path) -> list[Operation]:
    """Return what a recorded process did to the files in the folder and to its promises."""
    names: dict[int, str] = {}
    operations: list[Operation] = []
    for line in log.read_text().splitlines():
        parts = _LINE.match(line)
        if parts is None or int(parts["result"]) < 0:
            continue
        call, args, result = parts["call"], parts["args"], int(parts["result"])
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in _STRING.findall(args)]
        if call == "openat":
            names[result] = texts[0].decode()
            if "O_TRUNC" in args:
                operations.append(Operation("ftruncate", names[result]))
            continue
        if call in {"rename", "unlink"}:
            paths = [text.decode() for text in texts]
            operations.append(Operation(call, paths[0], target=paths[-1]))
            continue
        descriptor = int(args.split(",")[0])
        numbers = [int(number) for number in re.findall(r", (\d+)", _STRING.sub("", args))]
        path = names.get(descriptor, "")
        if call == "close":
            names.pop(descriptor, None)
        elif call == "pwrite64":
            operations.append(Operation(call, path, texts[0], numbers[-1]))
        elif call == "write":
            operations.append(Operation(call, path, texts[0], -1))
        elif call == "ftruncate":
            operations.append(Operation(call, path, offset=numbers[-1]))
        else:
            operations.append(Operation(call, path))
    wanted = (str(folder), str(acknowledgements))
    return [operation for operation in operations if operation.path.startswith(wanted)]


@dataclass(slots=True)
class File:
    """What is on the disk of one file, and what was written since its last sync."""

    synced: bytearray = field(default_factory=bytearray)
    pending: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        for operation in self.pending:
            apply(self.synced, operation)
        self.pending.clear()

    def after_crash(self, luck: random.Random, mode: str) -> bytes:
        content = bytearray(self.synced)
        for operation in survivors(self.pending, luck, mode):
            apply(content, operation)
        return bytes(content)


def survivors(pending: list[Operation], luck: random.Random, mode: str) -> list[Operation]:
    """Return what the disk kept of the writes that nobody had asked it to sync."""
    if mode == "none":
        return []
    if mode == "all":
        return pending
    if mode == "prefix":
        return pending[: luck.randrange(len(pending) + 1)]
    kept = [operation for operation in pending if luck.random() < 0.5]
    if mode == "torn":
        return [tear(operation, luck) for operation in kept]
    return kept


def tear(operation: Operation, luck: random.Random) -> Operation:
    sectors = len(operation.data) // _SECTOR
    size = luck.randrange(sectors + 1) * _SECTOR if sectors else len(operation.data)
    return Operation(operation.call, operation.path, operation.data[:size], operation.offset)


def apply(content: bytearray, operation: Operation) -> None:
    if operation.call == "ftruncate":
        del content[operation.offset :]
        content.extend(bytes(operation.offset - len(content)))
        return
    offset = len(content) if operation.offset < 0 else operation.offset
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(operation.data)] = operation.data


class Disk:
    """The files of a folder, moved forward call by call."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            str(path): File(bytearray(path.read_bytes()))
            for path in folder.rglob("*")
            if path.is_file() and not path.name.endswith("-shm")
        }
        self._folder = folder

    def step(self, operation: Operation) -> None:
        if operation.call == "rename":
            # The new name may point to a file whose content never reached the disk.
            self._files[operation.target] = self._files.pop(operation.path)
        elif operation.call == "unlink":
            self._files.pop(operation.path, None)
        elif operation.call in {"fsync", "fdatasync"}:
            if operation.path in self._files:
                self._files[operation.path].sync()
        else:
            self._files.setdefault(operation.path, File()).pending.append(operation)

    def crash(self, target: Path, luck: random.Random, mode: str) -> None:
        """Write what is left of the folder into another one."""
        for path, file in self._files.items():
            place = target / Path(path).relative_to(self._folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.after_crash(luck, mode))
