"""Scripts: whether what lies nearest to a question is written in other letters.

No word can match there, however right a text is; whoever judges an answer by words has to know it.
Languages of one script are not told apart.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NEAREST = 10
"""Texts nearest by meaning that are looked at."""
_LOOKED_AT = 100
"""Characters of a text that tell its script."""
_NO_LETTERS = re.compile(r"[\W\d_]+")
_SCRIPTS = tuple(
    re.compile(f"[{letters}]+")
    for letters in (
        "a-zA-ZªºÀ-ɏḀ-ỿ",
        "\u0400-\u052f",
        "\u0370-\u03ff\u1f00-\u1fff",
        "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u1100-\u11ff\uac00-\ud7af",
        "\u0590-\u05ff",
        "\u0600-\u06ff",
        "\u0900-\u097f",
        "\u0e00-\u0e7f",
    )
)
"""Letters of Latin, Cyrillic, Greek, Chinese with Japanese and Korean, Hebrew, Arabic, Hindi, Thai."""
_LATIN = _SCRIPTS[0]


def apart(question: str, texts: Sequence[str]) -> float:
    """Return the share of the texts whose letters are mostly of another script than the question's.

    Args:
        question: What is asked.
        texts: What lies nearest to it.
    """
    # Plain letters are Latin ones, as nearly always.
    if question.isascii() and all(map(str.isascii, texts)):
        return 0.0
    letters = _letters(question)
    script = max(_SCRIPTS, key=lambda one: _of(one, letters))
    if not texts or not _of(script, letters):
        return 0.0
    return sum(_other(script, text) for text in texts) / len(texts)


def _other(script: re.Pattern[str], text: str) -> bool:
    if text.isascii():
        return script is not _LATIN and text.lower() != text.upper()
    head = text[:_LOOKED_AT]
    if 2 * _of(script, head) >= len(head):
        return False
    letters = _letters(head)
    return 2 * _of(script, letters) < len(letters)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text[:_LOOKED_AT])


def _of(script: re.Pattern[str], letters: str) -> int:
    """Return how many of some letters a script has."""
    return len(letters) - len(script.sub("", letters))
