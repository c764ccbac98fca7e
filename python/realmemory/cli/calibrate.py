"""`calibrate`: let a memory's own feedback refine its confidences."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from realmemory.cli.output import table
from realmemory.cli.session import Session, memory_command

if TYPE_CHECKING:
    from realmemory.flows.calibrate import Calibration


@click.command()
@click.option("--apply", is_flag=True, help="Change the constants that are shown.")
@memory_command
def calibrate(session: Session, *, apply: bool) -> None:
    """Show what the memory's own feedback says about its confidences, and change nothing.

    Hits that were judged with `reflect` within an hour are compared with the confidence they were
    shown with. With --apply the constants change for good; the journal keeps what they were, and
    the order of hits stays the same.
    """
    from realmemory.flows.calibrate import propose  # noqa: PLC0415 - brings numpy

    with session.memory() as memory:
        found = propose(memory.context)
        if apply and found.changes:
            memory.reconfigure(**{name: new for name, (_, new) in found.changes.items()})
    value = {
        "judged": found.judged,
        "helped": found.helped,
        "fit": asdict(found.fit) if found.fit else None,
        "changes": found.changes,
        "applied": bool(apply and found.changes),
    }
    session.answer(value, _told(found, applied=apply))


def _told(found: Calibration, *, applied: bool) -> list[str]:
    lines = [f"{found.judged} judged hits, {found.helped} of them helped"]
    if found.fit is None:
        wanted = (
            f"too few to learn from: at least {found.needed} more, helpful and unhelpful ones; "
            "`realmemory reflect ID... --reward` judges what was recalled"
        )
        return [*lines, wanted]
    rows = [
        ("log loss", f"{found.fit.loss_before:.4f}", f"{found.fit.loss_after:.4f}"),
        ("calibration error", f"{found.fit.error_before:.4f}", f"{found.fit.error_after:.4f}"),
        *((name, f"{old:.4f}", f"{new:.4f}") for name, (old, new) in found.changes.items()),
    ]
    lines += ["", *table(("on hits held out", "now", "then"), rows), ""]
    if not found.changes:
        return [*lines, "nothing to change: the confidences are as good as the feedback can tell"]
    return [*lines, "changed" if applied else "nothing was changed; --apply changes it"]
