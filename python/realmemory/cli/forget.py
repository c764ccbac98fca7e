"""`forget` and `restore`: out of recall, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from realmemory.cli.output import counted
from realmemory.cli.session import Session, memory_command, memory_ids
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.outcomes import ForgetReceipt


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--hard", is_flag=True, help="Delete for good: no restore.")
@click.option(
    "--backups",
    type=click.Choice(["keep", "rewrite"]),
    default="keep",
    show_default=True,
    help="With --hard: whether backups are written anew without them.",
)
@click.option("--yes", is_flag=True, help="Do not ask before deleting for good.")
@memory_command
def forget(session: Session, ids: Sequence[str], *, hard: bool, backups: str, yes: bool) -> None:
    """Take memories out of recall; `restore` brings them back unless --hard deleted them."""
    numbers = memory_ids(ids)
    if backups == "rewrite" and not hard:
        raise click.UsageError("--backups rewrite goes with --hard: else nothing leaves the store")
    if hard and not yes:
        if session.as_json:
            raise click.UsageError("--hard deletes for good: confirm it with --yes")
        click.confirm(
            f"Delete {counted(len(numbers), 'memory', 'memories')} for good?", abort=True, err=True
        )
    with session.memory() as memory:
        receipt = memory.forget(numbers, hard=hard, backups=backups)
        if receipt.remaining_copies:
            from realmemory.team import Team  # noqa: PLC0415 - hardly ever needed

            receipt = Team(memory).erased(receipt)
    session.answer(receipt, _receipt(receipt))


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@memory_command
def restore(session: Session, ids: Sequence[str]) -> None:
    """Bring forgotten and faded memories back into recall.

    A superseded one is current again once all that came after it was forgotten.
    """
    numbers = memory_ids(ids)
    with session.memory() as memory:
        count = memory.restore(numbers)
        rest = (
            [memory.get(number) for number in dict.fromkeys(numbers)]
            if count < len(numbers)
            else []
        )
    lines = [
        f"#{trace.id} was superseded: forget all that came after it first, or revise the last "
        f"(`realmemory history {trace.id}` shows them)"
        for trace in rest
        if trace.status is Status.SUPERSEDED
    ]
    session.answer({"restored": count}, [f"restored {count}", *lines])


def _receipt(receipt: ForgetReceipt) -> list[str]:
    verb = "deleted" if receipt.hard else "forgotten"
    lines = [f"{verb}: {_listed(receipt.forgotten)}"] if receipt.forgotten else []
    if receipt.already_forgotten:
        lines.append(f"already forgotten: {_listed(receipt.already_forgotten)}")
    lines += [
        f"#{item} was before it: `realmemory restore {item}` makes it current again"
        for item in receipt.uncovered
    ]
    if receipt.remaining_copies:
        lines.append("copies that still hold the text:")
        lines += [f"  {copy}" for copy in receipt.remaining_copies]
    return lines or ["nothing to forget"]


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(f"#{item}" for item in ids)
