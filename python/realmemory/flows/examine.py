"""Looking for what is wrong with an open memory, and saying what to do about it."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.core.text import fts_terms, query_forms
from realmemory.errors import RealMemoryError, StoreCorruptError, StoreError
from realmemory.flows import browse
from realmemory.flows.question import RecallOptions
from realmemory.flows.recall import recall
from realmemory.flows.sleep import LAST_SLEEP
from realmemory.policies.decay import retention_of, weakened
from realmemory.scopes import GLOBAL_SCOPE, look_alike_key
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from realmemory.flows.context import MemoryContext
    from realmemory.types import Trace

_WAL_BYTES = 64 * 1024 * 1024
_FREE_BYTES = 256 * 1024 * 1024
_MINUTE = 60.0
_QUIET_S = 30 * DAY
_CAPTURES = ("write", "conversation", "supersede")
_WEEK_S = 7 * DAY
_SMALL = 100
_FADING = 0.3
_PAGE = 200
_NAMED = 10
_DEEP_K = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: fine or not, what was seen, and what to do about it."""

    check: str
    ok: bool
    detail: str
    advice: str = ""


def examine(context: MemoryContext) -> list[Finding]:
    """Look at everything that costs little; see :func:`unfindable` for the rest."""
    findings: list[Finding] = []
    for look in _LOOKS:
        try:
            findings += look(context)
        except StoreCorruptError as error:
            # One damage stops several looks in the same words.
            if (found := damage(error)) not in findings:
                findings.append(found)
    return findings


def damage(error: StoreError) -> Finding:
    """Return what is wrong with a memory that cannot be read; the error says what to do."""
    return Finding("content", ok=False, detail=f"{error} [{error.code}]")


def unfindable(
    context: MemoryContext, progress: Callable[[int, int], None] | None = None
) -> Finding:
    """Ask for every active memory by its own text.

    Left out is what feedback called misleading, what has expired, and texts of function words alone.

    Args:
        context: The open memory. Opened read-only, the questions leave no counters behind.
        progress: Called with the memories done and their number.
    """
    total = int(browse.stats(context)["memories_active"])
    done, aside, lost = 0, 0, []
    for trace in _active(context):
        done += 1
        if _has_ended(context, trace) or not query_forms(trace.text):
            aside += 1
        elif not _found(context, trace):
            lost.append(trace.id)
        if progress is not None and done % _PAGE == 0:
            progress(done, total)
    detail = f"{done - aside - len(lost)} of {done - aside} memories are found by their own text"
    if aside:
        detail += f", {aside} have ended, were called misleading or hold no word to ask by"
    if not lost:
        return Finding("deep", ok=True, detail=detail)
    ids = ", ".join(f"#{item}" for item in lost[:_NAMED])
    advice = f"look at {ids}; `realmemory reembed` fills in vectors that are missing"
    return Finding("deep", ok=False, detail=detail, advice=advice)


def _reranker(context: MemoryContext) -> Iterator[Finding]:
    if context.reranker is None:
        return
    reading = context.reranker.read("Is it there?", ["It is there.", "Nothing is."])
    if reading.scores is not None:
        yield Finding("reranker", ok=True, detail=f"{context.reranker.name} reads the best hits")
        return
    advice = "mend it, or switch it off with `realmemory config set reranker=`"
    yield Finding("reranker", ok=False, detail=f"recalls are {reading.trouble}", advice=advice)


def _active(context: MemoryContext) -> Iterator[Trace]:
    after = None
    while True:
        with context.store.read() as view:
            page = view.traces.page(limit=_PAGE, after=after, statuses=[Status.ACTIVE])
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].id


def _has_ended(context: MemoryContext, trace: Trace) -> bool:
    now = context.clock.now()
    expired = trace.expires_at is not None and trace.expires_at <= now
    return expired or weakened(context.config, trace.base_strength)


def _found(context: MemoryContext, trace: Trace) -> bool:
    options = RecallOptions(k=_DEEP_K, scope=trace.scope, kinds=[trace.kind])
    try:
        items = recall(context, trace.text, options).items
    except RealMemoryError:
        return False
    return any(item.memory_id == trace.id or item.text == trace.text for item in items)


