"""When what a note tells of was: what its front matter says, else the day that its name holds.

The file's own times are not asked: they say when a folder was copied or checked out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError
from realmemory.instants import parse_instant

if TYPE_CHECKING:
    from collections.abc import Iterable

KEYS = ("date", "created")
"""Keys of the front matter; the first that can be read counts."""
_DAY = re.compile(r"(?<!\d)(\d{4})([-_])(\d{2})\2(\d{2})(?!\d)")


def date_of(stated: Iterable[str], name: str) -> tuple[float | None, list[str]]:
    """Return the time of a note, if it has any, and what cannot be read as one.

    Args:
        stated: What the front matter says, in the order in which it counts.
        name: The name of the file; a day in it counts where it is the only one.
    """
    days = {f"{year}-{month}-{day}" for year, _, month, day in _DAY.findall(name)}
    unread: list[str] = []
    for value in (*stated, *(days if len(days) == 1 else ())):
        shown = value.strip("[]'\" \t")
        try:
            if shown:
                return parse_instant(shown), unread
        except InvalidInputError:
            unread.append(shown)
    return None, unread
