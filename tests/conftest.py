"""Profiles of the property tests, and a memory to work on."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from realmemory import FakeClock, Hippocampus

# Time limits per example would make a loaded machine fail a correct program.
settings.register_profile("default", deadline=None, max_examples=60)
# A change is judged by the same examples as the last one; those that chance finds come by `make test`.
settings.register_profile("steady", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1_500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def memory(folder: Path, clock: FakeClock):
    with Hippocampus.open(folder, clock=clock) as opened:
        yield opened
