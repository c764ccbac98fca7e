"""What every client is made of: one memory, opened at the first call, behind worker threads."""

from __future__ import annotations

import functools
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from realmemory.client.namespaces import scope_of
from realmemory.hippocampus import Hippocampus
from realmemory.places import data_directory
from realmemory.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from realmemory.clock import Clock
    from realmemory.config import MemoryConfig
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.encoding.reranker import Reranker
    from realmemory.keys import Key

_Result = TypeVar("_Result")


class Opened:
    """A memory from its opening to its closing; see :class:`realmemory.client.MemoryClient`."""

    def __init__(
        self,
        namespace: str = "default",
        *,
        path: str | Path | None = None,
        config: MemoryConfig | None = None,
        embedder: EmbeddingProvider | None = None,
        reranker: Reranker | str | None = None,
        clock: Clock | None = None,
        author: str = "",
        key: Key | str | None = None,
    ) -> None:
        self.namespace = namespace
        self.scope = scope_of(namespace)
        self.path = Path(data_directory(path))
        self._open = functools.partial(
            Hippocampus.open,
            self.path,
            config=config,
            embedder=embedder,
            reranker=reranker,
            clock=clock,
            author=author,
            key=key,
        )
        self._memory: Hippocampus | None = None
        self._opening = threading.Lock()
        self._worker = Worker()

    async def __aenter__(self) -> Self:
        await self._call(lambda memory: memory.path)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Finish what was begun and close the memory. Harmless when repeated."""
        await self._worker.aclose(self._close)

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()

    async def _call(self, function: Callable[[Hippocampus], _Result]) -> _Result:
        return await self._worker.run(lambda: function(self._opened()))

    def _opened(self) -> Hippocampus:
        with self._opening:
            if self._memory is None:
                self._memory = self._open()
            return self._memory
