"""Short, inflected and misspelt queries in six languages: ``python -m realmemory.eval languages``.

The whole Russian and English corpus is the haystack, and every scope is searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from realmemory.eval import scoring
from realmemory.eval.bench_real import Written, write_facts
from realmemory.eval.controls import Bm25Control, CosineControl, answers_of_each
from realmemory.eval.corpora import own
from realmemory.eval.options import Benchmark, Options, common, ranked
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import open_subject

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.corpora.own import Fact, Query
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Asked


def run(embedder: EmbeddingProvider, *, k: int = 10, path: Path | None = None) -> Report:
    """Write the language sets and ask their queries.

    Args:
        embedder: The embedder under test.
        k: Hits asked for.
        path: Folder to keep the store in; by default a temporary one.
    """
    data, corpus = own.load_languages(), own.load_corpus()
    facts = (*data.facts, *corpus.facts)
    with open_subject(embedder, start=facts[0].when, path=path) as subject:
        written = write_facts(subject, facts)
        subject.move_to(corpus.now)
        answers = [
            _answer(query, written, subject.ask(query.text, k=k, all_scopes=True))
            for query in progress(data.queries, "recall", len(data.queries))
        ]
    return Report(
        name="languages",
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name},
        controls=_controls(facts, embedder, answers, k),
    )


def _answer(query: Query, written: Written, asked: Asked) -> Answer:
    return asked.answer(
        query.id,
        query.kind,
        gold=written.labels(query.expect),
        ranking=asked.labels(written.label),
        tags={"lang": query.lang},
    )


def _controls(
    facts: Sequence[Fact], embedder: EmbeddingProvider, answers: Sequence[Answer], k: int
) -> dict[str, list[Answer]]:
    keys, texts = [fact.id for fact in facts], [fact.text for fact in facts]
    systems: dict[str, Control] = {
        "bm25": Bm25Control(keys, texts),
        "cosine": CosineControl(embedder, keys, texts),
    }
    return answers_of_each(answers, systems, k)


@click.command("languages", cls=Benchmark)
@common
@ranked
def main(*, k: int, options: Options) -> None:
    """Ask with two characters, with another case ending, and with typing errors."""
    report = run(options.make_embedder(), k=k, path=options.path)
    options.publish(report, min(5, k))
