"""What an import did, and where the rows are that it could not take."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from realmemory.safety import screen

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from realmemory.errors import RealMemoryError

_SHOWN = 2000


@dataclass(slots=True)
class ImportReport:
    """Counts of one import.

    Attributes:
        format: What the file was read as.
        read: Records in the file.
        imported: Records that are new here.
        updated: Records that were known and are now in a newer state, with what the file adds.
        known: Records that were here already, under whatever id; nothing was changed.
        skipped: Records left out by a stated rule, by reason.
        rejected: Records that cannot be stored.
        quarantined: Imported records that are held back until a user confirms them.
        dry_run: Nothing was written.
        rejected_file: Where the rejected records are.
        warnings: What was passed over in records that were taken otherwise.
    """

    format: str = ""
    read: int = 0
    imported: int = 0
    updated: int = 0
    known: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    rejected: int = 0
    quarantined: int = 0
    dry_run: bool = False
    rejected_file: str | None = None
    warnings: list[str] = field(default_factory=list)

    def skip(self, reason: str) -> None:
        """Count one record that a rule leaves out."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


class Rejects:
    """The rejected rows of one import, in ``<file>.rejected.jsonl``, made at the first one.

    The file is private and holds no secret: a rejected row may well be rejected for one.

    Args:
        source: The file that is imported.
        report: Where they are counted.
    """

    def __init__(self, source: Path, report: ImportReport) -> None:
        whole = source.absolute()
        self._path = whole.parent / f"{whole.name}.rejected.jsonl"
        self._report = report
        self._file: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            os.close(self._file)

    def add(self, line: int, error: RealMemoryError, row: object) -> None:
        """Count a rejected row, and write it down unless the import is a dry run."""
        self._report.rejected += 1
        if self._report.dry_run:
            return
        if self._file is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            self._file = os.open(self._path, flags, 0o600)
            self._report.rejected_file = str(self._path)
        shown: dict[str, Any] = {
            "line": line,
            "code": error.code,
            "message": error.message,
            "row": screen(_text(row)[:_SHOWN]).masked,
        }
        os.write(
            self._file,
            json.dumps(shown, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n",
        )


def _text(row: object) -> str:
    if isinstance(row, bytes):
        return row.decode("utf-8", "replace")
    text = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, default=str)
    # A lone surrogate, for which a row may be rejected, has no form in UTF-8.
    return text.encode("utf-8", "backslashreplace").decode()
