"""Fit whether what comes nearest in a small memory says what a question asks for.

``python -m realmemory.eval.calibrate_doubt`` asks the calibration half of our own corpus and small
memories that are dealt, and prints the profile with what it achieves on questions and matters that
it was not fitted on; ``--write`` puts it into the package's table.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from realmemory.eval import metrics
from realmemory.eval.bench_real import write_facts
from realmemory.eval.calibrate import fit_monotone
from realmemory.eval.corpora import on_topic, own
from realmemory.eval.profiles_table import change_profiles
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.doubt import DOUBT_FEATURES, DoubtProfile
from realmemory.policies.relevance import profile_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.subject import Subject

DOUBTED = 0.05
"""Share of the answerable questions of our own corpus of which an answer may say that it is likely none."""
_IN_VAIN = 0.2
"""Share of the on-topic questions that nothing answers: 13 % in our own corpus, half of those that
testers ask."""
_ON_TOPIC = (*own.ANSWERABLE_KINDS, "in_domain_unanswerable")
_CORPUS = "own corpus"
_FOLDS = 10
_BINS = 5


class Judged(NamedTuple):
    """What a question found; ``group`` is what no fold may tear apart."""

    features: tuple[float, ...]
    answerable: bool
    group: str
    confidence: float
    right: bool


def collect(embedder: EmbeddingProvider) -> dict[str, list[Judged]]:
    """Return what the questions found where the best hit is judged, by where they come from."""
    return {
        _CORPUS: list(_of_corpus(embedder, own.CALIBRATION)),
        "dealt": list(_of_small(embedder)),
    }


def _of_corpus(embedder: EmbeddingProvider, half: str) -> Iterator[Judged]:
    corpus = own.load_corpus()
    queries = [q for q in corpus.queries if q.split == half and q.kind in _ON_TOPIC]
    with open_subject(embedder, start=min(fact.when for fact in corpus.facts)) as subject:
        written = write_facts(subject, corpus.facts)
        subject.move_to(corpus.now)
        for query in progress(queries, "recall", len(queries)):
            gold = {written.trace_of[fact] for fact in corpus.accepted(query)}
            yield from _judged(
                subject, query.text, gold, query.id, scope=query.scope, as_of=query.as_of
            )


def _of_small(embedder: EmbeddingProvider) -> Iterator[Judged]:
    stores = list(on_topic.dealt())
    with open_subject(embedder, start=own.load_corpus().now) as subject:
        for store in progress(stores, "ask", len(stores)):
            ids = [
                subject.memory.remember(note, scope=store.key, force_new=True).memory_id
                for note in store.notes
            ]
            for ask in store.questions:
                gold = {ids[at] for at in (ask.answered_by,) if at is not None}
                yield from _judged(subject, ask.text, gold, ask.matter, scope=store.key)


def _judged(
    subject: Subject,
    question: str,
    gold: set[int],
    group: str,
    **options: Any,  # noqa: ANN401 - the options of recall
) -> Iterator[Judged]:
    packet = subject.memory.recall(question, k=5, explain=True, **options)
    explanation = packet.explanation or {}
    found = explanation.get("doubt")
    if found is None or not packet.items:
        return
    by_id = {row["id"]: row["confidence"] for row in explanation["candidates"]}
    best = packet.items[0].memory_id
    features = tuple(found[name] for name in DOUBT_FEATURES)
    yield Judged(features, bool(gold), group, by_id.get(best, 0.0), best in gold)


def fitted(judged: Sequence[Judged]) -> DoubtProfile:
    """Fit weights, and the bias for as many questions in vain as people ask; no floor."""
    answerable = np.array([item.answerable for item in judged])
    weights, bias = fit_monotone(np.array([item.features for item in judged]), answerable, free=())
    share = float(answerable.mean())
    bias += math.log((1.0 - _IN_VAIN) / _IN_VAIN) - math.log(share / (1.0 - share))
    return DoubtProfile(tuple(round(float(w), 4) for w in weights), round(bias, 4))


def alike(parts: dict[str, list[Judged]]) -> list[Judged]:
    """Return all questions, those of the smaller parts as often as makes the parts count alike."""
    most = max(map(len, parts.values()))
    return [item for part in parts.values() for item in part * round(most / len(part))]


def crossed(parts: dict[str, list[Judged]]) -> dict[str, list[tuple[Judged, float]]]:
    """Return the chance of each question by a fit on other questions and other matters."""
    groups = sorted({item.group for part in parts.values() for item in part})
    fold_of = {group: at % _FOLDS for at, group in enumerate(groups)}
    profiles = [
        fitted(alike({n: [i for i in p if fold_of[i.group] != fold] for n, p in parts.items()}))
        for fold in range(_FOLDS)
    ]
    return {
        name: [(item, profiles[fold_of[item.group]].chance(item.features)) for item in part]
        for name, part in parts.items()
    }


def floor_of(part: Sequence[tuple[Judged, float]], share: float) -> float:
    """Return the chance below which that share of the answerable questions falls."""
    known = sorted(chance for item, chance in part if item.answerable)
    return round(known[int(share * len(known))], 5)


def run(embedder: EmbeddingProvider) -> dict[str, Any]:
    """Fit the profile of an embedder."""
    parts = collect(embedder)
    profile, chances = fitted(alike(parts)), crossed(parts)
    doubtful = floor_of(chances[_CORPUS], DOUBTED)
    return {
        "weights": dict(zip(DOUBT_FEATURES, profile.weights, strict=True)),
        "bias": profile.bias,
        "doubtful": doubtful,
        "data": ", ".join(f"{name}: {len(part)} questions" for name, part in parts.items()),
        "evidence": {name: _evidence(part, doubtful) for name, part in chances.items()},
    }


def _evidence(part: Sequence[tuple[Judged, float]], doubtful: float) -> dict[str, Any]:
    """Return how well the chance tells, and the reliability of the first hit's confidence."""
    chances = [chance for _, chance in part]
    known = [item.answerable for item, _ in part]
    right = [item.right for item, _ in part]
    before = [item.confidence for item, _ in part]
    after = [item.confidence * chance for item, chance in part]
    return {
        "auroc": round(metrics.auroc(chances, known), 4),
        "auroc_of_confidence": [round(metrics.auroc(c, right), 4) for c in (before, after)],
        "doubted": {
            name: round(
                metrics.mean([float(c < doubtful) for i, c in part if i.answerable is side]), 4
            )
            for name, side in (("answerable", True), ("in_vain", False))
        },
        "reliability": [
            [
                [round(row.confidence, 3), round(row.accuracy, 3), row.count]
                for row in metrics.reliability(confidences, right, _BINS)
            ]
            for confidences in (before, after)
        ],
    }


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--write", is_flag=True, help="Put the profile into the package's table.")
def main(embedder: str, *, write: bool) -> None:
    """Fit whether what comes nearest says what a question asks for."""
    made = make_embedder(embedder)
    result = run(made)
    click.echo(json.dumps(result, indent=1))
    if write:
        name = profile_for(made.name).name
        change_profiles(lambda profiles: profiles[name].update(doubt=result))


if __name__ == "__main__":
    main()
