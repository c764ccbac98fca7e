"""A progress bar on standard error, so that results on standard output stay clean."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")

_WIDTH = 30
_REDRAW_S = 0.1


def progress(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield the items and show how far the loop is.

    A terminal gets a bar that redraws itself; a file gets one line at the end.
    """
    live = sys.stderr.isatty()
    began = drawn = time.monotonic()
    done = 0
    for item in items:
        yield item
        done += 1
        now = time.monotonic()
        if live and now - drawn >= _REDRAW_S:
            drawn = now
            sys.stderr.write("\r" + _bar(label, done, total, now - began))
            sys.stderr.flush()
    line = _bar(label, done, total, time.monotonic() - began)
    sys.stderr.write(f"\r{line}\n" if live else f"{line}\n")
    sys.stderr.flush()


def _bar(label: str, done: int, total: int, elapsed: float) -> str:
    share = min(1.0, done / total) if total else 1.0
    filled = round(_WIDTH * share)
    return f"{label:<12.12} [{'#' * filled:<{_WIDTH}}] {done}/{total}  {elapsed:.1f} s"
