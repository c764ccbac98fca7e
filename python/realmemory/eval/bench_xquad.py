"""Passage retrieval within and across languages: ``python -m realmemory.eval xquad``."""

from __future__ import annotations

from pathlib import Path

import click

from realmemory.eval import paragraphs
from realmemory.eval.corpora import xquad
from realmemory.eval.options import COUNT, Benchmark, Options, common, ranked


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
    kept = passages.first(limit)
    asked = [
        paragraphs.Question(key, text, frozenset({passage}))
        for key, text, passage in kept.questions
    ]
    corpus = paragraphs.Paragraphs("xquad", "passage", kept.texts, asked)
    report = paragraphs.run(corpus, options.make_embedder(), k=k, path=options.path)
    options.publish(report, k)
