"""A memory behind the MCP server."""

from __future__ import annotations

import pytest

from realmemory.api.connect import opener
from realmemory.api.direct import DirectBackend


@pytest.fixture
def backend(tmp_path):
    backend = DirectBackend(opener(str(tmp_path / "memory"), None, "hashing"))
    yield backend
    backend.close()
