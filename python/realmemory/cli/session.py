"""What every command shares: which memory, which project, and how to answer."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from realmemory.agents.project import claim, detect_project
from realmemory.agents.registry import ProjectRegistry, nearest_names, unknown_project
from realmemory.cli.output import emit_json, say
from realmemory.cli.registry import OPTIONS
from realmemory.errors import InvalidInputError, StoreReadOnlyError
from realmemory.instants import parse_instant
from realmemory.places import checked_path, data_directory
from realmemory.scopes import GLOBAL_SCOPE, scope_key, validate_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from realmemory.agents.daemon import DaemonRecord
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.hippocampus import Hippocampus
    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths

_SHARED = ("path", "namespace", "project", "as_json")


@dataclass(frozen=True, slots=True)
class Session:
    """The memory that one call of a command speaks to."""

    path: Path | None
    namespace: str | None
    project: str | None
    as_json: bool
    json_file: Path | None = None

    @property
    def directory(self) -> Path:
        """The directory of the memory, before the namespace."""
        return Path(checked_path(data_directory(self.path)))

    @property
    def store_directory(self) -> Path:
        """The folder of the database itself."""
        if self.namespace is None:
            return self.directory
        return self.directory / validate_scope(self.namespace)

    @contextmanager
    def memory(
        self,
        *,
        embedder: EmbeddingProvider | None = None,
        read_only: bool = False,
        create: bool = False,
    ) -> Iterator[Hippocampus]:
        """Open the memory for the time of a ``with`` block.

        When a daemon serves it, what needs the model is asked of the daemon, so that the model is
        in memory once; see :mod:`realmemory.api.facade`.

        Args:
            embedder: One to change to; the store's own when missing.
            read_only: Write nothing, not even the counters of recalls.
            create: Make the memory if there is none; a mistyped path is an error otherwise. Who
                makes one writes to it, so what hooks left is taken in first.

        Raises:
            RealMemoryError: The store cannot be opened.
        """
        record = None if embedder is not None or read_only else self._daemon()
        if record is not None:
            from realmemory.api.facade import DaemonMemory  # noqa: PLC0415 - only beside a daemon

            with DaemonMemory(record, self._opened) as shared:
                yield cast("Hippocampus", shared)
            return
        if not create:
            self._refuse_absent()
        with self._opened(embedder=embedder, read_only=read_only) as memory:
            if create and embedder is None:
                self.take_in(memory)
            yield memory

    def opened(self, key: Key | str | None = None) -> Hippocampus:
        """Open the memory in this process, with a key or, for the empty text, without one."""
        from realmemory.hippocampus import Hippocampus  # noqa: PLC0415 - brings numpy

        return Hippocampus.open(self.directory, namespace=self.namespace, key=key)

    def take_in(self, memory: Hippocampus) -> None:
        """Remember the notes that hooks left; where that fails they wait for the next time."""
        from realmemory.agents.spool import take_in_pending  # noqa: PLC0415 - not for --help

        take_in_pending(memory, str(self.directory), self.namespace)

    def _opened(
        self, *, embedder: EmbeddingProvider | None = None, read_only: bool = False
    ) -> Hippocampus:
        from realmemory.hippocampus import Hippocampus  # noqa: PLC0415 - brings numpy

        open_memory = functools.partial(
            Hippocampus.open,
            self.directory,
            namespace=self.namespace,
            embedder=embedder,
            verify_embedder=embedder is None,
        )
        try:
            return open_memory(read_only=read_only)
        except StoreReadOnlyError:
            if read_only or self._paths().are_unused():
                raise
            # Whoever may not write may still ask; what writes is refused by the memory itself.
            say("the memory can only be read: nothing that is asked leaves a trace", err=True)
            return open_memory(read_only=True)

    def _paths(self) -> StorePaths:
        from realmemory.store.paths import StorePaths  # noqa: PLC0415 - not for --help

        return StorePaths(self.store_directory)

    def is_absent(self) -> bool:
        """Return whether there is no memory yet."""
        return self._paths().are_unused()

    def _refuse_absent(self) -> None:
        if self.is_absent():
            from realmemory.store.opening import absent  # noqa: PLC0415 - brings the database

            raise absent(self._paths())

    def _daemon(self) -> DaemonRecord | None:
        """Return the daemon that serves this memory, if one is on record."""
        from realmemory.agents.daemon import read_record  # noqa: PLC0415 - not for --help

        record = read_record(str(self.directory))
        return record if record and record.namespace == (self.namespace or "") else None

    def scope(self, stated: str | None = None) -> str | None:
        """Return the scope to ask: the stated one, else the project worked in, else none."""
        if stated is not None:
            return validate_scope(stated)
        project = detect_project(self.project, registry=ProjectRegistry(self.directory))
        return project.name if project else None

    def check_known(self, stated: str | None, memory: Hippocampus) -> None:
        """Refuse a scope that was asked for by name and of which nothing is known.

        The project worked in may be a new one: it is refused where another may have been meant.

        Args:
            stated: The scope as it was given on the command line.
            memory: The open memory.

        Raises:
            NotFoundError: ``unknown_project``; the message names the nearest.
        """
        name = stated if stated is not None else self.project
        if not name or scope_key(name) == GLOBAL_SCOPE:
            return
        known = [item.name for item in memory.projects()]
        if scope_key(name) in map(scope_key, known):
            return
        if stated is not None or nearest_names(name, known):
            raise unknown_project(name, known)

    def write_scope(self, stated: str | None = None) -> str:
        """Return the scope to write to; without a project that is ``global``.

        A project found by its repository keeps its name from now on, wherever it moves.
        """
        if stated is not None:
            return validate_scope(stated)
        registry = ProjectRegistry(self.directory)
        project = detect_project(self.project, registry=registry)
        if project is None:
            return GLOBAL_SCOPE
        try:
            return claim(project, registry).name
        except OSError:
            # A folder that cannot be written: the memory itself says so, and better.
            return project.name

    def answer(self, value: object, lines: Iterable[str]) -> None:
        """Print ``value`` as JSON if that was asked for, else ``lines``."""
        if self.as_json:
            emit_json(value)
            return
        for line in lines:
            say(line)


class _Folder(click.Path):
    """The folder of a memory; an empty name, as of an unset variable, is not the current one."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Refuse an empty name."""
        if not str(value).strip():
            self.fail("an empty name names no folder; nothing was read or written", param, ctx)
        return super().convert(value, param, ctx)


