"""Fit when a question that names a speaker asks for somebody else's matter.

``python -m realmemory.eval.calibrate_contrast`` deals conversations from our own exchanges, adds
our own chats, and prints the profile with what it achieves on exchanges that it was not fitted on;
``--write`` puts it into the package's table.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from realmemory.clock import DAY
from realmemory.eval import metrics
from realmemory.eval.calibrate import fit
from realmemory.eval.conversations import Shelf
from realmemory.eval.corpora import exchanges
from realmemory.eval.profiles_table import change_profiles
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.contrast import CONTRAST_FEATURES, ContrastProfile
from realmemory.policies.relevance import profile_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.dialogue import Dialogue

REFUSED = 0.005
"""Share of the answerable questions that may be refused."""
DOUBTED = 0.05
"""Share of them of which an answer may say that it is likely about somebody else."""
_SHARED = 0.04
"""Share of them that others' turns answer: one of the 28 of our chats that name one speaker. Our
exchanges hold far more, to learn from."""
_IN_VAIN = 0.2
"""Share of the questions that name a speaker and ask for somebody else's matter."""
_RIDGE = 0.3
_FOLDS = 10


class Judged(NamedTuple):
    """What a question found; ``group`` is the exchange or chat that no fold may tear apart."""

    features: tuple[float, ...]
    sort: str
    group: str


def collect(dialogue: Dialogue, embedder: EmbeddingProvider) -> tuple[list[Judged], int]:
    """Return what each question found where one is judged, and how many were asked."""
    shelf = Shelf(dialogue, pooled=False)
    latest = max(moment for _, _, moment in shelf.sessions())
    judged = []
    with open_subject(embedder, start=latest + DAY) as subject:
        shelf.store(subject)
        for question in progress(dialogue.questions, "recall", len(dialogue.questions)):
            scope = shelf.scope_of(question.conversation)
            packet = subject.memory.recall(question.text, k=10, scope=scope, explain=True)
            found = (packet.explanation or {}).get("contrast")
            if found is not None:
                features = tuple(found[name] for name in CONTRAST_FEATURES)
                group = question.key.partition("/")[0].partition("-")[0]
                judged.append(Judged(features, question.category, group))
    return judged, len(dialogue.questions)


def fitted(judged: Sequence[Judged]) -> ContrastProfile:
    """Fit weights, and the bias for as many questions in vain as people ask; no floors."""
    table = np.array([item.features for item in judged])
    answerable = np.array([item.sort != exchanges.SWAPPED for item in judged])
    weights, bias = fit(table, answerable, _RIDGE)
    share = float(answerable.mean())
    bias += math.log((1.0 - _IN_VAIN) / _IN_VAIN) - math.log(share / (1.0 - share))
    return ContrastProfile(tuple(round(float(w), 4) for w in weights), round(bias, 4))


def crossed(judged: Sequence[Judged]) -> dict[str, list[float]]:
    """Return the chances of each sort, every question judged by a fit on other exchanges."""
    groups = sorted({item.group for item in judged})
    chances: dict[str, list[float]] = {}
    for fold in range(_FOLDS):
        held = set(groups[fold::_FOLDS])
        profile = fitted([item for item in judged if item.group not in held])
        for item in judged:
            if item.group in held:
                chances.setdefault(item.sort, []).append(profile.chance(item.features))
    return chances


def floor_of(chances: dict[str, list[float]], share: float) -> float:
    """Return the largest chance below which no larger share of the answerable questions falls."""
    own, shared = (np.sort(chances[sort]) for sort in (exchanges.OWN, exchanges.SHARED))
    known = np.concatenate([own, shared])
    lost = (1.0 - _SHARED) * np.searchsorted(own, known) / len(own)
    lost += _SHARED * np.searchsorted(shared, known) / len(shared)
    return round(float(known[lost <= share].max()), 5)


def run(embedder: EmbeddingProvider) -> dict[str, Any]:
    """Fit the profile of an embedder on our own conversations."""
    judged: list[Judged] = []
    asked = 0
    for dialogue in (exchanges.load(), exchanges.swapped_chats()):
        found, number = collect(dialogue, embedder)
        judged, asked = judged + found, asked + number
    profile, chances = fitted(judged), crossed(judged)
    floors = {"floor": floor_of(chances, REFUSED), "doubtful": floor_of(chances, DOUBTED)}
    known = [*chances[exchanges.OWN], *chances[exchanges.SHARED]]
    vain = chances[exchanges.SWAPPED]
    labels = [True] * len(known) + [False] * len(vain)
    return {
        "weights": dict(zip(CONTRAST_FEATURES, profile.weights, strict=True)),
        "bias": profile.bias,
        **floors,
        "data": f"exchanges and own chats, {asked} questions, {len(judged)} of them judged",
        "evidence": {
            "auroc": round(metrics.auroc([*known, *vain], labels), 4),
            **{name: _below(chances, floor) for name, floor in floors.items()},
        },
    }


def _below(chances: dict[str, list[float]], floor: float) -> dict[str, float]:
    """Return the share of each sort below a floor."""
    return {
        sort: round(metrics.mean([float(chance < floor) for chance in values]), 4)
        for sort, values in sorted(chances.items())
    }


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--write", is_flag=True, help="Put the profile into the package's table.")
def main(embedder: str, *, write: bool) -> None:
    """Fit when a question that names a speaker asks for somebody else's matter."""
    made = make_embedder(embedder)
    result = run(made)
    click.echo(json.dumps(result, indent=1))
    if write:
        name = profile_for(made.name).name
        change_profiles(lambda profiles: profiles[name].update(contrast=result))


if __name__ == "__main__":
    main()
