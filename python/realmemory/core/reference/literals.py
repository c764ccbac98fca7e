"""Twin of the search for literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def found_in(words: Sequence[str], text: str) -> list[str]:
    """Return those of some words that a text holds."""
    return [word for word in words if word in text]
