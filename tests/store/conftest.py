from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from realmemory.clock import FakeClock
from realmemory.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(folder: Path, clock: FakeClock) -> Iterator[Store]:
    with Store.open(folder, clock=clock) as opened:
        yield opened
