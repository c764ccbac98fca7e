"""Questions that take two paragraphs to answer: ``python -m realmemory.eval multihop``."""

from __future__ import annotations

from pathlib import Path

import click

from realmemory.eval import paragraphs
from realmemory.eval.corpora import hotpot
from realmemory.eval.options import Benchmark, Options, common, ranked


@click.command("multihop", cls=Benchmark)
@click.option("--data", required=True, type=click.Path(path_type=Path), help="HotpotQA sample.")
@common
@ranked
def main(*, data: Path, k: int, options: Options) -> None:
    """HotpotQA: find the paragraph with the answer, which another paragraph leads to."""
    found = hotpot.read(data)
    asked = [
        paragraphs.Question(str(number), text, holding)
        for number, (text, holding) in enumerate(found.questions)
    ]
    corpus = paragraphs.Paragraphs("multihop", "two paragraphs", found.texts, asked)
    report = paragraphs.run(corpus, options.make_embedder(), k=k, path=options.path)
    options.publish(report, k)
