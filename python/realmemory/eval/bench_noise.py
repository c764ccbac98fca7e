"""Two hundred off-topic and two hundred nonsense queries: ``python -m realmemory.eval noise``.

The answerable questions of the corpus are asked beside them, since a memory that refuses
everything would pass otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from realmemory.eval import scoring
from realmemory.eval.bench_real import ask_queries, write_facts
from realmemory.eval.corpora import own
from realmemory.eval.options import Benchmark, Options, common, ranked
from realmemory.eval.report import Report
from realmemory.eval.subject import open_subject

if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider


def run(
    embedder: EmbeddingProvider, *, split: str = "all", k: int = 10, path: Path | None = None
) -> Report:
    """Write the corpus, ask noise and answerable questions, and report.

    Args:
        embedder: The embedder under test.
        split: ``calibration``, ``held_out`` or ``all``.
        k: Hits asked for.
        path: Folder to keep the store in; by default a temporary one.
    """
    corpus = own.load_corpus()
    answerable = [query for query in corpus.queries if query.kind in own.ANSWERABLE_KINDS]
    queries = [q for q in (*own.load_noise(), *answerable) if split in {"all", q.split}]
    with open_subject(embedder, start=corpus.facts[0].when, path=path) as subject:
        written = write_facts(subject, corpus.facts)
        answers = ask_queries(subject, corpus, queries, written, k)
    answers = [replace(a, category="answerable") if a.gold else a for a in answers]
    return Report(
        name="noise",
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name, "split": split},
        details={"by_split": scoring.by_group(answers, (k,), "split")},
    )


@click.command("noise", cls=Benchmark)
@click.option(
    "--split",
    default="all",
    show_default=True,
    type=click.Choice(["all", own.CALIBRATION, own.HELD_OUT]),
    help="Half of the queries.",
)
@common
@ranked
def main(*, split: str, k: int, options: Options) -> None:
    """Ask what nobody ever told: is the answer honest silence?"""
    report = run(options.make_embedder(), split=split, k=k, path=options.path)
    options.publish(report, k)
