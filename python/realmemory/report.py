"""What a memory holds, how it is used and what fades: figures, a text and a page with pictures.

``python -m realmemory.report --path DIR [--json FILE] [--html FILE]`` is ``realmemory report``.
"""

from __future__ import annotations

import html
import math
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from realmemory.clock import DAY
from realmemory.flows.browse import FADING
from realmemory.policies.decay import retention_of
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from realmemory.hippocampus import Hippocampus
    from realmemory.store.records import Event

_WRITES = (
    "write",
    "conversation",
    "supersede",
    "resolve",
    "confirm",
    "reject",
    "forget",
    "restore",
    "pin",
    "unpin",
    "link",
    "rename_project",
    "merge_projects",
)
"""Events of somebody who changes the memory; what it does by itself and learns of use is none."""
_PAGE = 1000
_SHOWN = 10
_OLD = 30 * DAY
"""Age at which a memory had its chance to be of use."""
_OFTEN = 5
"""Times shown after which a memory that nobody used had its chance."""


def collect(memory: Hippocampus) -> dict[str, Any]:
    """Return every figure of the report, ready for JSON."""
    stats = memory.stats()
    use = _use(memory)
    return {
        "path": str(memory.path),
        "at": memory.context.clock.now(),
        "memories": {
            "by_status": {status.value: stats[f"memories_{status}"] for status in Status},
            "by_kind": {kind.value: stats[f"kind_{kind}"] for kind in Kind},
            "by_scope": dict(sorted(stats["scopes"].items(), key=lambda item: -item[1])),
        },
        "gate": {action.value: count for action, count in stats["decisions"].items()},
        "edges": stats["edges"],
        "conflicts": stats["conflicts"],
        "recall": use["recall"],
        "discipline": use["discipline"],
        "growth": use["growth"],
        "sleeps": use["sleeps"],
        "events": use["events"],
        **_strength(memory),
        "idle": _idle(memory, stats),
        "disk": _disk(memory.path),
    }


def _use(memory: Hippocampus) -> dict[str, Any]:
    latencies: list[float] = []
    reasons: Counter[str] = Counter()
    growth: defaultdict[str, Counter[str]] = defaultdict(Counter)
    counts: Counter[str] = Counter()
    sleeps: list[dict[str, Any]] = []
    last: dict[str, float] = {}
    for event in _events(memory):
        counts[event.type] += 1
        last[event.type] = max(event.ts, last.get(event.type, event.ts))
        if event.type == "recall":
            latencies.append(float(event.data["latency_ms"]))
            if event.data["abstained"]:
                reasons[str(event.data.get("reason"))] += 1
        elif event.type == "write":
            growth[_day(event.ts)][str(event.data["action"])] += 1
        elif event.type == "consolidate":
            sleeps.append({"at": event.ts, **event.data})
    recalls = len(latencies)
    return {
        "recall": {
            "recalls": recalls,
            "abstained": sum(reasons.values()),
            "abstained_share": sum(reasons.values()) / recalls if recalls else 0.0,
            "reasons": dict(reasons),
            "p50_ms": _quantile(latencies, 0.5),
            "p95_ms": _quantile(latencies, 0.95),
        },
        "discipline": {
            "recalls": recalls,
            "feedbacks": counts["feedback"],
            "feedback_per_recall": counts["feedback"] / recalls if recalls else 0.0,
            "hook_errors": counts["hook_error"],
            "last_recall": last.get("recall"),
            "last_write": max((last[kind] for kind in _WRITES if kind in last), default=None),
            "last_hook_error": last.get("hook_error"),
        },
        "growth": [{"day": day, **growth[day]} for day in sorted(growth)],
        "sleeps": sleeps[-50:],
        "events": dict(sorted(counts.items())),
    }


def _events(memory: Hippocampus) -> Iterator[Event]:
    after = 0
    while True:
        with memory.context.store.read() as view:
            page = view.journal.page(after=after, limit=_PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].seq


