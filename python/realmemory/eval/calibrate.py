"""Fit the relevance profile of an embedder on the calibration half of our own corpus.

``python -m realmemory.eval.calibrate --embedder default`` prints the profile with its evidence on
the held-out half; ``--write`` puts it into the package's table.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from realmemory.eval import metrics
from realmemory.eval.asked import ELSEWHERE, FOREIGN, NOISE, Asked, collect, collect_apart
from realmemory.eval.corpora import own
from realmemory.eval.profiles_table import change_profiles
from realmemory.eval.subject import make_embedder
from realmemory.policies import logistic
from realmemory.policies.answerability import (
    PROJECT_ROWS,
    QUESTION_FEATURES,
    AnswerableProfile,
    prominence,
    question_features,
)
from realmemory.policies.odds import log_odds
from realmemory.policies.relevance import (
    FEATURES,
    PRIOR_ROWS,
    Null,
    RelevanceProfile,
    features,
    profile_for,
    relevance,
)
from realmemory.policies.surroundings import TURN_FEATURES, TurnProfile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from realmemory.encoding.protocol import EmbeddingProvider

    Array = NDArray[np.float64]

LOST = 0.02
"""Share of the answerable questions that recall may refuse, and of foreign ones that may stand out."""
_BELOW_FLOOR = 0.015
"""Share of the answerable questions below a floor: four questions more or less are chance."""
_HIT_FLOOR = 0.003
_REFUSED_ONLY = (NOISE, ELSEWHERE)
"""Questions that teach the judge only: relevance is to know the mix of questions people ask."""
_RIDGE = 0.03
"""Of the relevance weights; chosen by swapping the halves: less or more costs rank or calibration."""
_JUDGE_RIDGE = 1.0
"""Of weights of standardised features."""
_FOLDS = 20
_NEWTON_STEPS = 50


def fit(
    columns: Array, relevant: NDArray[np.bool_], ridge: float = _JUDGE_RIDGE
) -> tuple[Array, float]:
    """Return weights and bias of a ridge logistic regression, by Newton's method."""
    design = np.column_stack([columns, np.ones(len(columns))])
    penalty = np.diag([ridge] * columns.shape[1] + [1e-6])
    weights = np.zeros(design.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = logistic.chances(design @ weights)
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


def profile(asked: Sequence[Asked], apart: Sequence[Asked] = ()) -> RelevanceProfile:
    """Fit weights, prior and floor on some questions.

    Args:
        asked: Of the whole corpus; all is fitted on them.
        apart: Asked in another script than the memory is written in; they teach the judge only.
            Without them it does not look at scripts.
    """
    if not apart:
        asked = [replace(item, evidence=replace(item.evidence, apart=0.0)) for item in asked]
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
    return replace(fitted, answerable=_answerable(fitted, _known(asked), _known(apart)))


def _known(asked: Sequence[Asked]) -> list[Asked]:
    return [
        item
        for item in asked
        if len(item.relevant) and (item.query.expect or item.query.kind in FOREIGN)
    ]


def _answerable(
    fitted: RelevanceProfile, known: Sequence[Asked], apart: Sequence[Asked]
) -> AnswerableProfile:
    """Fit when to answer at all, and below which chance not to.

    Of questions in another script no more may fall below the floors than of the others: what they
    rise by beyond what the judge learns makes up for it.
    """
    values = (prominence(item.evidence) for item in known if not item.query.expect)
    foreign = sorted(value for value in values if math.isfinite(value))
    floor, wide_floor = _floors(fitted, known, apart)
    judge = replace(
        _judge(fitted, [*known, *apart]),
        floor=floor,
        wide_floor=wide_floor,
        stands_out=round(foreign[int((1.0 - LOST) * len(foreign))], 3),
    )
    margins = [
        log_odds(chance) - log_odds(judge.floor_among(item.evidence.rows))
        for item, chance in _crossed(fitted, [*known, *apart])
        if item in apart
    ]
    short = -sorted(margins)[int(_BELOW_FLOOR * len(margins))] if margins else 0.0
    return replace(judge, apart=round(judge.apart + max(0.0, short), 5))


def _floors(
    fitted: RelevanceProfile, known: Sequence[Asked], apart: Sequence[Asked]
) -> tuple[float, float]:
    """Return the chances below which few answerable questions fall, judged by the others' fit.

    One for those asked of a project, one for those among many rows: there a foreign question looks
    more like one that can be answered, and the first would refuse next to none of either kind.
    """
    chances = [
        (chance, item.evidence.rows)
        for item, chance in _crossed(fitted, [*known, *apart])
        if item not in apart
    ]
    floor, wide = (
        _low([chance for chance, rows in chances if (rows > PROJECT_ROWS) is many])
        for many in (False, True)
    )
    return floor, max(floor, wide)


def _crossed(fitted: RelevanceProfile, known: Sequence[Asked]) -> Iterator[tuple[Asked, float]]:
    """Yield the answerable with their chance by a judge that was fitted on other questions."""
    groups = sorted({item.query.id for item in known})
    fold_of = {name: at % _FOLDS for at, name in enumerate(groups)}
    for fold in range(_FOLDS):
        judge = _judge(fitted, [item for item in known if fold_of[item.query.id] != fold])
        for item in known:
            if fold_of[item.query.id] == fold and item.query.expect:
                yield item, judge.chance(_question(fitted, item), item.evidence.apart)


def _low(chances: Sequence[float]) -> float:
    return round(sorted(chances)[int(_BELOW_FLOOR * len(chances))], 5)


def _judge(fitted: RelevanceProfile, known: Sequence[Asked]) -> AnswerableProfile:
    """Fit when to answer at all, on answerable and foreign questions."""
    table = np.array([[*_question(fitted, item), item.evidence.apart] for item in known])
    center, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    labels = np.array([bool(item.query.expect) for item in known])
    scaled, bias = fit((table - center) / spread, labels)
    weights = scaled / spread
    rounded = [round(float(weight), 5) for weight in weights]
    return AnswerableProfile(
        weights=tuple(rounded[:-1]),
        bias=round(bias - float(weights @ center), 5),
        floor=0.0,
        apart=rounded[-1],
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


def _refused_apart(fitted: RelevanceProfile, asked: Sequence[Asked]) -> dict[str, float]:
    """Return the shares refused of what is asked in another script than the memory is written in."""
    return {
        name: round(
            metrics.mean(
                [float(not _answers(fitted, i)) for i in asked if bool(i.query.expect) is known]
            ),
            4,
        )
        for name, known in (("answerable", True), ("foreign", False))
    }


def run(embedder: EmbeddingProvider, *, scripts: bool = False) -> dict[str, Any]:
    """Fit the profile of an embedder and measure it on both halves.

    Args:
        embedder: The embedder whose space it is for.
        scripts: Also fit on questions in another script than the memory is written in. A model
            that finds little there only learns to answer more of what nothing answers.
    """
    asked, apart = collect(embedder), collect_apart(embedder) if scripts else []
    halves = {
        half: [[item for item in part if item.query.split == half] for part in (asked, apart)]
        for half in (own.CALIBRATION, own.HELD_OUT)
    }
    fitted = profile(*halves[own.CALIBRATION])
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
            "apart": fitted.answerable.apart,
        },
        "embedder": embedder.name,
        "data": f"own corpus, calibration half ({len(halves[own.CALIBRATION][0])} questions)",
        "evidence": {half: achieved(fitted, items) for half, (items, _) in halves.items()},
        "evidence_apart": {
            half: _refused_apart(fitted, items) for half, (_, items) in halves.items() if items
        },
    }


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--family", help="Name in the table: the start of the embedder's name.")
@click.option("--scripts", is_flag=True, help="Also across scripts: for models of many languages.")
@click.option("--write", is_flag=True, help="Put the profile into the package's table.")
def main(embedder: str, family: str | None, *, scripts: bool, write: bool) -> None:
    """Fit the relevance profile of an embedder on our own corpus."""
    made = make_embedder(embedder)
    result = run(made, scripts=scripts)
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
    kept = {part: before[part] for part in ("contrast", "doubt") if part in before}
    profiles[name] = {**result, **kept, "answerable": answerable, "turns": before.get("turns")}


if __name__ == "__main__":
    main()
