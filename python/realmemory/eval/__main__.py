"""Entry point: ``python -m realmemory.eval``."""

from __future__ import annotations

import click

from realmemory.eval import (
    bench_dialogue,
    bench_engmem,
    bench_graph,
    bench_languages,
    bench_multihop,
    bench_noise,
    bench_on_topic,
    bench_pairs,
    bench_real,
    bench_recall,
    bench_xquad,
)


@click.group()
def main() -> None:
    """Benchmarks of recall, through the public API and with the shipped defaults."""


for command in (
    *bench_dialogue.COMMANDS,
    bench_engmem.main,
    bench_graph.main,
    bench_languages.main,
    bench_multihop.main,
    bench_noise.main,
    bench_on_topic.main,
    bench_pairs.main,
    bench_xquad.main,
):
    main.add_command(command)
main.add_command(bench_real.main, "real")
main.add_command(bench_recall.main, "recall")

if __name__ == "__main__":
    main()
