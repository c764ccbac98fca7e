"""A team of three around one folder."""

from __future__ import annotations

import pytest

from realmemory import FakeClock
from team.members import NOW, Member


@pytest.fixture
def clock():
    return FakeClock(NOW)


@pytest.fixture
def member(tmp_path, clock):
    """Make a member of the team, who has named the folder already."""
    shared = tmp_path / "shared"

    def made(name, *, init=True):
        found = Member(name, tmp_path / f"memory of {name}", shared, clock)
        if init:
            found.init()
        return found

    return made
