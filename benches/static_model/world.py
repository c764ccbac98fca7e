"""Directions that stand for the rest of the world: ``python world.py WORK TABLE.bin OUT.bin``.

A question about anything under the sun finds something a little alike in any memory. How near it
lies to things that nobody stores in particular tells it from a question about the memory's own
matters. The things are WordNet's nouns for what there is (animals, food, places, people, ...), of
which the definitions are encoded by the shipped table and gathered to a few dozen directions. They
are written as a table of the same space, so that nothing new has to be read; each piece is a
word near the direction it names.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import formats
import numpy as np
import table_file

from realmemory.core.static_table import StaticEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

SEED = 1
DIRECTIONS = 128
THINGS = 20_000
ROUNDS = 10
# Animals, artefacts, the body, events, food, groups, places, objects, people, phenomena, plants
# and substances, as WordNet numbers its files; what remains is abstract.
FILES = frozenset({5, 6, 8, 11, 13, 14, 15, 17, 18, 19, 20, 27})


def things(folder: Path) -> list[tuple[str, str]]:
    """Return a word for each thing and its definition."""
    return [
        (words[0], f"{', '.join(words[:2])}: {definition}")
        for file, words, definition, _ in formats.wordnet_synsets(folder, "noun")
        if file in FILES
    ]


def gather(rows: Rows, random: np.random.Generator) -> Rows:
    """Return directions that the rows gather around (spherical k-means)."""
    centres = rows[random.choice(len(rows), DIRECTIONS, replace=False)].copy()
    for _ in range(ROUNDS):
        nearest = (rows @ centres.T).argmax(axis=1)
        for at in range(DIRECTIONS):
            members = rows[nearest == at]
            if len(members):
                total = members.sum(axis=0)
                centres[at] = total / np.linalg.norm(total)
    return centres


def names(centres: Rows, rows: Rows, words: list[str]) -> list[str]:
    """Return for each direction the nearest word that names no other yet."""
    taken: dict[str, None] = {}
    for order in np.argsort(-(centres @ rows.T), axis=1, kind="stable"):
        taken[next(words[at] for at in order if words[at] not in taken)] = None
    return list(taken)


def main(work: Path, table: Path, out: Path) -> None:
    encoder = StaticEncoder(table.read_bytes())
    found = things(work / "root/wordnet-base/usr/share/wordnet")
    random = np.random.default_rng(SEED)
    chosen = [found[at] for at in random.choice(len(found), THINGS, replace=False)]
    rows = encoder.encode([text for _, text in chosen])
    centres = gather(rows, random)
    scales, codes = table_file.quantise(centres)
    pieces = tuple(names(centres, rows, [word for word, _ in chosen]))
    weights = np.ones(DIRECTIONS, np.float32)
    out.write_bytes(
        table_file.write(table_file.Table(encoder.name, pieces, weights, scales, codes))
    )
    print(out.stat().st_size, "bytes:", ", ".join(pieces))


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