def _content(context: MemoryContext) -> Iterator[Finding]:
    report = context.store.verify(fts_terms)
    if report.ok:
        yield Finding(
            "content", ok=True, detail=f"{_memories(report.traces or 0)} at rev {report.rev}"
        )
    for item in report.findings:
        detail = f"{item.message} [{item.code}]"
        yield Finding("content", ok=False, detail=detail, advice=item.advice)


def _memories(number: int) -> str:
    return "1 memory" if number == 1 else f"{number} memories"


def _clock(context: MemoryContext) -> Iterator[Finding]:
    """What was written by a clock ahead of this one is news of the future to whoever opens."""
    with context.store.read() as view:
        ahead = view.traces.page(since=context.clock.now() + _MINUTE, limit=_PAGE)
    early = [t for t in ahead if t.valid_from <= t.created_at > context.clock.now() + _MINUTE]
    if early:
        days = (max(trace.created_at for trace in early) - context.clock.now()) / DAY
        were = "was" if len(early) == 1 else "were"
        detail = f"{_memories(len(early))} {were} written up to {days:.1f} days after now"
        advice = (
            "set the clock right: recall finds them, but until then agents are not told of them "
            "at the start"
        )
        yield Finding("clock", ok=False, detail=detail, advice=advice)


def last_capture(context: MemoryContext) -> Finding:
    """Look when something was last kept: hooks that fall silent look like a quiet week."""
    with context.store.read() as view:
        events = view.journal.page(types=_CAPTURES, newest_first=True, limit=1)
        traces = view.traces.page(newest_first=True, limit=1)
        made = view.meta.number("created_at")
    kept = [*(event.ts for event in events), *(trace.created_at for trace in traces)]
    # What was imported may be older than the memory that it was brought into.
    quiet = context.clock.now() - max([*kept, made])
    since = _since(context, max(kept)) if kept else "never"
    ok = quiet < _QUIET_S
    advice = "" if ok else "if agents are at work, `realmemory doctor agents` tries their hooks"
    return Finding("capture", ok=ok, detail=f"last successful capture {since}", advice=advice)


def _capture(context: MemoryContext) -> Iterator[Finding]:
    yield last_capture(context)


def _encryption(context: MemoryContext) -> Iterator[Finding]:
    key = context.store.paths.key
    if key is not None:
        kept = f", kept in {key.source}" if key.source else ""
        detail = f"the memory and its backups, with the key {key.identity}{kept}"
        yield Finding("encryption", ok=True, detail=detail)


def _locks(context: MemoryContext) -> Iterator[Finding]:
    holder = context.store.lock_holder()
    if holder is None:
        yield Finding("write lock", ok=True, detail="nobody holds it")
    else:
        # A lock that is held for a moment is normal; who holds it is worth knowing.
        yield Finding("write lock", ok=True, detail=f"held by {holder}")


def _log(context: MemoryContext) -> Iterator[Finding]:
    octets = context.store.wal_size()
    advice = "some reader holds an old snapshot: close what has the memory open, then write once"
    ok = octets <= _WAL_BYTES
    detail = f"{octets / 2**20:.1f} MiB"
    held = context.store.log_hold()
    if held is not None:
        age = max(0.0, context.clock.now() - held.since) / 60.0
        who = " and ".join(held.readers) or "a reader"
        detail += f", kept from being emptied for {age:.0f} min by {who}"
    yield Finding("write-ahead log", ok=ok, detail=detail, advice="" if ok else advice)


def room(context: MemoryContext) -> Finding:
    """Look whether the disk has room for what the memory may have to write."""
    free = shutil.disk_usage(context.store.directory).free
    size = context.store.paths.database.stat().st_size
    ok = free >= max(_FREE_BYTES, 2 * size)
    advice = "" if ok else "free some: a backup or a repair needs as much as the memory itself"
    return Finding("disk", ok=ok, detail=f"{free / 2**20:.0f} MiB free", advice=advice)