def shared_options(function: Callable[..., Any], *, json_file: bool = False) -> Callable[..., Any]:
    """Add the options that every command and the root understand.

    Args:
        function: What to decorate.
        json_file: ``--json`` may name a file to write the document to.
    """
    as_file: dict[str, Any] = {"is_flag": False, "flag_value": "-", "metavar": "[FILE]"}
    options = (
        click.option("--path", type=_Folder(path_type=Path), help=OPTIONS["--path PATH"]),
        click.option(
            "--namespace",
            metavar="NAME",
            envvar="REALMEMORY_NAMESPACE",
            help=OPTIONS["--namespace NAME"],
        ),
        click.option(
            "--project",
            metavar="NAME",
            help=OPTIONS["--project NAME"],
        ),
        click.option(
            "--json",
            "as_json",
            help=OPTIONS["--json"],
            **(as_file if json_file else {"is_flag": True}),
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def memory_command(function: Callable[..., Any], *, json_file: bool = False) -> Callable[..., Any]:
    """Give a command the shared options and hand it a :class:`Session` as first argument."""

    @functools.wraps(function)
    def command(**arguments: Any) -> Any:  # noqa: ANN401 - click passes what it parsed
        stated = {name: arguments.pop(name) or _outer(name) for name in _SHARED}
        session = Session(
            path=stated["path"],
            namespace=(stated["namespace"] or "").strip() or None,
            project=stated["project"],
            as_json=stated["as_json"] in {True, "-"},
            json_file=_file_named(stated["as_json"]),
        )
        return function(session, **arguments)

    return shared_options(command, json_file=json_file)


def command_group(*, default: str | None = None) -> Callable[[Callable[[], None]], click.Group]:
    """Make a group whose own shared options count for its commands too.

    Args:
        default: The command that runs when none is named; without one the help is shown.
    """

    def made(function: Callable[[], None]) -> click.Group:
        @functools.wraps(function)
        def group(**shared: Any) -> Any:  # noqa: ANN401 - click passes what it parsed
            del shared
            context = click.get_current_context()
            if context.invoked_subcommand is not None or default is None:
                return None
            own: click.Group = context.command  # type: ignore[assignment]  # made right below
            return context.invoke(own.commands[default])

        decorate = click.group(invoke_without_command=default is not None)
        return decorate(shared_options(group))

    return made


def _outer(name: str) -> Any:  # noqa: ANN401 - what click parsed
    """Return a shared option as it was given before the name of the command."""
    context = click.get_current_context().parent
    while context is not None:
        if context.params.get(name):
            return context.params[name]
        context = context.parent
    return None


def _file_named(value: object) -> Path | None:
    return Path(value) if isinstance(value, str) and value != "-" else None


def instant_of(given: str | None) -> float | None:
    """Return a moment as given on the command line; an empty one is no moment, and refused."""
    return None if given is None else parse_instant(given)


def memory_ids(values: Iterable[str]) -> list[int]:
    """Return ids as given on the command line, with or without ``#``.

    Raises:
        InvalidInputError: ``invalid_id``; something is not an id.
    """
    ids = []
    for value in values:
        digits = value.removeprefix("#")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 19):
            raise InvalidInputError(
                f"{value[:40]!r} is not the id of a memory; nothing was changed. Ids are the "
                "numbers that recall and list print.",
                code="invalid_id",
            )
        ids.append(int(digits))
    return ids
