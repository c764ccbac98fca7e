"""Reader of HotpotQA samples (CC BY-SA 4.0, read from the caller's copy).

A folder holds ``*corpus.json``, a list of paragraphs, and ``*qa_pairs.json``, questions with their
answers. It does not say which paragraphs a question needs; whoever holds the answer word for word
counts, and questions that are answered by yes or no are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.errors import ConfigurationError
from realmemory.eval.corpora.dialogue import read_json

if TYPE_CHECKING:
    from pathlib import Path

_UNMARKED = frozenset({"yes", "no"})


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Paragraphs, and questions with the numbers of the paragraphs that hold the answer."""

    texts: tuple[str, ...]
    questions: tuple[tuple[str, frozenset[int]], ...]


def read(folder: Path) -> Paragraphs:
    """Read a folder.

    Raises:
        ConfigurationError: It does not hold both files.
    """
    texts = tuple(str(text) for text in read_json(_only(folder, "*corpus.json")))
    questions = []
    try:
        for pair in read_json(_only(folder, "*qa_pairs.json")):
            answer = str(pair["answer"]).strip()
            if answer.casefold() not in _UNMARKED:
                questions.append((str(pair["question"]).strip(), _holding(answer, texts)))
    except (KeyError, TypeError) as error:
        raise ConfigurationError(f"{folder} is no HotpotQA sample: {error!r}") from error
    return Paragraphs(texts, tuple(questions))


def _holding(answer: str, texts: tuple[str, ...]) -> frozenset[int]:
    whole = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    return frozenset(number for number, text in enumerate(texts) if whole.search(text))


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise ConfigurationError(f"{folder} must hold one {pattern}, it holds {len(found)}")
    return found[0]
