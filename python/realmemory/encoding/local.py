"""Sentence models on this machine, through fastembed (extra ``local``).

A model is named as fastembed names it, or given as a folder with its ONNX file and tokenizer, in
which case nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from realmemory import switches
from realmemory.encoding.protocol import EmbedderProfile, normalised
from realmemory.encoding.static import shipped_encoder
from realmemory.errors import ConfigurationError, EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.core.static_table import Interaction
    from realmemory.encoding.protocol import Vectors

Pooling: TypeAlias = Literal["mean", "cls"]

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""Fifty languages, 384 dimensions, symmetric."""

MINILM_PROFILE = EmbedderProfile(
    theta_reinforce=0.70,
    theta_link=0.58,
    cos_min_recall=0.15,
    cos_min_strong_recall=0.42,
    abstain_spread_cos=0.20,
    # No pair of STS-B that people rated below 3 of 5 lies above it and passes the other rules,
    # with all-MiniLM-L6-v2 or with bge-small-en-v1.5.
    theta_rephrase=0.92,
)
"""Thresholds measured for the MiniLM family."""

E5_PROFILE = EmbedderProfile(
    theta_reinforce=0.93,
    theta_link=0.89,
    cos_min_recall=0.74,
    cos_min_strong_recall=0.0,
    abstain_spread_cos=0.05,
)
"""Thresholds for the E5 family, whose cosines lie between .7 and .9 whatever the texts are."""

_PREFIXES = {
    "e5": ("query: ", "passage: "),
    "bge": ("Represent this sentence for searching relevant passages: ", ""),
}
_BATCH = 16
"""Texts that the model runs over at once; its memory grows with them and with the longest."""
_OFFLINE_SWITCHES = ("REALMEMORY_OFFLINE", "HF_HUB_OFFLINE")


