"""Fit when a memory of a single fact answers: ``python -m realmemory.eval.calibrate_lone``.

The judge of answerability is fitted on projects of fifty facts and more, where something is always
a little alike. Here each fact of the calibration half stands alone in a scope and is asked for;
the floor is the chance below which so few of these questions fall as may be refused. What it does
to foreign questions is printed for memories of one, five and twenty facts, by halves.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, NamedTuple

import click

from realmemory.eval import metrics
from realmemory.eval.asked import evidence_of
from realmemory.eval.calibrate import LOST
from realmemory.eval.corpora import own
from realmemory.eval.options import Benchmark
from realmemory.eval.profiles_table import change_profiles
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.answerability import question_features
from realmemory.policies.relevance import profile_for, relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.own import Corpus, Fact, Query
    from realmemory.eval.subject import Subject

_SIZES = (1, 5, 20)
_FOREIGN = 3
_SEED = 7
_KINDS = frozenset({"paraphrase", "cross_lingual", "exact_token", "typo"})


class Judged(NamedTuple):
    """One question to a small memory: the chance that it can be answered, and what is right."""

    size: int
    half: str
    answerable: bool
    chance: float
    refused: bool


def collect(embedder: EmbeddingProvider) -> list[Judged]:
    """Ask small memories, one a scope, for a fact that they hold and for foreign things."""
    corpus, noise = own.load_corpus(), own.load_noise()
    facts = {fact.id: fact for fact in corpus.facts}
    asked = [q for q in corpus.queries if q.kind in _KINDS and len(q.expect) == 1]
    draw = random.Random(_SEED)  # noqa: S311 - reproducible choice, no secret
    found: list[Judged] = []
    with open_subject(embedder, start=corpus.now) as subject:
        for number, query in enumerate(progress(asked, "ask", len(asked))):
            fact = facts[query.expect[0]]
            others = draw.sample(_beside(corpus, fact), max(_SIZES))
            foreign = draw.sample([q for q in noise if q.split == query.split], _FOREIGN)
            for size in _SIZES:
                scope = f"small-{number}-{size}"
                _remember(subject, scope, [fact, *others[: size - 1]])
                found += [_judge(subject, scope, size, q) for q in (query, *foreign)]
    return found


def _beside(corpus: Corpus, fact: Fact) -> list[Fact]:
    return [f for f in corpus.facts if f.scope == fact.scope and fact.id not in (f.id, f.dup_of)]


def _remember(subject: Subject, scope: str, facts: Sequence[Fact]) -> None:
    for fact in facts:
        subject.memory.remember(fact.text, scope=scope, force_new=True)


def _judge(subject: Subject, scope: str, size: int, query: Query) -> Judged:
    packet = subject.memory.recall(query.text, k=5, scope=scope, explain=True)
    explanation = packet.explanation or {}
    evidence = evidence_of(explanation["candidates"], explanation["query"])
    profile = profile_for(subject.embedder.name)
    values = question_features(evidence, relevance(profile, evidence), profile.null)
    return Judged(
        size,
        query.split,
        bool(query.expect),
        profile.answerable.chance(values, evidence.apart),
        packet.abstained,
    )


def floor_of(judged: Sequence[Judged]) -> float:
    """Return the chance below which few answerable questions to a single fact fall."""
    chances = sorted(
        item.chance
        for item in judged
        if item.answerable and item.size == 1 and item.half == own.CALIBRATION
    )
    return round(chances[int(LOST * len(chances))], 5)


def refusals(judged: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Return the shares that recall refuses as it is, by half, size and whether it knows."""
    table: dict[str, dict[str, float]] = {}
    for half in (own.CALIBRATION, own.HELD_OUT):
        for size in _SIZES:
            part = [item for item in judged if item.half == half and item.size == size]
            table[f"{half}, {size} facts"] = {
                name: round(
                    metrics.mean([float(i.refused) for i in part if i.answerable is known]), 3
                )
                for name, known in (("answerable", True), ("foreign", False))
            }
    return table


@click.command("calibrate_lone", cls=Benchmark)
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--write", is_flag=True, help="Put the floor into the package's table.")
def main(embedder: str, *, write: bool) -> None:
    """Fit when a memory of a single fact answers."""
    made = make_embedder(embedder)
    judged = collect(made)
    floor = floor_of(judged)
    click.echo(json.dumps({"lone_floor": floor, "refused as it is": refusals(judged)}, indent=1))
    if write:
        name = profile_for(made.name).name
        change_profiles(lambda profiles: profiles[name]["answerable"].update(lone_floor=floor))


if __name__ == "__main__":
    main()
