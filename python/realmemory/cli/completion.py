"""`completion`: the script that teaches a shell our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "fish", "zsh"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash  eval "$(realmemory completion bash)" in ~/.bashrc
    zsh   eval "$(realmemory completion zsh)" in ~/.zshrc
    fish  realmemory completion fish > ~/.config/fish/completions/realmemory.fish
    """  # noqa: D301 - \b is click's mark for a block that must not be re-wrapped
    kind = get_completion_class(shell)
    if kind is not None:
        click.echo(kind(ctx.find_root().command, {}, "realmemory", "_REALMEMORY_COMPLETE").source())
