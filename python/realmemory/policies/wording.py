"""How what is stored reads to an embedder."""

from __future__ import annotations


def spoken(text: str, speaker: str | None) -> str:
    """Return a turn with who said it: what its vector stands for.

    The store says the same in SQL where it lists what a new embedder has to encode.
    """
    return f"{speaker}: {text}" if speaker else text
