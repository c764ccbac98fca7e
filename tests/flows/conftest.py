from __future__ import annotations

from encoding.conftest import bge_folder

__all__ = ["bge_folder"]
