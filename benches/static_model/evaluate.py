"""Measure a table: ``python evaluate.py TABLE.bin DATA`` (the data are measured, never trained on).

Spearman on the similarity benchmarks, recall@1 and MRR of XQuAD paragraphs for questions of the
same and of the other language (all 240 paragraphs).
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

Encoder = Callable[[list[str]], np.ndarray]


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks with ties averaged."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def spearman(left: np.ndarray, right: np.ndarray) -> float:
    return float(np.corrcoef(ranks(left), ranks(right))[0, 1])


def similarity(path: Path, encode: Encoder) -> float:
    rows = list(csv.reader(path.open(encoding="utf-8")))
    left, right = encode([r[0] for r in rows]), encode([r[1] for r in rows])
    return 100 * spearman((left * right).sum(axis=1), np.array([float(r[2]) for r in rows]))


def xquad(path: Path) -> tuple[list[str], list[tuple[str, int]]]:
    paragraphs, questions = [], []
    for article in json.loads(path.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            questions += [(q["question"], len(paragraphs)) for q in paragraph["qas"]]
            paragraphs.append(paragraph["context"])
    return paragraphs, questions


def paragraph_recall(
    folder: Path, query: str, document: str, encode: Encoder
) -> tuple[float, float]:
    """Recall@1 and @10 in percent."""
    paragraphs, _ = xquad(folder / f"xquad.{document}.json")
    _, questions = xquad(folder / f"xquad.{query}.json")
    scores = encode([q for q, _ in questions]) @ encode(paragraphs).T
    gold = np.array([g for _, g in questions])
    better = (scores > scores[np.arange(len(gold)), gold][:, None]).sum(axis=1)
    return 100 * float((better < 1).mean()), 100 * float((better < 10).mean())


def report(folder: Path, encode: Encoder) -> str:
    english = similarity(folder / "stsb-en-test.csv", encode)
    russian = similarity(folder / "stsb-ru-test.csv", encode)
    tuning = similarity(folder / "stsb-ru-dev.csv", encode)
    parts = [f"STS-B en {english:.1f} ru {russian:.1f} (ru dev {tuning:.1f}); XQuAD R@1/R@10"]
    for query, document in (("en", "en"), ("ru", "ru"), ("ru", "en")):
        first, tenth = paragraph_recall(folder, query, document, encode)
        parts.append(f"{query}-{document} {first:.1f}/{tenth:.1f}")
    return " ".join(parts)


if __name__ == "__main__":
    from realmemory.core.static_table import StaticEncoder

    encoder = StaticEncoder(Path(sys.argv[1]).read_bytes())
    print(encoder.name, report(Path(sys.argv[2]), encoder.encode))
