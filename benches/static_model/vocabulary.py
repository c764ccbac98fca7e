"""The pieces of the table: ``python vocabulary.py WORK`` writes WORK/vocabulary.txt.

Pieces are learned by pair merging apart in each language, so that neither crowds out the other,
and used by greedy longest match (the engine's rule). Numbers of one and two digits and years are
always in.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from realmemory.core.static_table import words

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = {"en": 16_800, "ru": 22_300}
LATIN_WORD = re.compile(r"[a-z0-9]{1,24}")
CYRILLIC_WORD = re.compile(r"[а-я]{1,28}")


def corpus(work: Path, language: str) -> Iterator[str]:
    wanted = {"en": LATIN_WORD, "ru": CYRILLIC_WORD}[language]
    column = {"en": 1, "ru": 2}[language]
    for name, index in ((f"{language}.tsv", 1), ("pairs.tsv", column)):
        for line in (work / name).read_text("utf-8").splitlines():
            text = line.split("\t")[index]
            yield " ".join(w for w in words(text) if wanted.fullmatch(w))


def learn(texts: Iterator[str], size: int) -> list[str]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, min_frequency=3, continuing_subword_prefix="##", show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__)


def main(work: Path) -> None:
    pieces = [str(n) for n in range(100)] + [f"0{n}" for n in range(10)]
    pieces += [f"##{p}" for p in pieces] + [str(year) for year in range(1900, 2041)]
    for letter in "abcdefghijklmnopqrstuvwxyzабвгдежзийклмнопрстуфхцчшщъыьэюя":
        pieces += [letter, f"##{letter}"]
    for language, size in SIZES.items():
        pieces += learn(corpus(work, language), size)
    pieces = list(dict.fromkeys(pieces))
    (work / "vocabulary.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    size = sum(len(p.encode()) for p in pieces) + len(pieces) * (128 + 12)
    print(len(pieces), "pieces;", size, "bytes with a table of 256 x 4 bits")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
