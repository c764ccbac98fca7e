"""What the memory does, one flow or stage a file; each is loaded when it is first used.

A process that only asks pays for no writing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from realmemory.flows import (
        browse,
        confirm,
        converse,
        feedback,
        forget,
        opening,
        projects,
        recall,
        reconfigure,
        remember,
        resolve,
        revise,
        sleep,
        undo,
    )

__all__ = [
    "browse",
    "confirm",
    "converse",
    "feedback",
    "forget",
    "opening",
    "projects",
    "recall",
    "reconfigure",
    "remember",
    "resolve",
    "revise",
    "sleep",
    "undo",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