def _strength(memory: Hippocampus) -> dict[str, Any]:
    """Return what was strengthened most and what fades, in one walk over the live memories."""
    context = memory.context
    now = context.clock.now()
    bins = [0] * 10
    fading: list[tuple[float, int]] = []
    used: list[tuple[int, int]] = []
    with context.store.read() as view:
        for state in (state for kind in Kind for state in view.traces.each_state(kind)):
            value = retention_of(context.config, state, now)
            bins[min(9, int(value * 10))] += 1
            if value < FADING:
                fading.append((value, state.id))
            if state.reinforced_count:
                used.append((-state.reinforced_count, state.id))
        soon, best = sorted(fading, reverse=True)[:_SHOWN], sorted(used)[:_SHOWN]
        texts = view.traces.get_many(item for _, item in (*soon, *best))
    return {
        "strongest": [
            {"id": item, "reinforced": -less, "text": texts[item].text}
            for less, item in best
            if item in texts
        ],
        "retention": {
            "histogram": bins,
            "fading": len(fading),
            "fading_next": [
                {"id": item, "retention": value, "text": texts[item].text}
                for value, item in soon
                if item in texts
            ],
        },
    }


def _idle(memory: Hippocampus, stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return how much of the memory is of no use, by reason."""
    context = memory.context
    with context.store.read() as view:
        unseen, unused = view.usage.idle(context.clock.now() - _OLD, _OFTEN)
        # Where nobody ever says what helped, nothing can be said of what did not.
        unused = unused if view.usage.totals()[1] else 0
    reasons = {
        "old, never in an answer": unseen,
        "shown often, never used": unused,
        "faded or forgotten": stats[f"memories_{Status.ARCHIVED}"],
        "held back": stats[f"memories_{Status.QUARANTINED}"],
    }
    total = sum(stats[f"memories_{status}"] for status in Status) - stats[f"kind_{Kind.TURN}"]
    share = min(1.0, sum(reasons.values()) / total) if total > 0 else 0.0
    return {"reasons": reasons, "share": share}


def _disk(folder: Path) -> dict[str, int]:
    sizes: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file():
            part = path.relative_to(folder).parts[0]
            sizes[part] += path.stat().st_size
    return dict(sorted(sizes.items()))


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank quantile, 0 for no values."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def page(figures: Mapping[str, Any]) -> str:
    """Return the report as one self-contained HTML page with inline pictures."""
    memories, recall = figures["memories"], figures["recall"]
    sections = [
        _section("Memories by scope", _bars(memories["by_scope"])),
        _section("By kind", _bars(memories["by_kind"])),
        _section("By status", _bars(memories["by_status"])),
        _section("Decisions of the gate", _bars(figures["gate"])),
        _section("Written, by day", _bars({row["day"]: _total(row) for row in figures["growth"]})),
        _section("Retention of live memories", _bars(_labelled(figures["retention"]))),
        _section("Archived at each sleep", _line([s["archived"] for s in figures["sleeps"]])),
        _section("Most reinforced", _listed(figures["strongest"], "reinforced")),
        _section("Fading next", _listed(figures["retention"]["fading_next"], "retention")),
        _section("Of no use so far", _bars(figures["idle"]["reasons"])),
        _section("Disk, bytes", _bars(figures["disk"])),
    ]
    tiles = {
        "live memories": memories["by_status"]["active"],
        "recalls": recall["recalls"],
        "abstained": f"{recall['abstained_share']:.0%}",
        "p50": f"{recall['p50_ms']:.1f} ms",
        "p95": f"{recall['p95_ms']:.1f} ms",
        "feedback per recall": f"{figures['discipline']['feedback_per_recall']:.2f}",
        "open conflicts": figures["conflicts"],
        "hook errors": figures["discipline"]["hook_errors"],
    }
    head = "".join(
        f"<div class=tile><b>{html.escape(str(value))}</b><span>{html.escape(name)}</span></div>"
        for name, value in tiles.items()
    )
    return _PAGE_HTML.format(
        when=html.escape(datetime.fromtimestamp(figures["at"], UTC).isoformat(" ", "minutes")),
        path=html.escape(figures["path"]),
        tiles=head,
        sections="".join(sections),
    )


def _total(row: Mapping[str, Any]) -> int:
    return sum(value for name, value in row.items() if name != "day")


def _labelled(retention: Mapping[str, Any]) -> dict[str, int]:
    return {f"{n / 10:.1f} to {(n + 1) / 10:.1f}": c for n, c in enumerate(retention["histogram"])}


def _section(title: str, body: str) -> str:
    return f"<section><h2>{html.escape(title)}</h2>{body}</section>"


def _bars(values: Mapping[str, float]) -> str:
    """Return a horizontal bar chart; labels are escaped, widths are shares of the largest."""
    shown = list(values.items())[-24:]
    if not any(value for _, value in shown):
        return "<p>nothing yet</p>"
    largest = max(value for _, value in shown)
    rows = []
    for place, (name, value) in enumerate(shown):
        y, width = place * 24, 320 * value / largest
        label = html.escape(name if len(name) <= 26 else name[:25] + "…")
        rows.append(
            f'<text x="190" y="{y + 16}" text-anchor="end">{label}</text>'
            f'<rect x="200" y="{y + 4}" width="{width:.1f}" height="16" rx="3"/>'
            f'<text x="{206 + width:.1f}" y="{y + 16}">{value:,}</text>'
        )
    return f'<svg viewBox="0 0 620 {len(shown) * 24}" role="img">{"".join(rows)}</svg>'


def _line(values: Sequence[float]) -> str:
    if len(values) < 2:
        return "<p>fewer than two sleeps yet</p>"
    largest = max(*values, 1)
    step = 580 / (len(values) - 1)
    points = " ".join(
        f"{20 + n * step:.1f},{110 - 90 * value / largest:.1f}" for n, value in enumerate(values)
    )
    return (
        f'<svg viewBox="0 0 620 130" role="img"><polyline points="{points}"/>'
        f'<text x="20" y="126">oldest</text><text x="600" y="126" text-anchor="end">newest</text>'
        f'<text x="20" y="14">{largest:g}</text></svg>'
    )


def _listed(rows: Sequence[Mapping[str, Any]], figure: str) -> str:
    if not rows:
        return "<p>none</p>"
    cells = "".join(
        f"<tr><td>#{row['id']}</td><td>{row[figure]:.3g}</td>"
        f"<td>{html.escape(str(row['text'])[:200])}</td></tr>"
        for row in rows
    )
    return f"<table><tr><th>id</th><th>{html.escape(figure)}</th><th>text</th></tr>{cells}</table>"


_PAGE_HTML = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>realMemory report</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; --line: #8886; --bar: #4a7fb5; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; margin-bottom: 0; }} h2 {{ font-size: 1rem; margin: 0 0 .5rem; }}
.tiles {{ display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; }}
.tile {{ border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; min-width: 7rem; }}
.tile b {{ display: block; font-size: 1.3rem; }}
main {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem; }}
section {{ border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; overflow-x: auto; }}
svg {{ width: 100%; }} svg text {{ font-size: 12px; fill: currentColor; }}
rect {{ fill: var(--bar); }} polyline {{ fill: none; stroke: var(--bar); stroke-width: 2; }}
table {{ border-collapse: collapse; width: 100%; }} td, th {{ text-align: left; padding: .2rem .5rem; }}
tr + tr td {{ border-top: 1px solid var(--line); }}
</style></head><body>
<h1>realMemory</h1><p>{path}, {when} UTC</p>
<div class="tiles">{tiles}</div><main>{sections}</main>
</body></html>
"""


if __name__ == "__main__":
    from realmemory.cli.root import run

    raise SystemExit(run(["report", *sys.argv[1:]]))
