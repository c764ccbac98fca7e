"""`token`: who may speak to the daemon, and about what."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from realmemory.api.grants import GrantBook
from realmemory.cli.session import Session, command_group, memory_command
from realmemory.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.api.grants import Grant


@command_group()
def token() -> None:
    """Hand out tokens for the daemon, each for its own scopes, and take them back."""


@token.command()
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="A scope it reaches.")
@click.option("--everything", is_flag=True, help="Let it reach every scope.")
@click.option("--write-global", is_flag=True, help="Let it write to global too.")
@click.option("--label", default="", help="What it is for.")
@memory_command
def mint(
    session: Session,
    *,
    scopes: Sequence[str],
    everything: bool,
    write_global: bool,
    label: str,
) -> None:
    """Make a token for the current project, or for the scopes that are named.

    It is shown once and never stored: only its digest is kept.
    """
    named = list(scopes) or [name for name in (session.scope(),) if name]
    if not named and not everything:
        raise InvalidInputError(
            "there is no project here; nothing was minted. Name one with --scope, or say "
            "--everything.",
            code="invalid_scope",
        )
    grant, secret = GrantBook(session.directory).mint(
        None if everything else named, label=label, writes_global=write_global
    )
    session.answer({"id": grant.id, "token": secret, **_shown(grant)}, [secret])


@token.command(name="list")
@memory_command
def list_tokens(session: Session) -> None:
    """List tokens by what they reach; the tokens themselves are not known any more."""
    grants = GrantBook(session.directory).all()
    lines = [
        f"{grant.id}  {time.strftime('%Y-%m-%d', time.gmtime(grant.created_at))}  "
        f"{_reach(grant)}  {grant.label}".rstrip()
        for grant in grants
    ]
    session.answer([{"id": grant.id, **_shown(grant)} for grant in grants], lines or ["no tokens"])


@token.command()
@click.argument("grant_id", metavar="ID")
@memory_command
def revoke(session: Session, grant_id: str) -> None:
    """Take a token back; a running daemon refuses it from the next request on."""
    grant = GrantBook(session.directory).revoke(grant_id)
    session.answer({"revoked": grant.id}, [f"revoked {grant.id}"])


def _shown(grant: Grant) -> dict[str, object]:
    return {
        "scopes": None if grant.scopes is None else list(grant.scopes),
        "writes_global": grant.writes_global,
        "label": grant.label,
        "created_at": grant.created_at,
    }


def _reach(grant: Grant) -> str:
    if grant.scopes is None:
        return "everything"
    return ", ".join(grant.scopes) + (" and global" if grant.writes_global else "")
