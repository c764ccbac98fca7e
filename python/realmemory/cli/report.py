"""`report` and `status`: is the memory healthy, and is it used?"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory.cli import exits
from realmemory.cli.output import age, counted, jsonable, one_line, size
from realmemory.cli.session import Session, memory_command
from realmemory.places import refuse_inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from realmemory.hippocampus import Hippocampus

_WAL_WARNING = 64 * 1024 * 1024
_MONTH = 30 * 86_400.0


@click.command("report")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write a page with pictures.")
@functools.partial(memory_command, json_file=True)
def write_report(session: Session, *, page: Path | None) -> None:
    """Show what is stored, how it is used, what is reinforced and what fades.

    --json FILE writes the figures to a file, --json alone prints them.
    """
    from realmemory import report  # noqa: PLC0415 - not needed for --help
    from realmemory.store.failures import written_beside  # noqa: PLC0415

    for target in (page, session.json_file):
        if target:
            refuse_inside(target, session.directory)
    with session.memory() as memory:
        figures = report.collect(memory)
    if page:
        with written_beside(page):
            page.write_text(report.page(figures), encoding="utf-8")
    if session.json_file:
        text = json.dumps(jsonable(figures), ensure_ascii=False, indent=2)
        with written_beside(session.json_file):
            session.json_file.write_text(text, encoding="utf-8")
    written = [f"wrote {item}" for item in (page, session.json_file) if item]
    session.answer(figures, [*_summary(figures), *written])


@click.command()
@click.option("--check", is_flag=True, help="Leave with 1 when something needs attention.")
@memory_command
def status(session: Session, *, check: bool) -> int:
    """Say on one screen whether the memory is healthy and used."""
    from realmemory import report  # noqa: PLC0415 - not needed for --help
    from realmemory.agents.spool import pending_errors, pending_notes  # noqa: PLC0415

    with session.memory() as memory:
        session.take_in(memory)
        figures = report.collect(memory)
        figures["discipline"]["hook_errors_waiting"] = pending_errors(str(session.directory))
        figures["discipline"]["hook_notes_waiting"] = pending_notes(str(session.directory))
        worries = _worries(memory, figures)
        value = {**_health(memory, figures), "worries": worries}
    lines = [*_summary(figures), ""]
    lines += [f"! {worry}" for worry in worries] or ["nothing needs attention"]
    session.answer(value, lines)
    return exits.ATTENTION if check and worries else exits.DONE


def _health(memory: Hippocampus, figures: Mapping[str, Any]) -> dict[str, Any]:
    from realmemory.flows.sleep import LAST_SLEEP  # noqa: PLC0415 - most commands need no sleep

    store = memory.context.store
    backups = store.backups()
    with store.read() as view:
        slept = view.meta.number(LAST_SLEEP)
        made = view.meta.number("created_at")
    return {
        "path": figures["path"],
        "created_at": made,
        "memories": figures["memories"],
        "recall": figures["recall"],
        "discipline": figures["discipline"],
        "disk_bytes": sum(figures["disk"].values()),
        "wal_bytes": store.wal_size(),
        "last_sleep": slept or None,
        "last_backup": backups[-1].created_at if backups else None,
        "embedder": memory.context.embedder.name,
    }


def _worries(memory: Hippocampus, figures: Mapping[str, Any]) -> list[str]:
    from realmemory.flows.examine import room  # noqa: PLC0415 - brings numpy

    health = _health(memory, figures)
    now = figures["at"]
    by_status = figures["memories"]["by_status"]
    worries = []
    if by_status["quarantined"]:
        worries.append(
            f"{by_status['quarantined']} memories are held back: "
            "see `realmemory list --status quarantined --all-scopes`, then `realmemory confirm`"
        )
    if figures["conflicts"]:
        worries.append(
            f"{figures['conflicts']} open conflicts: `realmemory revise` replaces what is outdated, "
            "`realmemory resolve` keeps what is true"
        )
    made = health["created_at"]
    if by_status["active"] > 100 and now - (health["last_sleep"] or made) > _MONTH:
        worries.append("no sleep for a month: run `realmemory sleep`, or install the hooks")
    if by_status["active"] > 100 and now - (health["last_backup"] or made) > _MONTH:
        worries.append("no backup for a month: run `realmemory backup create`")
    if health["wal_bytes"] > _WAL_WARNING:
        worries.append(f"the log has grown to {size(health['wal_bytes'])}: some reader holds it")
    disk = room(memory.context)
    if not disk.ok:
        worries.append(f"{disk.detail} on the disk: {disk.advice}")
    discipline = figures["discipline"]
    if discipline["recalls"] >= 50 and discipline["feedback_per_recall"] < 0.1:
        worries.append("recalled memories are hardly ever judged: `realmemory reflect` teaches")
    return [*worries, *_worries_of_hooks(memory, discipline, now)]


def _worries_of_hooks(
    memory: Hippocampus, discipline: Mapping[str, Any], now: float
) -> Iterator[str]:
    from realmemory.flows.examine import last_capture  # noqa: PLC0415 - brings numpy

    recent = now - (discipline["last_hook_error"] or 0) < _MONTH
    failed = discipline["hook_errors_waiting"] + (discipline["hook_errors"] if recent else 0)
    if failed:
        yield f"{failed} hooks failed: see `realmemory doctor agents`"
    if waiting := discipline["hook_notes_waiting"]:
        yield (
            f"{counted(waiting, 'note', 'notes')} of hooks not taken in: `realmemory sleep` does "
            "that, with --namespace for those of another"
        )
    capture = last_capture(memory.context)
    if not capture.ok:
        yield f"{capture.detail}: {capture.advice}"


def _of_no_use(idle: Mapping[str, Any]) -> str:
    reasons = (f"{count} {reason}" for reason, count in idle["reasons"].items() if count)
    return " - ".join(filter(None, (f"{idle['share']:.0%} so far", "; ".join(reasons))))


def _used(discipline: Mapping[str, Any], now: float) -> str:
    moments = {"asked": discipline["last_recall"], "written to": discipline["last_write"]}
    return ", ".join(
        f"last {verb} {age(now - moment)}" if moment else f"never {verb}"
        for verb, moment in moments.items()
    )


def _summary(figures: Mapping[str, Any]) -> list[str]:
    memories, recall = figures["memories"], figures["recall"]
    by_status = memories["by_status"]
    scopes = list(memories["by_scope"].items())
    discipline = figures["discipline"]
    rows = {
        "memories": f"{by_status['active']} live, {by_status['superseded']} superseded, "
        f"{by_status['archived']} archived, {by_status['quarantined']} held back",
        "kinds": ", ".join(f"{count} {kind}" for kind, count in memories["by_kind"].items()),
        "scopes": ", ".join(f"{one_line(name, 30)} {count}" for name, count in scopes[:8]),
        "gate": ", ".join(f"{count} {name}" for name, count in figures["gate"].items()),
        "recalls": f"{recall['recalls']}, {recall['abstained_share']:.0%} abstained, "
        f"p50 {recall['p50_ms']:.1f} ms, p95 {recall['p95_ms']:.1f} ms",
        "used": _used(discipline, figures["at"]),
        "feedback": f"{discipline['feedbacks']}, "
        f"{discipline['feedback_per_recall']:.2f} for each recall",
        "graph": f"{figures['edges']} associations, {figures['conflicts']} open conflicts",
        "fading": f"{figures['retention']['fading']} below a retention of 0.2",
        "of no use": _of_no_use(figures["idle"]),
    }
    lines = [f"{figures['path']}  ({size(sum(figures['disk'].values()))})"]
    lines += [f"{name:<10} {text or 'none'}" for name, text in rows.items()]
    if figures["sleeps"]:
        lines.append(f"last sleep {age(figures['at'] - figures['sleeps'][-1]['at'])}")
    return lines + [
        f"strongest  #{row['id']} x{row['reinforced']}  {one_line(row['text'], 60)}"
        for row in figures["strongest"][:3]
    ]
