"""Where the table of the default embedder lies; known without loading it."""

from __future__ import annotations

import os

FAMILY = "realmemory-static"
"""How the names of its spaces begin."""
TABLE = "static_table.bin"
WORLD = "world.bin"


def table_path() -> str:
    """Return the path of the table that ships with the package."""
    return os.path.join(os.path.dirname(__file__), TABLE)


def world_path() -> str:
    """Return the path of the directions of the world in the space of that table."""
    return os.path.join(os.path.dirname(__file__), WORLD)
