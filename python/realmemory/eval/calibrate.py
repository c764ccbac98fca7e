"""Fit the relevance profile of an embedder on the calibration half of our own corpus.

``python -m realmemory.eval.calibrate --embedder default`` prints the profile with its evidence on
the held-out half; ``--write`` puts it into the package's table.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from realmemory.config import MemoryConfig
from realmemory.core.evidence import COLUMNS, Table
from realmemory.core.static_table import About
from realmemory.eval import metrics
from realmemory.eval.bench_real import write_facts
from realmemory.eval.corpora import own
from realmemory.eval.profiles_table import change_profiles
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.answerability import (
    PROJECT_ROWS,
    QUESTION_FEATURES,
    AnswerableProfile,
    prominence,
    question_features,
)
from realmemory.policies.relevance import (
    FEATURES,
    PRIOR_ROWS,
    Evidence,
    Null,
    RelevanceProfile,
    features,
    profile_for,
    relevance,
)
from realmemory.policies.surroundings import TURN_FEATURES, Surroundings, TurnProfile
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.bench_real import Written
    from realmemory.eval.corpora.own import Corpus, Query
    from realmemory.eval.subject import Subject

    Array = NDArray[np.float64]

LOST = 0.02
"""Share of the answerable questions that recall may refuse, and of foreign ones that may stand out."""
_BELOW_FLOOR = 0.015
"""Share of the answerable questions below a floor: four questions more or less are chance."""
_HIT_FLOOR = 0.003
_ELSEWHERE = "elsewhere"
_NOISE = "noise"
_FOREIGN = ("out_of_domain", "nonsense", "scope_leak", _NOISE, _ELSEWHERE)
"""Questions that the judge of answerability learns to refuse.

Questions about the memory's own subjects whose answer happens to be missing look like answerable
ones; learning from them only blurs the judge.
"""
_REFUSED_ONLY = (_NOISE, _ELSEWHERE)
"""Questions that teach the judge only: relevance is to know the mix of questions people ask."""
_RIDGE = 0.03
"""Of the relevance weights; chosen by swapping the halves: less or more costs rank or calibration."""
_JUDGE_RIDGE = 1.0
"""Of weights of standardised features."""
_FOLDS = 20
_NEWTON_STEPS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The candidates of one question: the evidence, and which of them answer it."""

    query: Query
    evidence: Evidence
    relevant: NDArray[np.bool_]


def collect(subject: Subject, corpus: Corpus, written: Written) -> list[Asked]:
    """Ask every question, in its scope and of all scopes, and keep what the channels said.

    The larger haystack teaches the model what the number of rows does to chance likeness. Noise,
    and questions asked of another project than the one that answers them, teach it to refuse.
    """
    subject.move_to(corpus.now)
    asked = []
    queries = [*corpus.queries, *(replace(query, kind=_NOISE) for query in own.load_noise())]
    for query in progress(queries, "recall", len(queries)):
        asked.append(_ask(subject, corpus, written, query, all_scopes=False))
        if query.kind != "scope_leak":
            asked.append(_ask(subject, corpus, written, query, all_scopes=True))
    asked += [
        _ask(subject, corpus, written, query, all_scopes=False) for query in _elsewhere(corpus)
    ]
    return asked


def _elsewhere(corpus: Corpus) -> list[Query]:
    """Return the questions that one project answers, each asked of another."""
    scopes = sorted({fact.scope for fact in corpus.facts} - {GLOBAL_SCOPE})
    scope_of = {fact.id: fact.scope for fact in corpus.facts}
    result = []
    for at, query in enumerate(corpus.queries):
        if query.expect and {scope_of[fact] for fact in query.expect} == {query.scope}:
            others = [scope for scope in scopes if scope != query.scope]
            other = others[at % len(others)]
            result.append(replace(query, kind=_ELSEWHERE, scope=other, expect=(), forbid=()))
    return result


def _ask(
    subject: Subject, corpus: Corpus, written: Written, query: Query, *, all_scopes: bool
) -> Asked:
    packet = subject.memory.recall(
        query.text,
        k=10,
        scope=query.scope,
        all_scopes=all_scopes,
        as_of=query.as_of,
        explain=True,
    )
    explanation = packet.explanation or {}
    rows: list[dict[str, Any]] = explanation["candidates"]
    gold = {written.trace_of[fact] for fact in corpus.accepted(query)}
    return Asked(
        query,
        evidence_of(rows, explanation["query"]),
        np.array([row["id"] in gold for row in rows], dtype=np.bool_),
    )


