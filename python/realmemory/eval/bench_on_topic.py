"""What small memories say to what they do not know: ``python -m realmemory.eval on_topic``.

Notes about a few persons or projects, and questions about them: some the notes answer, the others
ask the same of what nobody told. How well confidence tells them apart, and how often it is high in
vain, is what an agent has to go by.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from realmemory.eval import metrics, scoring
from realmemory.eval.corpora import on_topic
from realmemory.eval.options import Benchmark, Options, common, ranked
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import open_subject

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.on_topic import Store
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject

_START = 1.8e9
_HIGH = 0.8
"""Confidence that hardly any reader doubts."""


def run(embedder: EmbeddingProvider, *, k: int = 5, path: Path | None = None) -> Report:
    """Write the memories, ask what they hold and what they do not, and report.

    Args:
        embedder: The embedder under test.
        k: Hits asked for.
        path: Folder to keep the store in; by default a temporary one.
    """
    stores = list(chain(on_topic.dealt(), on_topic.written()))
    with open_subject(embedder, start=_START, path=path) as subject:
        answers = list(
            chain.from_iterable(
                _asked(subject, store, k) for store in progress(stores, "ask", len(stores))
            )
        )
    return Report(
        name="on_topic",
        answers=answers,
        ks=scoring.depths(k),
        subject={"embedder": embedder.name, "k": str(k)},
        details={"honesty": _by_group(answers)},
    )


def _asked(subject: Subject, store: Store, k: int) -> list[Answer]:
    ids = [
        subject.memory.remember(note, scope=store.key, force_new=True).memory_id
        for note in store.notes
    ]
    answers = []
    for at, ask in enumerate(store.questions):
        asked = subject.ask(ask.text, k=k, scope=store.key)
        gold = () if ask.answered_by is None else (str(ids[ask.answered_by]),)
        answers.append(
            asked.answer(
                f"{store.key}/{at}",
                ask.sort,
                gold=frozenset(gold),
                ranking=asked.labels(str),
                tags={"lang": store.lang, "of": "written" if not ask.matter else "dealt"},
            )
        )
    return answers


def _by_group(answers: Sequence[Answer]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.tags["of"], []).append(answer)
        groups.setdefault(f"{answer.tags['of']}, {answer.tags['lang']}", []).append(answer)
    return {name: honesty(members) for name, members in groups.items()}


def honesty(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return how far the confidence of the first hit tells whether there is an answer.

    ``risk`` is the share of wrong first hits when so large a share of the questions is answered,
    the surest first.
    """
    top = [answer.confidences[0] if answer.confidences else 0.0 for answer in answers]
    held = [bool(answer.gold) for answer in answers]
    first = [answer.rank == 1 for answer in answers]
    curve = metrics.risk_coverage(top, first)
    rows = metrics.reliability(top, first, 10)
    return {
        "n": len(answers),
        "auroc": metrics.auroc(top, held),
        "mean": {name: _mean(top, held, known) for name, known in _SIDES},
        "high": {
            name: _mean([float(t >= _HIGH) for t in top], held, known) for name, known in _SIDES
        },
        "calibration_error": metrics.calibration_error(rows),
        "risk": {
            str(share): next(point.risk for point in curve if point.coverage >= share)
            for share in (0.25, 0.5, 0.75)
        },
    }


_SIDES = (("held", True), ("in_vain", False))


def _mean(values: Sequence[float], held: Sequence[bool], known: bool) -> float:
    return metrics.mean([v for v, side in zip(values, held, strict=True) if side is known])


@click.command("on_topic", cls=Benchmark)
@common
@ranked
def main(*, k: int, options: Options) -> None:
    """Ask small memories what they hold and what they do not."""
    report = run(options.make_embedder(), k=k, path=options.path)
    options.publish(report, k)
    for name, part in report.details["honesty"].items():
        mean, high, risk = part["mean"], part["high"], part["risk"]
        click.echo(
            f"{name}: n {part['n']}, AUROC {part['auroc']:.3f}; confidence of the first hit: mean "
            f"{mean['held']:.2f} held, {mean['in_vain']:.2f} in vain; .8 and more "
            f"{high['held']:.2f}, {high['in_vain']:.2f}; calibration error "
            f"{part['calibration_error']:.3f}; risk at .25/.50/.75 covered "
            f"{'/'.join(f'{value:.2f}' for value in risk.values())}"
        )


if __name__ == "__main__":
    main()
