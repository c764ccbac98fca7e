"""Our own static embedder: a Russian and English token table that ships with the package.

No model is run and nothing is downloaded: the engine looks tokens up and averages their rows.
How the table was made, from what, and what it scores: ``benches/static_model/MODEL_CARD.md``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.core.static_table import StaticEncoder
from realmemory.encoding.native import NativeEmbedder
from realmemory.encoding.protocol import EmbedderProfile
from realmemory.encoding.shipped import table_path, world_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.core.static_table import About, Interaction, NearestWord

PROFILE = EmbedderProfile(
    theta_reinforce=0.57,
    theta_link=0.42,
    cos_min_recall=0.10,
    cos_min_strong_recall=0.22,
    abstain_spread_cos=0.20,
)
"""Thresholds fitted on the package's own evaluation corpus (``benches/static_model/calibrate.py``)."""


@cache
def shipped_encoder() -> StaticEncoder:
    """Return the encoder over the shipped table; processes share its pages."""
    return StaticEncoder.map(Path(table_path()))


@cache
def _world() -> bytes:
    """Return the directions of the world: a table of the same space, whose pieces name them.

    Raises:
        ValueError: The file belongs to another table, or is damaged.
    """
    world, table = StaticEncoder.map(Path(world_path())), shipped_encoder()
    if world.name != table.name:
        raise ValueError(f"{world_path()} belongs to the table {world.name}, not to {table.name}")
    return world.directions()


def about(question: str) -> About | None:
    """Return what a question is about, or None when the shipped table knows no word of it."""
    found = shipped_encoder().about(question, _world())
    return found if found.coherence else None


def nearest_words(question: str, text: str) -> list[NearestWord]:
    """Return how near a text comes to each content word of a question, by the shipped table."""
    return shipped_encoder().nearest_words(question, text)


class StaticEmbedder(NativeEmbedder):
    """Mean of token vectors, for Russian and English; other Latin text partly, no other script.

    A text without a known token gives a zero row and is then found by its words alone.

    Raises:
        ValueError: The shipped table is damaged.
    """

    def __init__(self) -> None:
        super().__init__(shipped_encoder(), PROFILE)

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        """Compare the content words of a query with the words of each text."""
        return shipped_encoder().interact(query, texts)
