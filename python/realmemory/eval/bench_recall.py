"""The synthetic sweep over sizes: ``python -m realmemory.eval.bench_recall --facts 1500``.

Times what other sweeps leave out: abstaining recalls, the first and the second sleep, and
opening the store again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from realmemory.eval import measure, metrics, scoring
from realmemory.eval.controls import Bm25Control, CosineControl, RecencyControl, answers_of_each
from realmemory.eval.corpora.synthetic import Sweep, sweep
from realmemory.eval.options import COUNT, Benchmark, Options, common, ranked
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import START, open_subject
from realmemory.hippocampus import Hippocampus
from realmemory.outcomes import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject

"""2026-01-01: any fixed day will do."""


@dataclass(frozen=True, slots=True)
class Owners:
    """Which trace holds each fact; a fact merged into another's trace does not own one."""

    trace_of: tuple[int, ...]
    owner_of: dict[int, int]

    @classmethod
    def of(cls, trace_of: Sequence[int]) -> Owners:
        """Return the owners: the first fact of each trace."""
        owner_of: dict[int, int] = {}
        for fact, trace in enumerate(trace_of):
            owner_of.setdefault(trace, fact)
        return cls(tuple(trace_of), owner_of)

    def label(self, memory_id: int) -> str:
        """Return the number of the fact that owns a trace."""
        return str(self.owner_of.get(memory_id, f"#{memory_id}"))

    def owns(self, fact: int) -> bool:
        """Return whether a fact is the first one of its trace."""
        return self.owner_of[self.trace_of[fact]] == fact

    @property
    def merged(self) -> int:
        """Facts that went into another fact's trace."""
        return len(self.trace_of) - len(self.owner_of)


def run(
    embedder: EmbeddingProvider,
    *,
    facts: int,
    queries: int,
    k: int = 10,
    batch: int = 1,
    path: Path | None = None,
) -> Report:
    """Fill a store, ask, sleep twice, open it again, and report.

    Args:
        embedder: The embedder under test.
        facts: Facts to write.
        queries: Answerable questions to ask; a fifth as many unanswerable ones come on top.
        k: Hits asked for.
        batch: Facts of one ``remember_many``; 1 writes with ``remember``.
        path: Folder to keep the store in; by default a temporary one.
    """
    data = sweep(facts, queries)
    details: dict[str, Any] = {"resident_bytes_before": measure.resident_bytes()}
    with open_subject(embedder, start=START, path=path) as subject:
        with measure.Stopwatch() as watch:
            owners = Owners.of(list(_write(subject, data.facts, batch)))
        details |= _cost("write", watch, facts)
        answers = _ask(subject, data, owners, k)
        details["resident_bytes"] = measure.resident_bytes()
        for name in ("first_sleep", "second_sleep"):
            with measure.Stopwatch() as watch:
                subject.memory.consolidate()
            details |= _cost(name, watch)
        details["resident_bytes_after_sleep"] = measure.resident_bytes()
        details["disk_bytes"] = measure.disk_bytes(subject.folder)
        subject.memory.close()
        details |= _reopen(subject, data.facts[0])
    details |= {
        "facts": facts,
        "merged": owners.merged,
        "merged_share": owners.merged / facts,
        "top_confidence": metrics.mean([a.confidences[0] for a in answers if a.confidences]),
    }
    return Report(
        name="bench_recall",
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name, "facts": str(facts), "batch": str(batch)},
        controls=_controls(data, embedder, answers, k),
        details=details,
    )


def _write(subject: Subject, facts: Sequence[str], batch: int) -> Iterator[int]:
    if batch == 1:
        for text in progress(facts, "remember", len(facts)):
            yield subject.memory.remember(text).memory_id
        return
    starts = range(0, len(facts), batch)
    for start in progress(starts, "remember", len(starts)):
        requests = [WriteRequest(text=text) for text in facts[start : start + batch]]
        yield from (result.memory_id for result in subject.memory.remember_many(requests))


