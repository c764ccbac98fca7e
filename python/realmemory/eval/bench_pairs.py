"""What the gate does with near misses and paraphrases: ``python -m realmemory.eval near_miss``."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory.errors import ConfigurationError
from realmemory.eval import metrics
from realmemory.eval.corpora import own
from realmemory.eval.corpora.own import Pair, PairSet
from realmemory.eval.measure import environment
from realmemory.eval.options import Benchmark, Options, common
from realmemory.eval.progress import progress
from realmemory.eval.subject import START, open_subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.subject import Subject


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """What happened to the second text of a pair."""

    pair: Pair
    merged: bool
    flagged: bool
    cosine: float
    reasons: tuple[str, ...]

    def to_json(self, expected_merge: bool) -> dict[str, Any]:
        """Return the outcome for the report."""
        return {
            "id": self.pair.id,
            "category": self.pair.kind,
            "lang": self.pair.lang,
            "split": self.pair.split,
            "first": self.pair.first,
            "second": self.pair.second,
            "merged": self.merged,
            "flagged": self.flagged,
            "cosine": round(self.cosine, 4),
            "reasons": list(self.reasons),
            "passed": self.merged == expected_merge,
        }


def write_pairs(subject: Subject, pairs: Sequence[Pair], prefix: str) -> list[PairOutcome]:
    """Write both texts of each pair into a scope of their own."""
    outcomes = []
    for pair in progress(pairs, prefix, len(pairs)):
        scope = f"{prefix}-{pair.id}"
        first = subject.memory.remember(pair.first, scope=scope)
        second = subject.memory.remember(pair.second, scope=scope)
        outcomes.append(
            PairOutcome(
                pair,
                merged=second.memory_id == first.memory_id,
                flagged=first.memory_id in second.conflicts,
                cosine=second.decision.best_cosine,
                reasons=second.decision.reasons,
            )
        )
    return outcomes


def run(
    embedder: EmbeddingProvider, pairs: PairSet | None = None, *, path: Path | None = None
) -> dict[str, Any]:
    """Write all pairs and report false merges, missed merges and flagged conflicts."""
    data = pairs or own.load_pairs()
    with open_subject(embedder, start=START, path=path) as subject:
        near = write_pairs(subject, data.near_misses, "near")
        same = write_pairs(subject, data.paraphrases, "same")
    return {
        "benchmark": "near_miss",
        "environment": environment() | {"embedder": embedder.name},
        "overall": _figures(near, same),
        "by_split": {
            split: _figures(_half(near, split), _half(same, split))
            for split in sorted({outcome.pair.split for outcome in (*near, *same)})
        },
        "by_category": _by_kind(near) | _by_kind(same),
        "questions": [
            *(outcome.to_json(expected_merge=False) for outcome in near),
            *(outcome.to_json(expected_merge=True) for outcome in same),
        ],
    }


def _figures(near: Sequence[PairOutcome], same: Sequence[PairOutcome]) -> dict[str, Any]:
    return {
        "near_misses": len(near),
        **_share("false_merge", [outcome.merged for outcome in near]),
        **_share("flagged", [outcome.flagged for outcome in near]),
        "paraphrases": len(same),
        **_share("merged", [outcome.merged for outcome in same]),
    }


def _half(outcomes: Sequence[PairOutcome], split: str) -> list[PairOutcome]:
    return [outcome for outcome in outcomes if outcome.pair.split == split]


def _share(name: str, outcomes: Sequence[bool]) -> dict[str, Any]:
    return {
        f"{name}_rate": metrics.mean([float(outcome) for outcome in outcomes]),
        f"{name}_interval95": metrics.wilson(sum(outcomes), len(outcomes)),
    }


def _by_kind(outcomes: Sequence[PairOutcome]) -> dict[str, dict[str, int]]:
    totals = Counter(outcome.pair.kind for outcome in outcomes)
    return {
        kind: {
            "n": total,
            "merged": sum(o.merged for o in outcomes if o.pair.kind == kind),
            "flagged": sum(o.flagged for o in outcomes if o.pair.kind == kind),
        }
        for kind, total in totals.items()
    }


def read_pairs(path: Path) -> PairSet:
    """Read pairs of the caller's own, in the shape of the shipped file.

    Raises:
        ConfigurationError: The file has another shape.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return PairSet(
            tuple(Pair(**item) for item in raw["near_misses"]),
            tuple(Pair(**item) for item in raw["paraphrases"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} holds no pairs: {error}") from error


def as_text(result: dict[str, Any], *, verbose: bool) -> str:
    """Return the report for a person."""
    lines = [f"near_miss: embedder {result['environment']['embedder']}"]
    for name, part in (*result["by_split"].items(), ("overall", result["overall"])):
        lines += [
            f"{name}: near misses {part['near_misses']}, merged {part['false_merge_rate']:.3f}",
            f"{name}: near misses {part['near_misses']}, flagged {part['flagged_rate']:.3f}",
            f"{name}: paraphrases {part['paraphrases']}, merged {part['merged_rate']:.3f}",
        ]
    lines += [
        f"  {kind:<12} n {part['n']:>3}  merged {part['merged']:>3}  flagged {part['flagged']:>3}"
        for kind, part in result["by_category"].items()
    ]
    if verbose:
        lines += [_failure(item) for item in result["questions"] if not item["passed"]]
    return "\n".join(lines)


def _failure(item: Mapping[str, Any]) -> str:
    return (
        f"{item['id']} {item['category']} cosine {item['cosine']:.3f} {item['reasons']}: "
        f"{item['first']} | {item['second']}"
    )


@click.command("near_miss", cls=Benchmark)
@click.option("--data", type=click.Path(path_type=Path), help="Pairs of your own.")
@common
def main(*, data: Path | None, options: Options) -> None:
    """Write pairs that must stay apart and pairs that say the same."""
    pairs = read_pairs(data) if data is not None else None
    result = run(options.make_embedder(), pairs, path=options.path)
    click.echo(as_text(result, verbose=options.verbose))
    options.save(result)
