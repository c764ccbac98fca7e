"""The package's table of fitted profiles, which the calibrating commands write."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def change_profiles(rewrite: Callable[[dict[str, Any]], None]) -> None:
    """Read the table, have it changed, and write it in its one canonical spelling."""
    table = Path(str(resources.files("realmemory.policies").joinpath("profiles.json")))
    profiles = json.loads(table.read_text("utf-8"))
    rewrite(profiles)
    table.write_text(json.dumps(profiles, indent=1, sort_keys=True) + "\n", "utf-8")
