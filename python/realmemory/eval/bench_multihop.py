"""Questions that take two paragraphs to answer: ``python -m realmemory.eval multihop``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from realmemory.eval import scoring
from realmemory.eval.controls import Bm25Control, CosineControl, answers_of_each
from realmemory.eval.corpora import hotpot
from realmemory.eval.options import Benchmark, Options, common, ranked
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import open_subject
from realmemory.outcomes import WriteRequest

if TYPE_CHECKING:
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.corpora.hotpot import Paragraphs
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject

_START = 1_767_225_600.0


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
    with open_subject(embedder, start=_START, path=path) as subject:
        answers = _ask(subject, data, k)
    keys = [str(number) for number in range(len(data.texts))]
    systems: dict[str, Control] = {
        "bm25": Bm25Control(keys, data.texts),
        "cosine": CosineControl(embedder, keys, data.texts),
    }
    return Report(
        name="multihop",
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
    for number, (text, holding) in enumerate(
        progress(data.questions, "recall", len(data.questions))
    ):
        asked = subject.ask(text, k=k)
        answers.append(
            asked.answer(
                str(number),
                "two paragraphs",
                gold=frozenset(str(paragraph) for paragraph in holding),
                ranking=asked.labels(number_of.__getitem__),
            )
        )
    return answers


@click.command("multihop", cls=Benchmark)
@click.option("--data", required=True, type=click.Path(path_type=Path), help="HotpotQA sample.")
@common
@ranked
def main(*, data: Path, k: int, options: Options) -> None:
    """HotpotQA: find the paragraph with the answer, which another paragraph leads to."""
    report = run(hotpot.read(data), options.make_embedder(), k=k, path=options.path)
    options.publish(report, k)
