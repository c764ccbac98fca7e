"""The memory under test: opened like any caller would open it, with a clock that is told."""

from __future__ import annotations

import importlib
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from realmemory.clock import FakeClock
from realmemory.config import MemoryConfig
from realmemory.encoding import registry
from realmemory.encoding.protocol import EmbeddingProvider
from realmemory.encoding.reranker import Reranker
from realmemory.errors import ConfigurationError
from realmemory.eval.measure import Stopwatch
from realmemory.eval.scoring import Answer
from realmemory.hippocampus import Hippocampus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from realmemory.encoding.local import Pooling
    from realmemory.types import RecallPacket

_Made = TypeVar("_Made")

START = 1_767_225_600.0
"""When a memory of generated texts begins, epoch seconds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One recall with its cost."""

    packet: RecallPacket
    wall_ms: float
    cpu_ms: float

    def labels(self, name: Callable[[int], str]) -> tuple[str, ...]:
        """Return the names of the hits, best first."""
        return tuple(name(item.memory_id) for item in self.packet.items)

    @property
    def confidences(self) -> tuple[float, ...]:
        """Confidences of the hits, best first."""
        return tuple(item.confidence for item in self.packet.items)

    def answer(self, key: str, category: str, **known: Any) -> Answer:  # noqa: ANN401 - see below
        """Return the answer to judge: what was measured, with the other fields that are known."""
        return Answer(
            id=key,
            category=category,
            query=self.packet.query,
            confidences=self.confidences,
            abstained=self.packet.abstained,
            reason=self.packet.reason,
            wall_ms=self.wall_ms,
            cpu_ms=self.cpu_ms,
            **known,
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """A memory, its folder, its clock and its embedder."""

    memory: Hippocampus
    folder: Path
    clock: FakeClock
    embedder: EmbeddingProvider

    def ask(self, query: str, **options: Any) -> Asked:  # noqa: ANN401 - the options of recall
        """Recall and measure it."""
        with Stopwatch() as watch:
            packet = self.memory.recall(query, **options)
        return Asked(packet, watch.wall_ms, watch.cpu_ms)

    def move_to(self, moment: float) -> None:
        """Set the clock; it never goes back."""
        self.clock.advance(max(0.0, moment - self.clock.now()))

    def describe(self) -> Mapping[str, str]:
        """Return what was tested."""
        return {"embedder": self.embedder.name}


def make_embedder(spec: str) -> EmbeddingProvider:
    """Return the embedder that an option names.

    Args:
        spec: ``default``, ``hashing``, ``static``, ``local`` (the default model),
            ``local:<model name>``, ``local:<folder>`` (mean pooling), ``local-cls:<folder>``,
            ``remote:<model name>`` or
            ``import:<module>:<name>``, what a caller of their own returns.

    Raises:
        ConfigurationError: The name is unknown, or the extra is not installed.
    """
    name, _, model = spec.partition(":")
    if name == "default":
        return registry.default()
    if name == "hashing":
        from realmemory.encoding.hashing import HashingEmbedder  # noqa: PLC0415 - as needed

        return HashingEmbedder(MemoryConfig().dim)
    if name == "static":
        from realmemory.encoding.static import StaticEmbedder  # noqa: PLC0415 - as needed

        return StaticEmbedder()
    if name in {"local", "local-cls"}:
        from realmemory.encoding.local import LocalEmbedder  # noqa: PLC0415 - optional extra

        if not model:
            return LocalEmbedder()
        folder = Path(model)
        if not folder.is_dir():
            return LocalEmbedder(model)
        pooling: Pooling = "cls" if name == "local-cls" else "mean"
        return LocalEmbedder(folder.name, folder=folder, pooling=pooling)
    if name == "remote":
        from realmemory.encoding.remote import RemoteEmbedder  # noqa: PLC0415 - as needed

        return RemoteEmbedder(model)
    if name == "import":
        return _imported(model, EmbeddingProvider)  # type: ignore[type-abstract]
    raise ConfigurationError(
        f"there is no embedder {spec!r}; use default, hashing, static, local, "
        "local:<model or folder>, local-cls:<folder> or import:<module>:<name>"
    )


def make_reranker(spec: str) -> Reranker | str:
    """Return the re-ranker that an option names: a name as in the configuration, or an import.

    Raises:
        ConfigurationError: Nothing can be imported by that name.
    """
    way, _, place = spec.partition(":")
    if way != "import":
        return spec
    return _imported(place, Reranker)  # type: ignore[type-abstract]


def _imported(place: str, kind: type[_Made]) -> _Made:
    module, _, name = place.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise ConfigurationError(f"nothing can be imported as {place!r}: {error}") from error
    if not isinstance(made, kind):
        raise ConfigurationError(f"what {place!r} makes is no {kind.__name__}")
    return made


@contextmanager
def open_subject(
    embedder: EmbeddingProvider,
    *,
    start: float,
    path: Path | None = None,
    config: MemoryConfig | None = None,
    reranker: Reranker | str | None = None,
) -> Iterator[Subject]:
    """Open a fresh memory whose clock stands at ``start``.

    Args:
        embedder: The embedder under test.
        start: First time that the memory sees, epoch seconds.
        config: Constants of the memory; the defaults when None.
        path: Folder to keep the store in; by default a temporary one that is removed.
        reranker: The re-ranker under test; by default none.

    Raises:
        ConfigurationError: The folder already holds memories, which would falsify the figures.
    """
    if path is not None:
        if path.is_dir() and any(path.iterdir()):
            raise ConfigurationError(f"{path} is not empty; give a new folder for the benchmark")
        with _opened(embedder, start, path, config, reranker) as subject:
            yield subject
        return
    with (
        tempfile.TemporaryDirectory(prefix="realmemory-eval-") as folder,
        _opened(embedder, start, Path(folder) / "store", config, reranker) as subject,
    ):
        yield subject


@contextmanager
def _opened(
    embedder: EmbeddingProvider,
    start: float,
    path: Path,
    config: MemoryConfig | None,
    reranker: Reranker | str | None,
) -> Iterator[Subject]:
    clock = FakeClock(start)
    with Hippocampus.open(
        path, config=config, embedder=embedder, reranker=reranker, clock=clock, key=""
    ) as memory:
        yield Subject(memory, path, clock, embedder)