class LocalEmbedder:
    """A sentence model run by onnxruntime.

    The model is loaded at the first text, so that opening a memory stays cheap.

    Args:
        model: Name of a fastembed model, or of the folder's model for its identity and prefixes.
        folder: Folder with ``model.onnx``, ``tokenizer.json``, ``tokenizer_config.json`` and
            ``config.json``; given, nothing is downloaded.
        pooling: How token vectors become one, for a folder.
        threads: Threads of onnxruntime; None lets it choose.
        profile: Thresholds for this model; by default those of its family.

    Raises:
        ConfigurationError: The extra is not installed, or the folder is incomplete.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        folder: str | Path | None = None,
        pooling: Pooling = "mean",
        threads: int | None = None,
        profile: EmbedderProfile | None = None,
    ) -> None:
        self._fastembed = import_fastembed()
        self._model_name = model
        self._folder = checked_folder(Path(folder)) if folder is not None else None
        self._pooling = pooling
        self._threads = threads
        self._profile = profile or family_profile(model)
        self._lock = threading.Lock()
        self._model: Any = None
        self._query_prefix, self._text_prefix = next(
            (pair for family, pair in _PREFIXES.items() if family in model.casefold()), ("", "")
        )
        self._dim = self._probe_dim()
        revision = digest(self._folder) if self._folder else self._fastembed.__version__
        self._name = f"local:{model}@{revision}(dim={self._dim},pooling={pooling})"

    @property
    def dim(self) -> int:
        """Dimension of the vectors."""
        return self._dim

    @property
    def name(self) -> str:
        """Identity of the space: model, its file's digest or fastembed's version, pooling."""
        return self._name

    @property
    def profile(self) -> EmbedderProfile | None:
        """Thresholds for this model."""
        return self._profile

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; shape (texts, dim).

        Raises:
            EmbeddingError: The model cannot be loaded or failed.
        """
        return self._encode([self._text_prefix + text.strip() for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions with the model's query prefix; shape (texts, dim).

        Raises:
            EmbeddingError: The model cannot be loaded or failed.
        """
        return self._encode([self._query_prefix + text.strip() for text in texts])

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        """Compare the content words of a query with the words of each text.

        The table that ships does it: its words cost nothing, the model's cost a run for each text.
        """
        return shipped_encoder().interact(query, texts)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._dim), dtype=np.float32)
        # A batch is padded to its longest text, so texts of one length run together.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        rows = np.zeros((len(texts), self._dim), dtype=np.float32)
        with self._lock:
            model = self._loaded()
            try:
                rows[order] = list(model.embed([texts[at] for at in order], batch_size=_BATCH))
            except (RuntimeError, ValueError, OSError) as error:
                raise EmbeddingError(
                    f"the model {self._model_name!r} failed: {error}; the texts are unharmed"
                ) from error
        return normalised(rows)

    def _probe_dim(self) -> int:
        if self._folder is None:
            known = self._fastembed.TextEmbedding.list_supported_models()
            for description in known:
                if description["model"].casefold() == self._model_name.casefold():
                    return int(description["dim"])
            raise ConfigurationError(
                f"fastembed knows no model {self._model_name!r}; pass one of its names, "
                "or a folder with the ONNX file"
            )
        return _folder_dim(self._folder)

    def _loaded(self) -> Any:  # noqa: ANN401 - fastembed has no types of its own
        if self._model is None:
            try:
                self._model = self._load()
            except (RuntimeError, ValueError, OSError) as error:
                raise EmbeddingError(
                    f"the model {self._model_name!r} cannot be loaded: {error}; "
                    "the memory is unharmed. Allow its download once, or pass folder=."
                ) from error
        return self._model

    def _load(self) -> Any:  # noqa: ANN401 - as above
        embedding = self._fastembed.TextEmbedding
        if self._folder is None:
            return embedding(self._model_name, threads=self._threads, local_files_only=offline())
        name = f"realmemory/{self._model_name}@{self._pooling}:{self._dim}"
        _register(self._fastembed, name, self._pooling, self._dim)
        return embedding(name, specific_model_path=str(self._folder), threads=self._threads)


def family_profile(model: str) -> EmbedderProfile:
    """Return the thresholds of a model that has none of its own, by the family in its name."""
    return E5_PROFILE if "e5" in model.casefold() else MINILM_PROFILE


def import_fastembed() -> Any:  # noqa: ANN401 - as above
    """Return the package that runs the models, kept from reporting to anybody.

    onnxruntime sends usage events to Microsoft, on Linux since 1.29, unless the variable is set
    before it initialises; in a process where it runs already, its interface stops all but the first.
    See https://github.com/microsoft/onnxruntime/blob/main/docs/Privacy.md.

    Raises:
        ConfigurationError: The extra is not installed.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        package = importlib.import_module("fastembed")
        importlib.import_module("onnxruntime").disable_telemetry_events()
    except ImportError as error:
        raise ConfigurationError(
            "local models need fastembed: pip install 'realmemory[local]'"
        ) from error
    return package


def _register(fastembed: Any, name: str, pooling: Pooling, dim: int) -> None:  # noqa: ANN401
    """Describe a folder's model to fastembed, once in a process."""
    known = {item["model"] for item in fastembed.TextEmbedding.list_supported_models()}
    if name in known:
        return
    description = importlib.import_module("fastembed.common.model_description")
    fastembed.TextEmbedding.add_custom_model(
        model=name,
        pooling=description.PoolingType[pooling.upper()],
        normalization=True,
        sources=description.ModelSource(url="file:///local"),
        dim=dim,
        model_file="model.onnx",
    )


def checked_folder(folder: Path) -> Path:
    """Return the folder of a model.

    Raises:
        ConfigurationError: A file is missing.
    """
    needed = ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json")
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing:
        raise ConfigurationError(f"{folder} lacks {', '.join(missing)}")
    return folder


def digest(folder: Path) -> str:
    """Return the beginning of the hash of a folder's model."""
    with (folder / "model.onnx").open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def _folder_dim(folder: Path) -> int:
    """Return the dimension that the folder's ``config.json`` or its model states."""
    stated = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("hidden_size")
    if isinstance(stated, int):
        return stated
    runtime = importlib.import_module("onnxruntime")
    outputs = runtime.InferenceSession(str(folder / "model.onnx")).get_outputs()
    dim = outputs[0].shape[-1]
    if not isinstance(dim, int):
        raise ConfigurationError(
            f'{folder} does not state its dimension: add "hidden_size" to config.json'
        )
    return dim


def offline() -> bool:
    """Return whether the environment forbids downloads."""
    return switches.is_on(*_OFFLINE_SWITCHES)
