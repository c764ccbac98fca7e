"""What a team shares: a folder in which each author owns one file, and a local copy of the others'.

``Team(memory)`` is everything that can be done with it; it is imported when it is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from realmemory.team.team import Team

__all__ = ["Team"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name != "Team":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - stays lazy

    return import_module("realmemory.team.team").Team
