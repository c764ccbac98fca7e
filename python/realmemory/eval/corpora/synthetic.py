"""Invented words for the sweep over sizes: facts of three words, questions of two.

Every fact names one object that no other fact names, so that exactly one answer is right and
plain cosine finds it; the sweep shows what speed and size cost, not how clever retrieval is.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

_ONSETS = (
    *("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z"),
    *("br", "dr", "gl", "kr", "pl", "sk", "st", "tr"),
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_CODAS = ("", "", "l", "m", "n", "r", "s", "t", "nd", "rk", "x")
_TOPICS = 20
_ATTRIBUTES = 4
_NOISE = 8
_SEED = 7


@dataclass(frozen=True, slots=True)
class Sweep:
    """Facts, questions with the index of the right fact, and questions that nothing answers."""

    facts: tuple[str, ...]
    queries: tuple[tuple[str, int], ...]
    noise: tuple[str, ...]


def sweep(facts: int, queries: int) -> Sweep:
    """Generate a sweep; the same arguments give the same texts on every machine."""
    rng = random.Random(_SEED)  # noqa: S311 - reproducible data, no secret
    vocabulary = _invented_words(rng, _TOPICS + _ATTRIBUTES + _NOISE)
    topics = vocabulary[:_TOPICS]
    attributes = vocabulary[_TOPICS : _TOPICS + _ATTRIBUTES]
    unseen = vocabulary[_TOPICS + _ATTRIBUTES :]
    rows = [(rng.choice(topics), _object(i), rng.choice(attributes)) for i in range(facts)]
    asked = []
    for i in rng.sample(range(facts), min(queries, facts)):
        topic, name, attribute = rows[i]
        pair = [name, rng.choice((topic, attribute))]
        rng.shuffle(pair)
        asked.append((" ".join(pair), i))
    noise = tuple(" ".join(rng.sample(unseen, 3)) for _ in range(max(1, queries // 5)))
    return Sweep(tuple(" ".join(row) for row in rows), tuple(asked), noise)


def _invented_words(rng: random.Random, count: int) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = rng.choice((2, 3))
        words["".join(_syllable(rng) for _ in range(syllables))] = None
    return list(words)


def _syllable(rng: random.Random) -> str:
    return rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)


def _object(index: int) -> str:
    """Return a name of letters only, unique for each index."""
    digest = hashlib.blake2b(str(index).encode(), digest_size=8).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest) + _letters(index)


def _letters(index: int) -> str:
    text = ""
    while True:
        index, rest = divmod(index, 26)
        text += chr(ord("a") + rest)
        if not index:
            return text
