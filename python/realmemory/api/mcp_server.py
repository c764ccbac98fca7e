"""``python -m realmemory.api.mcp_server``: the stdio server without the command line around it."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, NoReturn

from realmemory.agents.quoting import one_line
from realmemory.api.stdio import StdioOptions, serve
from realmemory.places import data_directory

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Serve over standard input and output."""
    parser = argparse.ArgumentParser(prog="realmemory.api.mcp_server", description=__doc__)
    parser.add_argument("--path", help="directory of the memory")
    parser.add_argument("--namespace", help="a separate memory below that directory")
    parser.add_argument("--project", help="scope to use instead of the detected project")
    parser.add_argument("--embedder", choices=("auto", "local", "hashing"), default="auto")
    parser.add_argument("--no-daemon", action="store_true", help="do not use a running daemon")
    parser.add_argument("--author", help="who writes, where several people share a memory")
    given = parser.parse_args(arguments)
    serve(
        StdioOptions(
            directory=data_directory(given.path),
            namespace=given.namespace,
            project=given.project,
            embedder=None if given.embedder == "auto" else given.embedder,
            daemon=not given.no_daemon,
            author=one_line(given.author or os.environ.get("REALMEMORY_AUTHOR", ""), 64),
        )
    )


if __name__ == "__main__":
    main()
