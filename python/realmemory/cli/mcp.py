"""`mcp`: the memory as an MCP server on standard input and output."""

from __future__ import annotations

import click

from realmemory.agents.quoting import one_line
from realmemory.cli.session import Session, memory_command


@click.command()
@click.option(
    "--embedder",
    type=click.Choice(["auto", "local", "hashing"]),
    default="auto",
    show_default=True,
    help="Embedder of a new memory; an existing one keeps its own.",
)
@click.option("--no-daemon", is_flag=True, help="Do not use a running daemon.")
@click.option(
    "--author",
    envvar="REALMEMORY_AUTHOR",
    default="",
    help="Who writes, where several people share a memory.",
)
@memory_command
def mcp(session: Session, *, embedder: str, no_daemon: bool, author: str) -> None:
    """Serve the memory to a coding agent over MCP; agents start this themselves."""
    from realmemory.api.stdio import StdioOptions, serve  # noqa: PLC0415 - needs the extra mcp

    serve(
        StdioOptions(
            directory=str(session.directory),
            namespace=session.namespace,
            project=session.project,
            embedder=None if embedder == "auto" else embedder,
            daemon=not no_daemon,
            author=one_line(author, 64),
        )
    )
