"""One picture of a report: hits by category, reliability, risk against coverage."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def draw(report: Mapping[str, Any], path: Path) -> None:
    """Write the picture in the format that the file's name says.

    Raises:
        ConfigurationError: The extra ``bench`` is not installed, or the format is unknown.
    """
    try:
        figure_module = importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise ConfigurationError(
            "pictures need matplotlib: pip install 'realmemory[bench]'. "
            "The report itself is complete without it."
        ) from error
    figure = figure_module.Figure(figsize=(15, 4.5), layout="constrained")
    bars, reliability, risk = figure.subplots(1, 3)
    _bars(bars, report)
    _reliability(reliability, report["confidence"])
    _risk(risk, report["abstention"])
    figure.suptitle(f"{report['benchmark']}, {report['environment'].get('embedder', '')}")
    try:
        figure.savefig(path)
    except ValueError as error:
        raise ConfigurationError(
            f"the picture cannot be written as {path.name}: {error}"
        ) from error


def _bars(axes: Any, report: Mapping[str, Any]) -> None:  # noqa: ANN401 - an optional dependency
    rows = [(name, part) for name, part in report["by_category"].items() if "hit@10" in part]
    names = [name for name, _ in rows]
    values = [part["hit@10"] for _, part in rows]
    intervals = [part["interval95"]["hit@10"] for _, part in rows]
    # Rounding may put a bound a hair on the wrong side of a share of 0 or 1.
    errors = [
        [max(0.0, value - low) for value, (low, _) in zip(values, intervals, strict=True)],
        [max(0.0, high - value) for value, (_, high) in zip(values, intervals, strict=True)],
    ]
    axes.barh(names, values, xerr=errors, color="#0072b2", ecolor="#555555", capsize=3)
    axes.set(title="hit@10 with 95 % interval", xlim=(0, 1))
    axes.invert_yaxis()


def _reliability(axes: Any, confidence: Mapping[str, Any]) -> None:  # noqa: ANN401 - as above
    rows = confidence["reliability"]
    axes.plot([0, 1], [0, 1], color="#999999", linestyle="--")
    axes.plot(
        [row["confidence"] for row in rows],
        [row["accuracy"] for row in rows],
        marker="o",
        color="#d55e00",
    )
    axes.set(
        title="reliability", xlabel="confidence", ylabel="share right", xlim=(0, 1), ylim=(0, 1)
    )


def _risk(axes: Any, abstention: Mapping[str, Any]) -> None:  # noqa: ANN401 - as above
    points = abstention["risk_coverage"]
    axes.plot(
        [point["coverage"] for point in points],
        [point["risk"] for point in points],
        drawstyle="steps-post",
        color="#009e73",
    )
    axes.set(
        title="risk against coverage", xlabel="answered", ylabel="wrong", xlim=(0, 1), ylim=(0, 1)
    )
