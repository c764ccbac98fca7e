"""Fit what the surroundings of conversation turns are worth, on our own conversations.

``python -m realmemory.eval.calibrate_turns`` prints the turn profile of an embedder whose
relevance profile is fitted already; ``--write`` adds it to the package's table. ``--data`` adds a
public benchmark whose licence allows fitting on it.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from realmemory.clock import DAY
from realmemory.config import MemoryConfig
from realmemory.eval import metrics
from realmemory.eval.calibrate import evidence_of, fit
from realmemory.eval.conversations import UNKNOWN_START, Shelf
from realmemory.eval.corpora import beam, chats
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.relevance import own_logits, profile_for
from realmemory.policies.surroundings import TURN_FEATURES, TurnProfile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.dialogue import Dialogue

    Array = NDArray[np.float64]
    Part = tuple[Array, NDArray[np.bool_]]

_FOLDS = 6


def collect(dialogue: Dialogue, embedder: EmbeddingProvider) -> list[Part]:
    """Return log-odds and surroundings of all turns that each question brought, and the gold."""
    shelf = Shelf(dialogue, pooled=False)
    latest = max((moment for _, _, moment in shelf.sessions()), default=UNKNOWN_START)
    profile = profile_for(embedder.name)
    parts = []
    config = MemoryConfig(ranking="classic")
    with open_subject(embedder, start=latest + DAY, config=config) as subject:
        shelf.store(subject)
        for question in progress(dialogue.questions, "recall", len(dialogue.questions)):
            packet = subject.memory.recall(
                question.text, k=10, scope=shelf.scope_of(question.conversation), explain=True
            )
            explanation = packet.explanation or {}
            rows: list[dict[str, Any]] = explanation["candidates"]
            evidence = evidence_of(rows, explanation["query"])
            gold = {shelf.key(question.conversation, key) for key in question.turns}
            columns = np.column_stack(
                [own_logits(profile, evidence), evidence.surroundings.features]
            )
            # One at a time: parts of one long turn share its name.
            names = [shelf.turn_names([row["id"]])[0] for row in rows]
            relevant = np.array([name in gold for name in names], dtype=np.bool_)
            parts.append((columns, relevant))
    return parts


def fitted(parts: list[Part]) -> TurnProfile:
    """Fit a turn profile."""
    weights, bias = fit(
        np.concatenate([columns for columns, _ in parts]),
        np.concatenate([relevant for _, relevant in parts]),
    )
    return TurnProfile(
        scale=round(float(weights[0]), 4),
        weights=tuple(round(float(weight), 4) for weight in weights[1:]),
        bias=round(bias, 4),
    )


def ranks(profile: TurnProfile | None, parts: list[Part]) -> list[float]:
    """Return the rank of the first gold turn of every question, infinite without one."""
    found = []
    for columns, relevant in parts:
        own = columns[:, 0]
        scores = own if profile is None else profile.logits(own, columns[:, 1:])
        order = np.argsort(-scores, kind="stable")
        hits = np.flatnonzero(relevant[order])
        found.append(float(hits[0]) + 1.0 if len(hits) else np.inf)
    return found


def achieved(parts: list[Part]) -> dict[str, Any]:
    """Return what surroundings add, each question ranked by weights fitted on the others."""
    answerable = [part for part in parts if part[1].any()]
    crossed: list[float] = []
    plain: list[float] = []
    for fold in range(_FOLDS):
        rest = [part for at, part in enumerate(parts) if at % _FOLDS != fold]
        held = [part for at, part in enumerate(answerable) if at % _FOLDS == fold]
        profile = fitted(rest)
        crossed += ranks(profile, held)
        plain += ranks(None, held)
    return {"questions": len(answerable), "without": _figures(plain), "with": _figures(crossed)}


def _figures(found: list[float]) -> dict[str, float]:
    return {
        "mrr": round(metrics.mean([1.0 / rank for rank in found]), 4),
        **{f"hit@{k}": round(metrics.mean([float(r <= k) for r in found]), 4) for k in (1, 5, 10)},
    }


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="A BEAM folder.")
@click.option("--write", is_flag=True, help="Put the profile into the package's table.")
def main(embedder: str, data: Path | None, *, write: bool) -> None:
    """Fit what the surroundings of conversation turns are worth."""
    made = make_embedder(embedder)
    parts = collect(chats.load(), made)
    named = "own conversations"
    if data is not None:
        parts += collect(beam.read(data), made)
        named += " and BEAM"
    profile = fitted(parts)
    result = {
        "scale": profile.scale,
        "weights": dict(zip(TURN_FEATURES, profile.weights, strict=True)),
        "bias": profile.bias,
        "data": named,
        "evidence": achieved(parts),
    }
    click.echo(json.dumps(result, indent=1))
    if write:
        table = Path(str(resources.files("realmemory.policies").joinpath("profiles.json")))
        profiles = json.loads(table.read_text("utf-8"))
        profiles[profile_for(made.name).name]["turns"] = result
        table.write_text(json.dumps(profiles, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
