"""A memory of today: the files to import are dated by the calendar."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus


@pytest.fixture
def memory(tmp_path):
    with Hippocampus.open(tmp_path / "memory") as opened:
        yield opened
