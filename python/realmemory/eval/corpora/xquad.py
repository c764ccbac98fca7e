"""Reader of XQuAD (``xquad.<lang>.json``; CC BY-SA 4.0, read from the caller's copies).

The files of all languages hold the same paragraphs and questions in the same order, so that a
question in one language can be asked over the passages of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.errors import ConfigurationError
from realmemory.eval.corpora.dialogue import read_json

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Passages:
    """Paragraphs, and questions with the number of the paragraph that answers them."""

    texts: tuple[str, ...]
    questions: tuple[tuple[str, str, int], ...]

    def first(self, count: int | None) -> Passages:
        """Return the first paragraphs with their questions, all of them for None."""
        if count is None:
            return self
        questions = tuple(question for question in self.questions if question[2] < count)
        return Passages(self.texts[:count], questions)


def read(path: Path) -> Passages:
    """Read one language.

    Raises:
        ConfigurationError: The file is not XQuAD.
    """
    raw = read_json(path)
    texts: list[str] = []
    questions: list[tuple[str, str, int]] = []
    try:
        for article in raw["data"]:
            for paragraph in article["paragraphs"]:
                questions += [
                    (str(qa["id"]), str(qa["question"]), len(texts)) for qa in paragraph["qas"]
                ]
                texts.append(str(paragraph["context"]))
    except (KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} is not an XQuAD file: {error!r}") from error
    return Passages(tuple(texts), tuple(questions))


def across(questions_from: Passages, passages_from: Passages) -> Passages:
    """Return the questions of one language over the passages of another.

    Raises:
        ConfigurationError: The two do not hold the same paragraphs.
    """
    if len(questions_from.texts) != len(passages_from.texts):
        raise ConfigurationError("the two files do not hold the same paragraphs")
    return Passages(passages_from.texts, questions_from.questions)