def evidence_of(rows: Sequence[dict[str, Any]], query: dict[str, Any]) -> Evidence:
    """Return the evidence that an explanation lists."""

    def column(name: str) -> Array:
        return np.array([row[name] for row in rows], dtype=np.float64)

    return Evidence(
        table=Table.of({name: column(name) for name in COLUMNS}),
        query_words=query["words"],
        letters_per_piece=query["letters_per_piece"],
        rows=query["rows"],
        null=Null(*(query["null"][name] for name in ("count", "mean", "std"))),
        around=_surroundings(rows),
        about=None if query["about"] is None else About(**query["about"]),
    )


def _surroundings(rows: Sequence[dict[str, Any]]) -> Surroundings:
    result = Surroundings.none(len(rows))
    for at, row in enumerate(rows):
        if "surroundings" in row:
            result.is_turn[at] = True
            result.features[at] = [row["surroundings"][name] for name in TURN_FEATURES]
    return result


def fit(
    columns: Array, relevant: NDArray[np.bool_], ridge: float = _JUDGE_RIDGE
) -> tuple[Array, float]:
    """Return weights and bias of a ridge logistic regression, by Newton's method."""
    design = np.column_stack([columns, np.ones(len(columns))])
    penalty = np.diag([ridge] * columns.shape[1] + [1e-6])
    weights = np.zeros(design.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -40.0, 40.0)))
        gradient = design.T @ (chance - relevant) + penalty @ weights
        curvature = (design * (chance * (1.0 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights[:-1], float(weights[-1])


def fit_monotone(
    columns: Array, relevant: NDArray[np.bool_], free: Sequence[int]
) -> tuple[Array, float]:
    """Return weights as :func:`fit` does, none of them negative but those of ``free`` columns.

    More evidence must never make a text less relevant, whatever a fit makes of columns that say
    nearly the same. Columns whose weight would be negative leave one after the other.
    """
    kept = list(range(columns.shape[1]))
    while True:
        weights, bias = fit(columns[:, kept], relevant, _RIDGE)
        worst = min(range(len(kept)), key=lambda at: 0.0 if kept[at] in free else weights[at])
        if kept[worst] in free or weights[worst] >= 0.0:
            break
        del kept[worst]
    full = np.zeros(columns.shape[1])
    full[kept] = weights
    return full, bias


def profile(asked: Sequence[Asked]) -> RelevanceProfile:
    """Fit weights, prior and floor on some questions."""
    null = Null(
        PRIOR_ROWS,
        metrics.mean([item.evidence.null.mean for item in asked]),
        metrics.mean([item.evidence.null.std for item in asked]),
    )
    taught = [item for item in asked if item.query.kind not in _REFUSED_ONLY]
    weights, bias = fit_monotone(
        np.concatenate([features(item.evidence, null) for item in taught]),
        np.concatenate([item.relevant for item in taught]),
        free=[FEATURES.index("rows")],
    )
    fitted = RelevanceProfile(
        name="fitted",
        weights=tuple(round(float(weight), 4) for weight in weights),
        bias=round(bias, 4),
        hit_floor=_HIT_FLOOR,
        null=null,
        turns=TurnProfile(1.0, (0.0,) * len(TURN_FEATURES), 0.0),
        answerable=AnswerableProfile((0.0,) * len(QUESTION_FEATURES), 0.0, 0.0),
    )
    known = [
        item
        for item in asked
        if len(item.relevant) and (item.query.expect or item.query.kind in _FOREIGN)
    ]
    judge = _judge(fitted, known)
    values = (prominence(item.evidence) for item in known if not item.query.expect)
    foreign = sorted(value for value in values if math.isfinite(value))
    floor, wide_floor = _floors(fitted, known)
    judge = replace(
        judge,
        floor=floor,
        wide_floor=wide_floor,
        stands_out=round(foreign[int((1.0 - LOST) * len(foreign))], 3),
    )
    return replace(fitted, answerable=judge)


def _floors(fitted: RelevanceProfile, known: Sequence[Asked]) -> tuple[float, float]:
    """Return the chances below which few answerable questions fall, judged by the others' fit.

    One for those asked of a project, one for those among many rows: there a foreign question looks
    more like one that can be answered, and the first would refuse next to none of either kind.
    """
    groups = sorted({item.query.id for item in known})
    fold_of = {name: at % _FOLDS for at, name in enumerate(groups)}
    chances: list[tuple[float, int]] = []
    for fold in range(_FOLDS):
        judge = _judge(fitted, [item for item in known if fold_of[item.query.id] != fold])
        chances += [
            (judge.chance(_question(fitted, item)), item.evidence.rows)
            for item in known
            if fold_of[item.query.id] == fold and item.query.expect
        ]
    floor, wide = (
        _low([chance for chance, rows in chances if (rows > PROJECT_ROWS) is many])
        for many in (False, True)
    )
    return floor, max(floor, wide)


def _low(chances: Sequence[float]) -> float:
    return round(sorted(chances)[int(_BELOW_FLOOR * len(chances))], 5)


def _judge(fitted: RelevanceProfile, known: Sequence[Asked]) -> AnswerableProfile:
    """Fit when to answer at all, on answerable and foreign questions."""
    table = np.array([_question(fitted, item) for item in known])
    center, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    labels = np.array([bool(item.query.expect) for item in known])
    scaled, bias = fit((table - center) / spread, labels)
    weights = scaled / spread
    return AnswerableProfile(
        weights=tuple(round(float(weight), 5) for weight in weights),
        bias=round(bias - float(weights @ center), 5),
        floor=0.0,
    )


def _question(fitted: RelevanceProfile, item: Asked) -> Array:
    return question_features(item.evidence, relevance(fitted, item.evidence), fitted.null)


def _answers(fitted: RelevanceProfile, item: Asked) -> bool:
    """Say whether recall would answer a question."""
    if not len(item.relevant):
        return False
    confidences = relevance(fitted, item.evidence)
    return fitted.answerable.answers(item.evidence, confidences, fitted.null)


def _rank(fitted: RelevanceProfile, item: Asked) -> float:
    """Return the rank of the first candidate that answers, infinite without one."""
    if not item.relevant.any():
        return math.inf
    order = np.argsort(-relevance(fitted, item.evidence), kind="stable")
    return 1.0 + int(np.argmax(item.relevant[order]))


def achieved(fitted: RelevanceProfile, asked: Sequence[Asked]) -> dict[str, Any]:
    """Return what a profile achieves on some questions."""
    chances: list[float] = []
    labels: list[bool] = []
    refused: dict[str, list[float]] = {}
    for item in asked:
        values = relevance(fitted, item.evidence)
        kept = _answers(fitted, item)
        refused.setdefault(item.query.kind, []).append(float(not kept))
        if kept:
            best = np.argsort(-values, kind="stable")[:5]
            chances += values[best].tolist()
            labels += item.relevant[best].tolist()
    ranks = [_rank(fitted, item) for item in asked if item.relevant.any()]
    bins = metrics.reliability(chances, labels, 10)
    return {
        "mrr_where_found": round(metrics.mean([1.0 / rank for rank in ranks]), 4),
        "calibration_error": round(metrics.calibration_error(bins), 4),
        "auroc": round(metrics.auroc(chances, labels), 4),
        "refused": {kind: round(metrics.mean(values), 4) for kind, values in refused.items()},
    }


def run(embedder: EmbeddingProvider) -> dict[str, Any]:
    """Fit the profile of an embedder and measure it on both halves."""
    corpus = own.load_corpus()
    start = min(fact.when for fact in corpus.facts)
    config = MemoryConfig(ranking="classic")
    with open_subject(embedder, start=start, config=config) as subject:
        written = write_facts(subject, corpus.facts)
        asked = collect(subject, corpus, written)
    halves = {
        half: [item for item in asked if item.query.split == half]
        for half in (own.CALIBRATION, own.HELD_OUT)
    }
    fitted = profile(halves[own.CALIBRATION])
    return {
        "weights": dict(zip(FEATURES, fitted.weights, strict=True)),
        "bias": fitted.bias,
        "null_mean": round(fitted.null.mean, 5),
        "null_std": round(fitted.null.std, 5),
        "hit_floor": fitted.hit_floor,
        "answerable": {
            "weights": dict(zip(QUESTION_FEATURES, fitted.answerable.weights, strict=True)),
            "bias": fitted.answerable.bias,
            "floor": fitted.answerable.floor,
            "wide_floor": fitted.answerable.wide_floor,
            "stands_out": fitted.answerable.stands_out,
        },
        "embedder": embedder.name,
        "data": f"own corpus, calibration half ({len(halves[own.CALIBRATION])} questions)",
        "evidence": {half: achieved(fitted, items) for half, items in halves.items()},
    }


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--family", help="Name in the table: the start of the embedder's name.")
@click.option("--write", is_flag=True, help="Put the profile into the package's table.")
def main(embedder: str, family: str | None, *, write: bool) -> None:
    """Fit the relevance profile of an embedder on our own corpus."""
    made = make_embedder(embedder)
    result = run(made)
    click.echo(json.dumps(result, indent=1))
    if write:
        change_profiles(lambda profiles: _put(profiles, family, made.name, result))


def _put(
    profiles: dict[str, Any], family: str | None, embedder: str, result: dict[str, Any]
) -> None:
    """Put a profile in place of the one before, keeping what other commands fit of it."""
    known = profile_for(embedder).name
    name = family or (embedder if known == "general" else known)
    before = profiles.get(name, {})
    answerable = dict(result["answerable"])
    if "lone_floor" in before.get("answerable", {}):
        answerable["lone_floor"] = before["answerable"]["lone_floor"]
    profiles[name] = {**result, "answerable": answerable, "turns": before.get("turns")}


if __name__ == "__main__":
    main()
