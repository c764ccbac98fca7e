"""The root command: finds commands on use, keeps the streams sane, maps errors to exit codes."""

from __future__ import annotations

import difflib
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from realmemory.cli import exits
from realmemory.cli.output import emit_json, safe
from realmemory.cli.registry import ALIASES, OPTIONS, entry_of, names, overview
from realmemory.cli.session import shared_options
from realmemory.errors import RealMemoryError
from realmemory.switches import is_on

if TYPE_CHECKING:
    from collections.abc import Sequence


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every command name."""
        del ctx
        return names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command, or return ``None`` for an unknown name."""
        del ctx
        entry = entry_of(cmd_name)
        if entry is None:
            return None
        module, attribute, _ = entry
        command: click.Command = getattr(import_module(f"realmemory.cli.{module}"), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and entry_of(args[0]) is None and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], [*names(), *ALIASES], n=1, cutoff=0.5)
            hint = f" Did you mean `{near[0]}`?" if near else " See `realmemory --help`."
            raise click.UsageError(f"There is no command {safe(args[0])[:60]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click has it
        """Run the command; a reader that went away (`| head`) is not an error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _abandon_stdout()
            return exits.DONE

    def get_help(self, ctx: click.Context) -> str:
        """Return the overview, made from the registry alone."""
        del ctx
        return overview().rstrip()


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value:
        from realmemory import __version__  # noqa: PLC0415 - loads the compiled engine

        click.echo(f"realmemory {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@shared_options
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help=OPTIONS["--version"],
)
@click.pass_context
def root(ctx: click.Context, /, **shared: Any) -> None:  # noqa: ANN401 - click passes what it parsed
    """Speak to a persistent, local-first memory."""
    ctx.obj = shared


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line.

    Args:
        arguments: Words after the program name; those of the process when missing.

    Returns:
        The exit code, see :data:`realmemory.cli.exits.MEANINGS`.
    """
    _use_utf8()
    words = [_decoded(word) for word in (sys.argv[1:] if arguments is None else arguments)]
    as_json = "--json" in words
    try:
        code = root.main(words, prog_name="realmemory", standalone_mode=False)
        _flush()
    except RealMemoryError as error:
        return _fail(error.code, error.message, exits.exit_code_of(error), as_json=as_json)
    except click.ClickException as error:
        return _usage(error, as_json=as_json)
    except (click.Abort, KeyboardInterrupt):
        return exits.INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return exits.DONE
    except OSError as error:
        if error.filename is None:
            # It may be the output itself that cannot be written.
            _abandon_stdout()
        return _refused_by_system(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the process boundary: no traceback for a user
        return _crashed(error, as_json=as_json)
    return code if isinstance(code, int) else exits.DONE


def _usage(error: click.ClickException, *, as_json: bool) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        if not as_json:
            click.echo(error.format_message(), err=True)
            return exits.INPUT
        error = click.UsageError("a command is missing: --help lists them")
    if isinstance(error, click.UsageError) and error.ctx is not None and not as_json:
        click.echo(error.ctx.get_usage(), err=True)
    return _fail("usage", safe(error.format_message()), exits.INPUT, as_json=as_json)


def _refused_by_system(error: OSError, *, as_json: bool) -> int:
    """Say which file the system refused, in the terms of the exit codes."""
    from realmemory.store.failures import (  # noqa: PLC0415 - only a failing call needs it
        FULL_ERRNOS,
        READ_ONLY_ERRNOS,
        WRONG_NAME_ERRNOS,
    )

    where = safe(str(error.filename)) if error.filename else "the output"
    message = f"{where}: {error.strerror or error}. What was acknowledged before is safe."
    if error.errno in FULL_ERRNOS:
        told = f"{message} Free space, or write to another disk."
        return _fail("disk_full", told, exits.FULL, as_json=as_json)
    if error.errno in READ_ONLY_ERRNOS:
        told = f"{message} Fix its permissions, or name another file."
        return _fail("read_only", told, exits.READ_ONLY, as_json=as_json)
    if error.errno in WRONG_NAME_ERRNOS:
        told = f"{message} Name another file."
        return _fail("usage", told, exits.INPUT, as_json=as_json)
    return _crashed(error, as_json=as_json)


def _crashed(error: Exception, *, as_json: bool) -> int:
    if is_on("REALMEMORY_DEBUG"):
        raise error
    message = (
        f"internal error: {type(error).__name__}: {safe(str(error))[:300]}. This is a fault of "
        "realMemory. What was acknowledged before is safe; `realmemory verify` checks the store. "
        "Set REALMEMORY_DEBUG=1 for the traceback."
    )
    return _fail("internal", message, exits.INTERNAL, as_json=as_json)


def _fail(code: str, message: str, status: int, *, as_json: bool) -> int:
    with suppress(BrokenPipeError):
        if as_json:
            emit_json({"error": {"code": code, "message": message}})
        else:
            click.echo(f"realmemory: {safe(message)} [{code}]", err=True)
    return status


def _use_utf8() -> None:
    """Speak UTF-8 whatever the locale or the code page says."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _decoded(word: str) -> str:
    """Return an argument as the UTF-8 that was typed, where the locale read its bytes wrongly."""
    if not any("\udc80" <= char <= "\udcff" for char in word):
        return word
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        return word


def _flush() -> None:
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def _abandon_stdout() -> None:
    """Leave quietly when the reader went away: the interpreter would flush once more at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
