"""The `realmemory` command: one file per command group, imported when it is called."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line and leave with its documented exit code."""
    if sys.argv[1:] in ([], ["-h"], ["--help"]) and sys.stdout is not None:
        # The overview is what people and agents ask for first: it needs no click.
        from realmemory.cli.registry import overview  # noqa: PLC0415

        sys.stdout.write(overview())
        raise SystemExit(0)
    # Loading takes long enough to be interrupted by a user who mistyped; a traceback helps nobody.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from realmemory.cli.root import run  # noqa: PLC0415 - importing the package stays free

    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise SystemExit(run())
