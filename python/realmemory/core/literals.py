"""Looking for many literals in a text at once."""

from __future__ import annotations

import re

from realmemory import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


_LONE = re.compile("[\ud800-\udfff]")


class Literals:
    """Texts that others are searched for; equal to asking ``literal in text`` for each.

    Args:
        words: The literals, none of them with a lone surrogate.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)
        self._native = _native.Literals(self._words)

    def any_in(self, text: str) -> bool:
        """Return whether a text holds one of them."""
        try:
            return self._native.any_in(text)
        except UnicodeEncodeError:
            return self._native.any_in(_whole(text))

    def found_in(self, text: str) -> list[str]:
        """Return those that a text holds, in the order in which they were given."""
        try:
            found = self._native.found_in(text)
        except UnicodeEncodeError:
            found = self._native.found_in(_whole(text))
        return [self._words[place] for place in found]


def _whole(text: str) -> str:
    """Put U+FFFD in place of lone surrogates, which no literal holds."""
    return _LONE.sub("\ufffd", text)
