"""Real text and real vectors for the benchmarks, on any machine.

Text is what every Python installation carries: the sentences of docstrings of the standard
library and of installed packages. Vectors are those of the default embedder.
"""

import hashlib
import random
import re
import sysconfig
import tokenize
from pathlib import Path

import numpy as np

from realmemory.encoding.static import StaticEmbedder

_DOCSTRING = re.compile(r'"""(.+?)"""', re.DOTALL)
_SENTENCE = re.compile(r"[A-Z][^.!?\n]{25,220}[.!?]")
_SEED = 20_261


def sentences(limit):
    """Return up to ``limit`` different sentences, in an order that is the same every time."""
    paths = sysconfig.get_paths()
    found = {}
    for root in (paths["stdlib"], paths["purelib"]):
        for path in sorted(Path(root).rglob("*.py")):
            if len(found) >= limit * 2:
                break
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            for block in _DOCSTRING.findall(text):
                for sentence in _SENTENCE.findall(" ".join(block.split())):
                    found.setdefault(sentence)
    ordered = sorted(found, key=lambda s: hashlib.blake2b(s.encode(), digest_size=8).digest())
    return ordered[:limit]


def texts(count, given=None):
    """Return ``count`` texts: lines of the file ``given``, or sentences, joined when too few."""
    if given is not None:
        with tokenize.open(given) as lines:
            pool = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    else:
        pool = sentences(count)
    if len(pool) >= count:
        return pool[:count]
    rng = random.Random(_SEED)
    joined = {}
    while len(joined) + len(pool) < count:
        joined.setdefault(" ".join(rng.sample(pool, 2)))
    return pool + list(joined)


def vectors(count, dim, given=None):
    """Return ``count`` unit vectors of ``dim`` values by the default embedder.

    Other dimensions than its own are reached by a random isometry (wider) or projection
    (narrower), so that the vectors stay those of real texts.
    """
    embedder = StaticEmbedder()
    source = texts(count, given)
    made = np.concatenate(
        [embedder.embed(source[at : at + 4_096]) for at in range(0, count, 4_096)]
    )
    return spread(made, dim)


def spread(made, dim):
    """Carry vectors over to another dimension."""
    own = made.shape[1]
    if own != dim:
        rng = np.random.default_rng(_SEED)
        frame, _ = np.linalg.qr(rng.standard_normal((max(own, dim), min(own, dim))))
        made = made @ (frame.T if dim > own else frame).astype(np.float32)
    norms = np.linalg.norm(made, axis=1, keepdims=True)
    keep = norms[:, 0] > 0
    filler = np.random.default_rng(_SEED).standard_normal((int((~keep).sum()), dim))
    made = np.where(keep[:, None], made / np.where(norms > 0, norms, 1), 0).astype(np.float32)
    made[~keep] = filler / np.linalg.norm(filler, axis=1, keepdims=True) if len(filler) else 0
    return np.ascontiguousarray(made, np.float32)


def clustered(count, dim):
    """Return synthetic unit vectors in clusters. They flatter every method that prunes."""
    rng = np.random.default_rng(_SEED)
    centres = rng.standard_normal((256, dim)).astype(np.float32)
    noise = rng.standard_normal((count, dim)).astype(np.float32)
    made = centres[rng.integers(256, size=count)] + noise
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def anisotropic(made, share=0.75):
    """Return vectors with a large common part, like those of E5: two rows have a cosine of about
    ``share`` by it alone.
    """
    rng = np.random.default_rng(_SEED)
    common = rng.standard_normal(made.shape[1])
    common *= np.sqrt(share) / np.linalg.norm(common)
    return _unit(np.sqrt(1 - share) * made + common)


def isotropic(count, dim):
    """Return random directions: no structure, so nothing to prune by."""
    return _unit(np.random.default_rng(_SEED).standard_normal((count, dim)).astype(np.float32))


def equal(count, dim):
    """Return one vector many times."""
    return np.repeat(isotropic(1, dim), count, axis=0)


def _unit(made):
    made = made / np.linalg.norm(made, axis=1, keepdims=True)
    return np.ascontiguousarray(made, np.float32)


SYNTHETIC = {"clustered": clustered, "random": isotropic, "equal": equal}
