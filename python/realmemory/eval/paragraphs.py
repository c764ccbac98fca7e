"""Retrieval of paragraphs: remembered one by one, asked for by questions that some of them answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.eval import scoring
from realmemory.eval.controls import Bm25Control, CosineControl, answers_of_each
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import START, open_subject
from realmemory.outcomes import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject


class Question(NamedTuple):
    """A question with the numbers of the paragraphs that answer it."""

    key: str
    text: str
    gold: frozenset[int]


class Paragraphs(NamedTuple):
    """Paragraphs and what is asked of them; ``kind`` names the questions in a report."""

    name: str
    kind: str
    texts: Sequence[str]
    questions: Sequence[Question]


def run(
    data: Paragraphs, embedder: EmbeddingProvider, *, k: int = 10, path: Path | None = None
) -> Report:
    """Remember the paragraphs, ask the questions, and report.

    Args:
        data: Paragraphs and questions.
        embedder: The embedder under test.
        k: Hits asked for.
        path: Folder to keep the store in; by default a temporary one.
    """
    with open_subject(embedder, start=START, path=path) as subject:
        answers = _ask(subject, data, k)
    keys = [str(number) for number in range(len(data.texts))]
    systems: dict[str, Control] = {
        "bm25": Bm25Control(keys, data.texts),
        "cosine": CosineControl(embedder, keys, data.texts),
    }
    return Report(
        name=data.name,
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name, "paragraphs": str(len(data.texts))},
        controls=answers_of_each(answers, systems, k),
    )


def _ask(subject: Subject, data: Paragraphs, k: int) -> list[Answer]:
    results = subject.memory.remember_many(
        WriteRequest(text=text, force_new=True) for text in data.texts
    )
    number_of = {result.memory_id: str(number) for number, result in enumerate(results)}
    answers = []
    for question in progress(data.questions, "recall", len(data.questions)):
        asked = subject.ask(question.text, k=k)
        answers.append(
            asked.answer(
                question.key,
                data.kind,
                gold=frozenset(map(str, question.gold)),
                ranking=asked.labels(number_of.__getitem__),
            )
        )
    return answers
