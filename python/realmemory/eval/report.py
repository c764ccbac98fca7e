"""The result of a run: as JSON, as a table, and compared with a saved run."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from realmemory.errors import ConfigurationError
from realmemory.eval import metrics, scoring
from realmemory.eval.measure import environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from realmemory.eval.scoring import Answer

_COLUMNS = ("n", "hit@1", "hit@5", "hit@10", "hit@50", "mrr", "abstained", "lost", "forbidden")
_KEPT_IN_JSON = 10


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run found out.

    ``controls`` hold the answers of the baselines to the same questions; ``details`` whatever
    belongs to this benchmark alone.
    """

    name: str
    answers: Sequence[Answer]
    ks: Sequence[int]
    subject: Mapping[str, str]
    controls: Mapping[str, Sequence[Answer]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the report in its documented shape, ready for JSON."""
        return {
            "benchmark": self.name,
            "environment": environment() | dict(self.subject),
            "overall": scoring.summarise(self.answers, self.ks),
            "by_category": scoring.by_group(self.answers, self.ks),
            "abstention": scoring.abstention_figures(self.answers),
            "confidence": scoring.confidence_figures(self.answers),
            "injection": scoring.injection_figures(self.answers),
            "latency": scoring.latency_figures(self.answers),
            "controls": {
                name: {
                    "overall": scoring.summarise(answers, self.ks),
                    "by_category": scoring.by_group(answers, self.ks),
                    "mcnemar": _paired(self.answers, answers, _judged_k(self.ks)),
                }
                for name, answers in self.controls.items()
            },
            "details": dict(self.details),
            "questions": [_question(answer, self.ks) for answer in self.answers],
        }

    def to_text(self) -> str:
        """Return the report as tables for a person."""
        result = self.to_json()
        rows = [("overall", result["overall"]), *result["by_category"].items()]
        rows += [(f"{name} alone", part["overall"]) for name, part in result["controls"].items()]
        lines = [f"{self.name}: {', '.join(f'{k} {v}' for k, v in self.subject.items())}", ""]
        lines += table(rows)
        lines += ["", *_interval_lines(result["overall"])]
        shown = result["injection"]
        lines.append(
            f"of {shown['shown']} hits shown (top 5), {shown['precision']:.3f} to the point"
        )
        lines += [_latency_line(name, part) for name, part in result["latency"].items()]
        return "\n".join(lines)

    def failures(self, k: int) -> list[str]:
        """Return one line for each question that was not answered right."""
        return [_failure(answer, k) for answer in self.answers if not answer.passes(k)]


def write_json(report: Mapping[str, Any], path: Path) -> None:
    """Write a report; not-a-number becomes null, as JSON has no word for it."""
    text = json.dumps(_without_nan(report), ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def compare(report: Mapping[str, Any], saved: Path) -> dict[str, Any]:
    """Compare with a saved run, question by question.

    Returns:
        The number of questions only one of the two passed and McNemar's exact p-value.

    Raises:
        ConfigurationError: The file is no report, or shares no question with this run.
    """
    try:
        before = json.loads(saved.read_text(encoding="utf-8"))
        old = {item["id"]: bool(item["passed"]) for item in before["questions"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{saved} is not a saved report: {error}") from error
    new = {item["id"]: bool(item["passed"]) for item in report["questions"]}
    shared = sorted(old.keys() & new.keys())
    if not shared:
        raise ConfigurationError(f"{saved} holds none of this run's questions")
    gained = [i for i in shared if new[i] and not old[i]]
    lost = [i for i in shared if old[i] and not new[i]]
    return {
        "saved": str(saved),
        "questions": len(shared),
        "gained": gained,
        "lost": lost,
        "p": metrics.mcnemar(len(lost), len(gained)),
    }


def table(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Return aligned lines; columns that no row fills are left out."""
    columns = [name for name in _COLUMNS if any(name in figures for _, figures in rows)]
    width = max(len(name) for name, _ in rows)
    lines = [" " * width + "".join(f"{column:>11}" for column in columns)]
    for name, figures in rows:
        cells = "".join(f"{_cell(figures.get(column)):>11}" for column in columns)
        lines.append(f"{name:<{width}}{cells}")
    return lines


def _cell(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _interval_lines(overall: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}: {overall[name]:.3f}  95 % interval [{low:.3f}, {high:.3f}]"
        for name, (low, high) in overall["interval95"].items()
    ]


def _latency_line(name: str, part: Mapping[str, float]) -> str:
    return (
        f"recall, {name}: wall p50 {part['wall_ms_p50']:.2f} ms, p95 {part['wall_ms_p95']:.2f} ms; "
        f"CPU p50 {part['cpu_ms_p50']:.2f} ms, p95 {part['cpu_ms_p95']:.2f} ms"
    )


def _question(answer: Answer, ks: Sequence[int]) -> dict[str, Any]:
    return {
        "id": answer.id,
        "category": answer.category,
        "query": answer.query,
        **answer.tags,
        "gold": sorted(answer.gold),
        "ranking": list(answer.ranking[:_KEPT_IN_JSON]),
        "confidences": [round(value, 6) for value in answer.confidences[:_KEPT_IN_JSON]],
        "rank": answer.rank,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "forbidden_returned": list(answer.returned_forbidden),
        "passed": answer.passes(_judged_k(ks)),
        **{f"hit@{k}": metrics.hit_at(answer.ranking, answer.gold, k) for k in ks},
        "wall_ms": round(answer.wall_ms, 4),
        "cpu_ms": round(answer.cpu_ms, 4),
    }


def _judged_k(ks: Sequence[int]) -> int:
    return 10 if 10 in ks else max(ks)


def _paired(first: Sequence[Answer], second: Sequence[Answer], k: int) -> dict[str, Any]:
    """Compare hits (not abstentions, which the baselines do not offer) of two systems."""
    pairs = [
        (bool(metrics.hit_at(a.ranking, a.gold, k)), bool(metrics.hit_at(b.ranking, b.gold, k)))
        for a, b in zip(first, second, strict=True)
        if a.gold
    ]
    only_first = sum(a and not b for a, b in pairs)
    only_second = sum(b and not a for a, b in pairs)
    return {
        "only_memory": only_first,
        "only_control": only_second,
        "p": metrics.mcnemar(only_first, only_second),
    }


def _failure(answer: Answer, k: int) -> str:
    got = ", ".join(answer.ranking[:k]) or f"abstained ({answer.reason})"
    wanted = ", ".join(sorted(answer.gold)) or "nothing"
    return f"{answer.id} {answer.category}: {answer.query!r} wanted {wanted}, got {got}"


def _without_nan(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return value