def _ask(subject: Subject, data: Sweep, owners: Owners, k: int) -> list[Answer]:
    questions: list[tuple[str, int | None]] = [
        *((text, fact) for text, fact in data.queries if owners.owns(fact)),
        *((text, None) for text in data.noise),
    ]
    answers = []
    for number, (text, fact) in enumerate(progress(questions, "recall", len(questions))):
        got = subject.ask(text, k=k)
        answers.append(
            got.answer(
                f"{number:05d}",
                "noise" if fact is None else "answerable",
                gold=frozenset() if fact is None else frozenset({str(fact)}),
                ranking=got.labels(owners.label),
            )
        )
    return answers


def _reopen(subject: Subject, query: str) -> dict[str, Any]:
    """Open the store again in this process, as far as that is cold, and ask once."""
    with (
        measure.Stopwatch() as opening,
        Hippocampus.open(
            subject.folder, embedder=subject.embedder, clock=subject.clock, key=""
        ) as memory,
    ):
        with measure.Stopwatch() as first:
            memory.recall(query)
        with measure.Stopwatch() as again:
            memory.recall(query)
    return {
        "reopen_wall_ms": opening.wall_ms,
        "reopen_cpu_ms": opening.cpu_ms,
        "first_recall_wall_ms": first.wall_ms,
        "second_recall_wall_ms": again.wall_ms,
    }


def _cost(name: str, watch: measure.Stopwatch, count: int | None = None) -> dict[str, float]:
    figures = {f"{name}_wall_ms": watch.wall_ms, f"{name}_cpu_ms": watch.cpu_ms}
    if count:
        figures[f"{name}s_per_second"] = 1e3 * count / watch.wall_ms
        figures[f"{name}_cpu_ms_each"] = watch.cpu_ms / count
    return figures


def _controls(
    data: Sweep, embedder: EmbeddingProvider, answers: Sequence[Answer], k: int
) -> dict[str, list[Answer]]:
    keys = [str(i) for i in range(len(data.facts))]
    systems: dict[str, Control] = {
        "bm25": Bm25Control(keys, data.facts),
        "cosine": CosineControl(embedder, keys, data.facts),
        "recency": RecencyControl(keys, [float(i) for i in range(len(keys))]),
    }
    return answers_of_each(answers, systems, k)


@click.command(cls=Benchmark)
@click.option("--facts", default=1500, show_default=True, type=COUNT, help="Facts to write.")
@click.option("--queries", default=200, show_default=True, type=COUNT, help="Questions to ask.")
@click.option("--batch", default=1, show_default=True, type=COUNT, help="Facts of one write.")
@common
@ranked
def main(*, facts: int, queries: int, k: int, batch: int, options: Options) -> None:
    """Sweep one size: write invented facts, ask for them, sleep, open again."""
    report = run(
        options.make_embedder(), facts=facts, queries=queries, k=k, batch=batch, path=options.path
    )
    options.publish(report, k)
    click.echo(_details_text(report))


def _details_text(report: Report) -> str:
    details, result = report.details, report.to_json()
    hits = result["by_category"]["answerable"].get(f"hit@{max(report.ks)}", 0.0)
    baseline = result["controls"]["cosine"]["overall"].get(f"hit@{max(report.ks)}", 0.0)
    refused = result["by_category"]["noise"]["abstained"]
    passed = hits >= baseline - 0.02 and refused >= 0.9
    megabytes = ", ".join(
        f"{name.removesuffix('_bytes').replace('_', ' ')} {details[name] / 2**20:.0f}"
        for name in details
        if "bytes" in name and details[name] is not None
    )
    lines = (
        f"merged by the gate: {details['merged']} ({details['merged_share']:.2%})",
        f"writes: {details['writes_per_second']:.0f}/s, {details['write_cpu_ms_each']:.2f} CPU ms each",
        f"sleep: {details['first_sleep_wall_ms']:.0f} ms, again {details['second_sleep_wall_ms']:.0f} ms",
        f"open again, recall twice, close: {details['reopen_wall_ms']:.0f} ms",
        f"first recall after opening: {details['first_recall_wall_ms']:.1f} ms",
        f"MB: {megabytes}",
        f"{'PASS' if passed else 'FAIL'}: hits {hits:.3f} (cosine {baseline:.3f}), abstained {refused:.3f}",
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
