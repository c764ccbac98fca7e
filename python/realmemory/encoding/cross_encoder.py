"""Cross-encoders on this machine, through fastembed (extra ``local``).

A model is given as a folder with its ONNX file and tokenizer, in which case nothing is ever
downloaded, or by the name that fastembed knows it by; one that is not on this machine yet is
fetched only where that was allowed.
"""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from realmemory.encoding.local import checked_folder, digest, import_fastembed, offline
from realmemory.errors import ConfigurationError, EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence


class CrossEncoder:
    """A model that reads question and text together, run by onnxruntime; loaded at first use.

    Args:
        model: Name of a fastembed re-ranker, or of the folder's model.
        folder: Folder with ``model.onnx`` (its first output holds a logit a pair),
            ``tokenizer.json``, ``tokenizer_config.json`` and ``config.json``.
        threads: Threads of onnxruntime; None lets it choose.
        download: Whether a named model may be fetched; REALMEMORY_OFFLINE forbids it anyway.

    Raises:
        ConfigurationError: The extra is not installed, the folder is incomplete, or fastembed
            knows no such model.
    """

    def __init__(
        self,
        model: str,
        *,
        folder: str | Path | None = None,
        threads: int | None = None,
        download: bool = False,
    ) -> None:
        self._fastembed = import_fastembed()
        self._model_name = model
        self._folder = checked_folder(Path(folder)) if folder is not None else None
        self._threads = threads
        self._download = download
        self._lock = threading.Lock()
        self._model: Any = None
        if self._folder is None:
            self._check_known()
        revision = digest(self._folder) if self._folder else self._fastembed.__version__
        self._name = f"{model}@{revision}"

    @classmethod
    def named(cls, model: str, *, download: bool = False) -> Self:
        """Return the cross-encoder of a folder, or of a name where there is no such folder."""
        folder = Path(model).expanduser()
        if folder.is_dir():
            return cls(folder.name, folder=folder)
        return cls(model, download=download)

    @property
    def name(self) -> str:
        """Model and revision: its file's digest or fastembed's version."""
        return self._name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the logit of each text as an answer to the query.

        Raises:
            EmbeddingError: The model cannot be loaded or failed.
        """
        with self._lock:
            try:
                if self._model is None:
                    self._model = self._load()
                return [float(score) for score in self._model.rerank(query, texts)]
            except (RuntimeError, ValueError, OSError) as error:
                raise EmbeddingError(
                    f"the model {self._model_name!r} cannot be used: {error}; "
                    "allow its download once, or name a folder"
                ) from error

    def _check_known(self) -> None:
        known = self._encoder().list_supported_models()
        if self._model_name.casefold() not in {item["model"].casefold() for item in known}:
            raise ConfigurationError(
                f"{self._model_name!r} is neither a folder nor a re-ranker that fastembed knows"
            )

    def _load(self) -> Any:  # noqa: ANN401 - fastembed has no types of its own
        encoder = self._encoder()
        if self._folder is None:
            local_only = offline() or not self._download
            return encoder(self._model_name, threads=self._threads, local_files_only=local_only)
        name = f"realmemory/{self._name}"
        if name.casefold() not in {
            item["model"].casefold() for item in encoder.list_supported_models()
        }:
            description = importlib.import_module("fastembed.common.model_description")
            encoder.add_custom_model(
                model=name,
                sources=description.ModelSource(url="file:///local"),
                model_file="model.onnx",
            )
        return encoder(name, specific_model_path=str(self._folder), threads=self._threads)

    @staticmethod
    def _encoder() -> Any:  # noqa: ANN401 - as above
        return importlib.import_module("fastembed.rerank.cross_encoder").TextCrossEncoder
