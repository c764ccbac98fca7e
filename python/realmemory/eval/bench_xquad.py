"""Passage retrieval within and across languages: ``python -m realmemory.eval xquad``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from realmemory.eval import scoring
from realmemory.eval.controls import Bm25Control, CosineControl, answers_of_each
from realmemory.eval.corpora import xquad
from realmemory.eval.options import COUNT, Benchmark, Options, common, ranked
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import open_subject
from realmemory.outcomes import WriteRequest

if TYPE_CHECKING:
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.corpora.xquad import Passages
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject

_START = 1_767_225_600.0


def run(
    data: Passages, embedder: EmbeddingProvider, *, k: int = 10, path: Path | None = None
) -> Report:
    """Remember the passages, ask the questions, and report.

    Args:
        data: Passages and questions, of one language or of two.
        embedder: The embedder under test.
        k: Hits asked for.
        path: Folder to keep the store in; by default a temporary one.
    """
    with open_subject(embedder, start=_START, path=path) as subject:
        answers = _ask(subject, data, k)
    keys = [str(number) for number in range(len(data.texts))]
    systems: dict[str, Control] = {
        "bm25": Bm25Control(keys, data.texts),
        "cosine": CosineControl(embedder, keys, data.texts),
    }
    return Report(
        name="xquad",
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name, "passages": str(len(data.texts))},
        controls=answers_of_each(answers, systems, k),
    )


def _ask(subject: Subject, data: Passages, k: int) -> list[Answer]:
    results = subject.memory.remember_many(
        WriteRequest(text=text, force_new=True) for text in data.texts
    )
    number_of = {result.memory_id: str(number) for number, result in enumerate(results)}
    answers = []
    for key, text, passage in progress(data.questions, "recall", len(data.questions)):
        asked = subject.ask(text, k=k)
        answers.append(
            asked.answer(
                key,
                "passage",
                gold=frozenset({str(passage)}),
                ranking=asked.labels(number_of.__getitem__),
            )
        )
    return answers


@click.command("xquad", cls=Benchmark)
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Passages.")
@click.option("--ask", type=click.Path(path_type=Path), help="Questions of another language.")
@click.option("--limit", type=COUNT, help="Only the first passages.")
@common
@ranked
def main(*, data: Path, ask: Path | None, limit: int | None, k: int, options: Options) -> None:
    """XQuAD: find the passage that answers a question, also across languages."""
    passages = xquad.read(data)
    if ask is not None:
        passages = xquad.across(xquad.read(ask), passages)
    report = run(passages.first(limit), options.make_embedder(), k=k, path=options.path)
    options.publish(report, k)
