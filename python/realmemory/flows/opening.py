"""Opening and closing a memory: store, configuration, embedder and index fit together or refuse."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.clock import Clock, SystemClock
from realmemory.config import MemoryConfig
from realmemory.encoding import registry
from realmemory.encoding.checked import CheckedEmbedder
from realmemory.encoding.protocol import EmbeddingProvider
from realmemory.encoding.reranker import guarded
from realmemory.errors import (
    ConfigurationError,
    EmbedderMismatchError,
    InvalidInputError,
    RealMemoryError,
)
from realmemory.flows import validation
from realmemory.flows.context import MemoryContext
from realmemory.flows.pending import PendingEvents
from realmemory.index.live_graph import LiveGraph
from realmemory.index.live_index import LiveIndex
from realmemory.index.snapshot import SnapshotFolder
from realmemory.index.voters import Voters
from realmemory.late import late_logger
from realmemory.places import checked_path
from realmemory.scopes import validate_scope
from realmemory.store.store import Store

if TYPE_CHECKING:
    from realmemory.encoding.protocol import EmbedderProfile
    from realmemory.encoding.reranker import Reranker
    from realmemory.keys import Key

_log = late_logger(__name__)


def open_memory(
    path: str | Path,
    *,
    config: MemoryConfig | None,
    embedder: EmbeddingProvider | None,
    reranker: Reranker | str | None,
    clock: Clock | None,
    namespace: str | None,
    verify_embedder: bool,
    author: str,
    read_only: bool,
    key: Key | str | None = None,
) -> MemoryContext:
    """Open the store and everything derived from it; see ``Hippocampus.open``."""
    _check_parts(config, embedder, clock)
    if author != "":
        validation.checked_label(author, "an author", "invalid_author")
    directory = Path(checked_path(path))
    if namespace is not None:
        directory /= _folder_of(namespace)
    clock = clock or SystemClock()
    profile = registry.DEFAULT_PROFILE if embedder is None else embedder.profile
    first = with_profile(config or MemoryConfig.dev(), profile)
    store = Store.open(directory, config=first, clock=clock, read_only=read_only, key=key)
    try:
        embedder = _embedder_for(store, embedder, verify=verify_embedder)
        if config is not None and store.config != with_profile(config, embedder.profile):
            _log.warning(
                "%s keeps the configuration it was created with; the values given now differ "
                "and are ignored until they are set by an explicit reconfiguration",
                directory,
            )
        space_id = _space_of(store, embedder)
        reader = guarded(store.config.reranker if reranker is None else reranker)
    except BaseException:
        store.close()
        raise
    return MemoryContext(
        store=store,
        index=LiveIndex(embedder.dim, space_id, _snapshots_of(store, embedder, space_id)),
        voters=Voters(store.config, embedder.dim, space_id),
        embedder=CheckedEmbedder(embedder),
        config=store.config,
        clock=clock,
        pending=PendingEvents(),
        author=author,
        graph=LiveGraph(store.config),
        space_id=space_id,
        reranker=reader,
    )


def _check_parts(config: object, embedder: object, clock: object) -> None:
    for given, wanted, name in (
        (config, MemoryConfig, "config"),
        (embedder, EmbeddingProvider, "embedder"),
        (clock, Clock, "clock"),
    ):
        if given is not None and not isinstance(given, wanted):
            missing = [part for part in _parts_of(wanted) if not hasattr(given, part)]
            lacks = f", which lacks {', '.join(missing)}" if missing else ""
            raise ConfigurationError(
                f"{name} is no {wanted.__name__}, got {given!r:.80}{lacks}; nothing was opened"
            )


def _parts_of(wanted: type) -> list[str]:
    """Return what a protocol asks for; nothing for a class, which has to be inherited."""
    if not getattr(wanted, "_is_protocol", False):
        return []
    return sorted(name for name in vars(wanted) if not name.startswith("_"))


def _folder_of(namespace: str) -> str:
    """Return the folder of a namespace inside that of the store.

    Raises:
        InvalidInputError: ``invalid_namespace``; none can be called so.
    """
    try:
        return validate_scope(namespace)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"a namespace is named like a project, without separators of paths, got "
            f"{namespace!r:.80}; nothing was read or written. Use a name such as 'my-project'.",
            code="invalid_namespace",
        ) from error


def _snapshots_of(
    store: Store, embedder: EmbeddingProvider, space_id: int
) -> SnapshotFolder | None:
    """Return where the index is kept; nowhere for an encrypted store: it holds words and vectors."""
    folder = SnapshotFolder(
        store.paths.index, store_id=store.store_id, space_id=space_id, dim=embedder.dim
    )
    if store.paths.key is None:
        return folder
    if not store.read_only:
        # A process that had it open while it was encrypted may have left one.
        folder.discard()
    return None


def _space_of(store: Store, embedder: EmbeddingProvider) -> int:
    """Return the id of the embedder's space; 0, which no row has, when it cannot be made."""
    with store.read() as view:
        found = view.spaces.find(embedder.name, embedder.dim)
    if found is not None or store.read_only:
        return found or 0
    with store.write() as tx:
        return tx.spaces.id_of(embedder.name, embedder.dim)


def close_memory(context: MemoryContext) -> None:
    """Flush the queue of recalls and close the store; a failed flush loses counters only."""
    if len(context.pending) and not context.store.read_only:
        try:
            with context.store.write(durability="lazy") as tx:
                context.pending.flush(tx)
        except RealMemoryError as error:
            _log.warning("the counters of the last recalls were not saved: %s", error)
    if not context.store.read_only:
        # The snapshot only saves time; a store that is closed or in trouble needs none.
        with suppress(RealMemoryError), context.store.read() as view:
            context.index.save(view)
    context.store.close()


def with_profile(config: MemoryConfig, profile: EmbedderProfile | None) -> MemoryConfig:
    """Return ``config`` with the thresholds of a profile wherever it has the defaults."""
    if profile is None:
        return config
    defaults = MemoryConfig()
    changes = {
        name: value
        for name, value in asdict(profile).items()
        if getattr(config, name) == getattr(defaults, name)
    }
    return replace(config, **changes)


def _embedder_for(
    store: Store, given: EmbeddingProvider | None, *, verify: bool
) -> EmbeddingProvider:
    """Return the embedder of the store's space, or refuse the one given."""
    with store.read() as view:
        space = view.spaces.current()
    if given is None:
        return registry.default() if space is None else registry.from_marker(space.marker)
    if verify and space is not None and space.marker != given.name:
        raise EmbedderMismatchError(
            f"this memory was written with the embedder {space.marker!r}, not with "
            f"{given.name!r}; nothing was changed. Open it with its own embedder, or re-embed it "
            "first.",
        )
    return given