def _sleep(context: MemoryContext) -> Iterator[Finding]:
    with context.store.read() as view:
        slept = view.meta.number(LAST_SLEEP)
    grown = browse.stats(context)["memories_active"] > _SMALL
    ok = not grown or context.clock.now() - slept < _QUIET_S
    advice = "" if ok else "run `realmemory sleep`, or install the hooks that do"
    yield Finding("sleep", ok=ok, detail=_since(context, slept), advice=advice)


def _backups(context: MemoryContext) -> Iterator[Finding]:
    infos = context.store.backups()
    grown = browse.stats(context)["memories_active"] > _SMALL
    newest = infos[-1].created_at if infos else 0.0
    ok = not grown or context.clock.now() - newest < _QUIET_S
    advice = "" if ok else "run `realmemory backup create`"
    detail = f"{len(infos)}, the newest {_since(context, newest)}" if infos else "there are none"
    yield Finding("backups", ok=ok, detail=detail, advice=advice)


def _waiting(context: MemoryContext) -> Iterator[Finding]:
    stats = browse.stats(context)
    held = stats["memories_quarantined"]
    if held:
        advice = "see `realmemory list --status quarantined --all-scopes`, then `confirm` them"
        yield Finding("held back", ok=False, detail=_memories(held), advice=advice)
    if stats["conflicts"]:
        advice = "`realmemory revise` what is outdated, or `realmemory resolve` what is both true"
        yield Finding("conflicts", ok=False, detail=f"{stats['conflicts']} open", advice=advice)


def _fading(context: MemoryContext) -> Iterator[Finding]:
    """Lasting facts about the user that recall will soon leave out."""
    now = context.clock.now()
    with context.store.read() as view:
        everyone = view.scopes.find(GLOBAL_SCOPE)
        fading = [
            (value, state.id)
            for state in view.traces.each_state(Kind.SEMANTIC)
            if state.scope_id == everyone
            and not state.pinned
            and (value := retention_of(context.config, state, now)) < _FADING
        ]
    if not fading:
        yield Finding("identity facts", ok=True, detail="none is fading")
        return
    ids = " ".join(str(item) for _, item in sorted(fading)[:_NAMED])
    advice = f"pin those that still hold: `realmemory pin {ids}`"
    detail = f"{len(fading)} lasting facts of everyone are fading"
    yield Finding("identity facts", ok=False, detail=detail, advice=advice)


def _hooks(context: MemoryContext) -> Iterator[Finding]:
    now = context.clock.now()
    with context.store.read() as view:
        recent = [
            event
            for event in view.journal.page(types=["hook_error"], newest_first=True, limit=_PAGE)
            if now - event.ts < _WEEK_S
        ]
    if recent:
        last = recent[0].data
        said = f"{last.get('host', '')} {last.get('event', '')}: {last.get('message', '')}"
        detail = f"{len(recent)} failed within a week, the last {said[:120]}"
        yield Finding("hooks", ok=False, detail=detail, advice="run `realmemory doctor agents`")


def _room(context: MemoryContext) -> Iterator[Finding]:
    yield room(context)
    folder = context.store.directory
    if not os.access(folder, os.W_OK):
        advice = "mount the disk for writing, or fix the permissions; until then nothing is kept"
        yield Finding("folder", ok=False, detail=f"{folder} cannot be written", advice=advice)


def _look_alikes(context: MemoryContext) -> list[Finding]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    with context.store.read() as view:
        for scope in view.scopes.all():
            names[look_alike_key(scope.name)].append(scope.name)
    return [
        Finding(
            "scopes",
            ok=False,
            detail=f"{' and '.join(ascii(name) for name in alike)} look alike but are apart",
            advice="`realmemory projects merge` makes them one, if they are",
        )
        for alike in names.values()
        if len(alike) > 1
    ]


def _since(context: MemoryContext, moment: float) -> str:
    if not moment:
        return "never"
    days = max(0.0, context.clock.now() - moment) / DAY
    return f"{days:.0f} days ago" if days >= 1 else "today"


_LOOKS = (
    _content,
    _clock,
    _capture,
    _encryption,
    _locks,
    _log,
    _room,
    _sleep,
    _backups,
    _waiting,
    _fading,
    _hooks,
    _reranker,
    _look_alikes,
)
