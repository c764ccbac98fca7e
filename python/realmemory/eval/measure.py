"""What a run costs: wall and processor time, resident memory, bytes on disk."""

from __future__ import annotations

import gc
import platform
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(slots=True)
class Stopwatch:
    """Context manager that measures wall and processor time of this process, milliseconds.

    Processor time includes the threads of the engine, so it is the honest figure on a machine
    that is shared with others.
    """

    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    _wall: float = 0.0
    _cpu: float = 0.0

    def __enter__(self) -> Self:
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wall_ms = 1e3 * (time.perf_counter() - self._wall)
        self.cpu_ms = 1e3 * (time.process_time() - self._cpu)


def resident_bytes() -> int | None:
    """Return the resident memory of this process; None where the system does not tell."""
    gc.collect()
    try:
        fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:
        return _peak_resident_bytes()
    resource = __import__("resource")
    pages: int = int(fields[1])
    return pages * int(resource.getpagesize())


def _peak_resident_bytes() -> int | None:
    try:
        resource = __import__("resource")
    except ImportError:
        return None
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024


def disk_bytes(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def environment() -> dict[str, str]:
    """Return what a reader needs to repeat a run."""
    return {
        "realmemory": metadata.version("realmemory"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "command": " ".join(["python", "-m", *_module_and_arguments()]),
    }


def _module_and_arguments() -> list[str]:
    parts = Path(sys.argv[0]).with_suffix("").parts if sys.argv else ()
    inside = max(
        (i for i, part in enumerate(parts) if part == "realmemory"), default=len(parts) - 1
    )
    module = ".".join(part for part in parts[max(inside, 0) :] if part != "__main__")
    return [module, *sys.argv[1:]]
