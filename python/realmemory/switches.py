"""Switches in the environment, read by one table: empty, 0, false, no and off are off."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_OFF = frozenset(["", "0", "false", "no", "off"])


def is_on(*names: str, environ: Mapping[str, str] | None = None) -> bool:
    """Return whether any of the variables is switched on, whatever its case and white space."""
    environ = os.environ if environ is None else environ
    return any(environ.get(name, "").strip().casefold() not in _OFF for name in names)
