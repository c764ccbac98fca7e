"""Thresholds of a table: ``python calibrate.py TABLE.bin`` prints what its profile should say.

Only the package's own corpus is read, and of its questions only the calibration half. The gate
has a second condition (no differing numbers, names, negations), so its thresholds need only keep
different facts apart, not near misses.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[2] / "python/realmemory/eval/data"
ANSWERABLE = {"paraphrase", "cross_lingual", "time_dependent", "update"}
FOREIGN = {"out_of_domain", "nonsense"}
Encoder = Callable[[list[str]], np.ndarray]


def different_facts(facts: list[dict], vectors: np.ndarray) -> np.ndarray:
    """For every fact, the cosine of the nearest one that is no version of it."""
    cosines = vectors @ vectors.T
    index = {fact["id"]: i for i, fact in enumerate(facts)}
    for i, fact in enumerate(facts):
        cosines[i, i] = -1
        for relation in ("supersedes", "contradicts", "dup_of"):
            if fact.get(relation) in index:
                j = index[fact[relation]]
                cosines[i, j] = cosines[j, i] = -1
    return cosines.max(axis=1)


def same_facts(encode: Encoder) -> tuple[np.ndarray, np.ndarray]:
    """Cosines of pairs that say the same, and of near misses."""
    data = json.loads((DATA / "near_miss.json").read_text("utf-8"))

    def cosines(pairs: list[dict]) -> np.ndarray:
        return (encode([p["first"] for p in pairs]) * encode([p["second"] for p in pairs])).sum(
            axis=1
        )

    return cosines(data["paraphrases"]), cosines(data["near_misses"])


def questions(
    corpus: dict, vectors: np.ndarray, encode: Encoder, split: str
) -> dict[str, np.ndarray]:
    """Cosines of questions: with their fact, with every other fact, and the best of each kind."""
    facts, index = corpus["facts"], {f["id"]: i for i, f in enumerate(corpus["facts"])}
    asked = [q for q in corpus["queries"] if q["split"] == split]
    cosines = encode([q["text"] for q in asked]) @ vectors.T
    gold, null, best, foreign, ranks = [], [], [], [], []
    for query, row in zip(asked, cosines, strict=True):
        if query["kind"] in FOREIGN:
            foreign.append(row.max())
        elif query["kind"] in ANSWERABLE and query["expect"]:
            expected = [index[i] for i in query["expect"]]
            gold.append(row[expected].max())
            best.append(row.max())
            ranks.append(int((row > gold[-1]).sum()) + 1)
            null.append(np.delete(row, expected))
    keys = ("gold", "best", "foreign", "rank", "null")
    values = (gold, best, foreign, ranks, np.concatenate(null))
    assert len(facts) == vectors.shape[0]
    return {key: np.array(value) for key, value in zip(keys, values, strict=True)}


def main(encode: Encoder) -> None:
    corpus = json.loads((DATA / "corpus.json").read_text("utf-8"))
    vectors = encode([fact["text"] for fact in corpus["facts"]])
    distinct = different_facts(corpus["facts"], vectors)
    same, near = same_facts(encode)
    asked = questions(corpus, vectors, encode, "calibration")
    # Above every pair of different facts, with a margin: a wrong merge is worse than a duplicate.
    reinforce = float(distinct.max()) + 0.05
    link = float(np.quantile(distinct, 0.90))
    recall = float(np.quantile(asked["gold"], 0.05))
    strong = float(np.quantile(asked["best"], 0.02))
    tenths = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]
    for name, values in (("nearest different fact", distinct), ("same fact", same), ("near miss", near),
                         ("question-fact", asked["gold"]), ("question-other", asked["null"]),
                         ("best, answerable", asked["best"]), ("best, foreign", asked["foreign"])):  # fmt: skip
        print(f"{name:24}", np.round(np.quantile(values, tenths), 3))
    print(f"null mean {asked['null'].mean():.4f} sd {asked['null'].std():.4f}")
    print(f"theta_reinforce {reinforce:.3f} (same facts above: {(same >= reinforce).mean():.1%})")
    print(f"theta_link {link:.3f} (same facts above: {(same >= link).mean():.1%})")
    print(f"cos_min_recall {recall:.3f} (others above: {(asked['null'] >= recall).mean():.1%})")
    print(
        f"cos_min_strong_recall {strong:.3f} (foreign below: {(asked['foreign'] < strong).mean():.1%})"
    )
    for split in ("calibration", "held_out"):
        ranks = questions(corpus, vectors, encode, split)["rank"]
        hits, mrr = (ranks <= 10).mean(), (1 / ranks).mean()
        print(
            f"{split}: dense alone hit@1 {(ranks == 1).mean():.3f} hit@10 {hits:.3f} MRR {mrr:.3f}"
        )


if __name__ == "__main__":
    from realmemory.core.static_table import StaticEncoder

    if sys.argv[1] == "hashing":  # for comparison
        from realmemory.core.hashing import HashingEncoder

        main(HashingEncoder().encode)
    else:
        main(StaticEncoder(Path(sys.argv[1]).read_bytes()).encode)
