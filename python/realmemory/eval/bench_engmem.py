"""Changed conventions among distractors: ``python -m realmemory.eval engmem --rows 1000``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from realmemory.eval import measure, scoring
from realmemory.eval.controls import Bm25Control, RecencyControl, answers_of_each
from realmemory.eval.corpora import engmem
from realmemory.eval.options import COUNT, Benchmark, Options, common, ranked
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import open_subject
from realmemory.outcomes import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.corpora.engmem import Area, Entry, Log
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Asked, Subject

_BATCH = 256


def run(
    embedder: EmbeddingProvider, *, rows: int, seed: int = 7, k: int = 10, path: Path | None = None
) -> Report:
    """Write the log, ask for each convention twice, and report.

    Args:
        embedder: The embedder under test.
        rows: Entries of the log.
        seed: Seed of its distractors.
        k: Hits asked for.
        path: Folder to keep the store in; by default a temporary one.
    """
    log = engmem.generate(rows, seed)
    with open_subject(embedder, start=log.start, path=path) as subject:
        with measure.Stopwatch() as watch:
            label_of = write_log(subject, log)
        subject.move_to(log.now)
        answers = ask_conventions(subject, label_of, k)
        resident, disk = measure.resident_bytes(), measure.disk_bytes(subject.folder)
    found = sum(bool(answer.rank) for answer in answers)
    forbidden = sum(bool(answer.returned_forbidden) for answer in answers)
    return Report(
        name="engmem",
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name, "rows": str(rows), "seed": str(seed)},
        controls=_controls(log, answers, k),
        details={
            "found": found,
            "forbidden": forbidden,
            "writes_per_second": 1e3 * rows / watch.wall_ms,
            "resident_bytes": resident,
            "disk_bytes": disk,
        },
    )


def write_log(subject: Subject, log: Log) -> dict[int, str]:
    """Write the log in order, distractors in batches; return the names of the conventions."""
    names: dict[int, str] = {}
    old_ids: dict[str, int] = {}
    chunks = list(_chunks(log.entries))
    for chunk in progress(chunks, "remember", len(chunks)):
        subject.move_to(chunk[-1].when)
        entry = chunk[0]
        if entry.area is not None and entry.current:
            result = subject.memory.update_fact(old_ids[entry.area], entry.text, when=entry.when)
            names[result.memory_id] = _label(entry)
            continue
        results = subject.memory.remember_many(
            WriteRequest(text=item.text, kind=item.kind, scope=engmem.SCOPE, when=item.when)
            for item in chunk
        )
        if entry.area is not None:
            old_ids[entry.area] = results[0].memory_id
            names[results[0].memory_id] = _label(entry)
    return names


def _chunks(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Yield conventions one by one and what lies between them in batches."""
    batch: list[Entry] = []
    for entry in entries:
        if entry.area is None:
            batch.append(entry)
        if batch and (entry.area is not None or len(batch) == _BATCH):
            yield batch
            batch = []
        if entry.area is not None:
            yield [entry]
    if batch:
        yield batch


def _label(entry: Entry) -> str:
    return f"{entry.area}: {'current' if entry.current else 'old'}"


def ask_conventions(subject: Subject, label_of: Mapping[int, str], k: int) -> list[Answer]:
    """Ask for every convention twice."""
    return [
        _answer(area, number, subject.ask(text, k=k, scope=engmem.SCOPE), label_of)
        for area in engmem.AREAS
        for number, text in enumerate(area.questions)
    ]


def _answer(area: Area, number: int, asked: Asked, label_of: Mapping[int, str]) -> Answer:
    return asked.answer(
        f"{area.name}/{number}",
        area.name,
        gold=frozenset({f"{area.name}: current"}),
        forbidden=frozenset({f"{area.name}: old"}),
        ranking=asked.labels(lambda memory_id: label_of.get(memory_id, f"#{memory_id}")),
    )


def _controls(log: Log, answers: Sequence[Answer], k: int) -> dict[str, list[Answer]]:
    keys = [
        _label(entry) if entry.area is not None else f"#{number}"
        for number, entry in enumerate(log.entries)
    ]
    systems: dict[str, Control] = {
        "bm25": Bm25Control(keys, [entry.text for entry in log.entries]),
        "recency": RecencyControl(keys, [entry.when for entry in log.entries]),
    }
    return answers_of_each(answers, systems, k)


@click.command("engmem", cls=Benchmark)
@click.option("--rows", default=1000, show_default=True, type=COUNT, help="Entries of the log.")
@click.option("--seed", default=7, show_default=True, help="Seed of the distractors.")
@common
@ranked
def main(*, rows: int, seed: int, k: int, options: Options) -> None:
    """Generate a log in which conventions changed, and ask for the current ones."""
    report = run(options.make_embedder(), rows=rows, seed=seed, k=k, path=options.path)
    options.publish(report, k)
    details = report.details
    click.echo(f"current convention in the top {k}: {details['found']} of {len(report.answers)}")
    click.echo(f"old convention returned: {details['forbidden']} of {len(report.answers)}")
    click.echo(f"writes: {details['writes_per_second']:.0f}/s")
