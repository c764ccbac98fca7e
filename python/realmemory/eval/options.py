"""The command-line options that all benchmarks share, and what they do with a report."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory.errors import RealMemoryError
from realmemory.eval import pictures
from realmemory.eval import report as reporting
from realmemory.eval.subject import make_embedder

if TYPE_CHECKING:
    from collections.abc import Callable

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.report import Report

COUNT = click.IntRange(min=1)
"""Any number of things of which there must be one."""

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Options:
    """What is tested, and where its report goes."""

    embedder: str
    path: Path | None
    verbose: bool
    json_file: Path | None
    against: Path | None
    picture: Path | None = None

    def make_embedder(self) -> EmbeddingProvider:
        """Return the embedder to test."""
        return make_embedder(self.embedder)

    def publish(self, report: Report, k: int) -> None:
        """Print a report of ranked answers, and do with it what the options ask for."""
        result = report.to_json()
        click.echo(report.to_text())
        if self.verbose:
            click.echo("\n" + "\n".join(report.failures(k)))
        self.save(result)
        if self.picture is not None:
            pictures.draw(result, self.picture)

    def save(self, result: dict[str, Any]) -> None:
        """Compare any result that lists its questions with a saved one, and write it."""
        if self.against is not None:
            result["compared"] = reporting.compare(result, self.against)
            click.echo(_comparison_line(result["compared"]))
        if self.json_file is not None:
            reporting.write_json(result, self.json_file)


def common(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of every benchmark to a command, which gets them as ``options``."""

    @functools.wraps(command)
    def with_options(
        *,
        embedder: str,
        path: Path | None,
        verbose: bool,
        json_file: Path | None,
        against: Path | None,
        picture: Path | None = None,
        **own: Any,  # noqa: ANN401 - the options of the command itself
    ) -> None:
        shared = Options(embedder, path, verbose, json_file, against, picture)
        command(**own, options=shared)

    return _with(
        with_options,
        click.option("--embedder", default="default", show_default=True, help="Embedder to test."),
        click.option("--path", type=_FOLDER, help="Keep the store in this new folder."),
        click.option("--verbose", is_flag=True, help="Print the questions that failed."),
        click.option("--json", "json_file", type=_FILE, help="Write the whole report as JSON."),
        click.option("--against", type=_FILE, help="Compare with a report saved before."),
    )


def reread(command: Callable[..., None]) -> Callable[..., None]:
    """Add the re-ranker under test to the options of a benchmark."""
    return _with(
        command,
        click.option("--reranker", default="", help="Re-ranker to test, as in the configuration."),
    )


def ranked(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a benchmark with ranked answers to a command of :func:`common`."""
    return _with(
        command,
        click.option("--k", default=10, show_default=True, type=COUNT, help="Hits asked for."),
        click.option("--picture", type=_FILE, help="Draw the report (extra `bench`)."),
    )


def _with(
    command: Callable[..., None], *options: Callable[[Callable[..., None]], Callable[..., None]]
) -> Callable[..., None]:
    for option in reversed(options):
        command = option(command)
    return command


class Benchmark(click.Command):
    """A command whose expected failures are one line, not a traceback."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click declares it
        """Run the command."""
        try:
            return super().invoke(ctx)
        except RealMemoryError as error:
            raise click.ClickException(str(error)) from error


def _comparison_line(compared: dict[str, Any]) -> str:
    return (
        f"against {compared['saved']}: {len(compared['gained'])} gained, "
        f"{len(compared['lost'])} lost of {compared['questions']} (McNemar p = {compared['p']:.3g})"
    )
