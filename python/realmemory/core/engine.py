"""What the compiled engine says about itself."""

from __future__ import annotations

from realmemory import _native


def engine_version() -> str:
    """Return the version of the compiled engine, which is the package's own."""
    return _native.__version__
