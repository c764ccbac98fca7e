"""The conversation flow: every turn verbatim, no gate, resumable.

What is stored is the turn as it was said. What is indexed beside it carries the speaker, the
date in words and the turns before, so that "what did Ann say in May?" finds an answer that
mentions neither. The vector is that of the turn and its speaker alone: mixed with a long turn
before it, it would mean that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from realmemory.core.text import fts_terms
from realmemory.errors import InvalidInputError
from realmemory.flows import alignment, validation
from realmemory.flows.passages import encoded
from realmemory.outcomes import ConversationReport, ConversationTurn
from realmemory.policies.times.dates import date_in_words
from realmemory.policies.wording import spoken
from realmemory.safety import (
    MASK,
    masked_name,
    masked_values,
    refuse_secret_scope,
    screen,
    should_quarantine,
)
from realmemory.scopes import validate_scope
from realmemory.store.records import NewTrace
from realmemory.store.uids import new_uid
from realmemory.types import Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from realmemory.encoding.protocol import Vector
    from realmemory.flows.context import MemoryContext
    from realmemory.safety import Screening
    from realmemory.store.transactions import ReadView

_BATCH = 64
"""Turns stored in one transaction."""
_MAX_CONTEXT = 8
"""Most preceding turns that the index of a turn carries."""
_USERS = frozenset({"user", "human"})
_TOOLS = frozenset({"tool", "function"})
_FIELDS = frozenset({"text", "content", "speaker", "role", "observed_at"})


@dataclass(frozen=True, slots=True)
class _Feed:
    """The turns of one call and what they have in common.

    ``held_back`` are the places of turns that speak to the agent in somebody else's name. ``known``
    are the traces of those that the session has already, ``erased`` says how many of them were
    forgotten for good; the call's first turn has the index ``offset``. ``rev`` is the state of the
    store in which that was so, ``dated`` the time that the call itself names, and ``redated`` says
    that all turns are known, at another time.
    """

    turns: tuple[ConversationTurn, ...]
    preceding: tuple[ConversationTurn, ...]
    context_turns: int
    session_id: str
    scope: str
    observed_at: float
    tags: tuple[str, ...]
    meta: dict[str, Any]
    held_back: frozenset[int] = frozenset()
    known: Mapping[int, int] = field(default_factory=dict)
    erased: int = 0
    offset: int = 0
    rev: int = 0
    dated: float | None = None
    redated: bool = False

    def when(self, at: int) -> float:
        """Return when a turn was said."""
        own = self.turns[at].observed_at
        return self.observed_at if own is None else own

    def indexed(self, at: int) -> str:
        """Return what the index knows of a turn: itself, its date, the turns before it."""
        first = max(0, at - self.context_turns)
        missing = self.context_turns - (at - first)
        earlier = [self.turns[i] for i in range(first, at) if i not in self.held_back]
        before = self.preceding[max(0, len(self.preceding) - missing) :]
        date = date_in_words(self.when(at), like=self.turns[at].text)
        return "\n".join(
            [_spoken(self.turns[at]), date, *map(_spoken, reversed((*before, *earlier)))]
        )


def store_conversation(
    context: MemoryContext,
    turns: Iterable[ConversationTurn | Mapping[str, Any]],
    *,
    observed_at: float | None,
    session_id: str | None,
    scope: str,
    context_turns: int,
    preceding: Sequence[ConversationTurn | Mapping[str, Any]],
    tags: Sequence[str],
    metadata: Mapping[str, Any] | None,
    first_turn: int | None,
    progress: Callable[[int, int], None] | None,
) -> ConversationReport:
    """Store the turns that this session does not hold yet; see ``Hippocampus``."""
    validation.checked_progress(progress)
    given = _checked(context, turns, "turns")
    session = validation.checked_session(session_id or None)
    feed = _Feed(
        turns=tuple(turn for turn, _ in given),
        preceding=tuple(turn for turn, _ in _checked(context, preceding, "preceding")),
        context_turns=_context_width(context_turns),
        session_id=masked_name(session) if session else new_uid(context.clock.now()),
        scope=refuse_secret_scope(validate_scope(scope)),
        observed_at=_moment(context, observed_at),
        tags=tuple(masked_name(tag) for tag in validation.checked_tags(tags)),
        meta=masked_values(validation.checked_meta(metadata)),
        held_back=frozenset(at for at, one in enumerate(given) if _speaks_to_agent(*one)),
        dated=observed_at,
    )
    feed, made = _store_fresh(context, feed, validation.checked_turn(first_turn), progress)
    ids = tuple(made[at] if at in made else feed.known[at] for at in range(len(feed.turns)))
    return ConversationReport(
        session_id=feed.session_id,
        ids=ids,
        stored=len(made),
        quarantined=tuple(ids[at] for at in sorted(feed.held_back)),
        warnings=(
            *_warnings(screening for _, screening in given),
            *_masked_names(session, (turn.speaker for turn in feed.turns)),
            *_stay_erased(feed.erased),
            *_keep_their_time(feed.redated and not made),
        ),
    )


def _warnings(screenings: Iterable[Screening]) -> tuple[str, ...]:
    """Say what was done to the turns, each sentence once."""
    counts = Counter(told for screening in screenings for told in screening.warnings())
    return tuple(f"{told} ({count} of the turns)" for told, count in sorted(counts.items()))


def _masked_names(session: str | None, speakers: Iterable[str]) -> Iterator[str]:
    """Say of a session and of speakers that a secret was masked in their names."""
    if session is not None and masked_name(session) != session:
        yield "a secret was masked and not stored: in the name of the session"
    if any(MASK in speaker for speaker in speakers):
        yield "a secret was masked and not stored: in the name of a speaker"


def _stay_erased(count: int) -> Iterator[str]:
    """Say of turns that were forgotten for good that they did not come back."""
    if count:
        yield f"not stored again, as it was erased on request: {count} of the turns"


def _keep_their_time(redated: bool) -> Iterator[str]:
    """Say of a conversation that came again under another time that it keeps the first one."""
    if redated:
        yield (
            "not stored again: the session holds all of these turns, at another time. If they were "
            "said once more, give each its own observed_at, or name another session"
        )


def _speaks_to_agent(turn: ConversationTurn, screening: Screening) -> bool:
    return should_quarantine(screening, _origin(turn))


def _origin(turn: ConversationTurn) -> Origin:
    """Return in whose name a turn speaks: in the user's only if nobody else is named as its role."""
    role = (turn.role or "user").strip().lower()
    if role in _USERS:
        return Origin.USER
    return Origin.TOOL if role in _TOOLS else Origin.AGENT


def _checked(
    context: MemoryContext, turns: Iterable[ConversationTurn | Mapping[str, Any]], name: str
) -> list[tuple[ConversationTurn, Screening]]:
    """Return turns as they may be stored, and what was found in each."""
    checked = []
    for at, turn in enumerate(read_turns(turns, name)):
        with validation.named(f"{name}[{at}]"):
            checked.append(_screened(context, turn))
    return checked


def read_turns(
    turns: Iterable[ConversationTurn | Mapping[str, Any]], name: str
) -> list[ConversationTurn]:
    """Return what a caller gave as turns.

    Args:
        turns: Turns, or mappings with their fields.
        name: What the caller knows them by.

    Raises:
        InvalidInputError: They are no list of turns; one that is none is named by its place.
    """
    # A mapping would be read as the list of its keys, a text as that of its characters.
    if isinstance(turns, (str, bytes, bytearray, Mapping)) or not isinstance(turns, Iterable):
        raise InvalidInputError(
            f"{name} are a list of turns, got {turns!r:.80}; nothing was stored. Give mappings "
            "with text, speaker, role and observed_at, or ConversationTurns.",
            code="invalid_turn",
        )
    return [_turn(f"{name}[{at}]", item) for at, item in enumerate(turns)]


def _turn(place: str, item: ConversationTurn | Mapping[str, Any]) -> ConversationTurn:
    if isinstance(item, ConversationTurn):
        return item
    if not isinstance(item, Mapping):
        raise InvalidInputError(
            f"{place} is no mapping and no ConversationTurn, got {item!r:.80}; nothing was stored",
            code="invalid_turn",
        )
    unknown = set(item) - _FIELDS
    if unknown or ("text" in item) == ("content" in item):
        raise InvalidInputError(
            f"a turn has a text and may have {', '.join(sorted(_FIELDS - {'text'}))}; "
            f"{place} has {sorted(map(str, item))}; nothing was stored",
            code="invalid_turn",
        )
    text = item["text"] if "text" in item else item["content"]
    if isinstance(text, (list, tuple, Mapping)):
        raise InvalidInputError(
            f"{place} has parts in place of a text, {text!r:.80}; nothing was stored. Join the "
            "texts of its parts and give that.",
            code="invalid_text",
        )
    return ConversationTurn(
        text=text,
        speaker=item.get("speaker") or "",
        role=item.get("role"),
        observed_at=item.get("observed_at"),
    )


def _screened(context: MemoryContext, turn: ConversationTurn) -> tuple[ConversationTurn, Screening]:
    for name, who in (("a speaker", turn.speaker or None), ("a role", turn.role)):
        if who is not None:
            validation.checked_label(who, name, "invalid_turn")
    validation.checked_text(turn.text, context.config.max_text_bytes)
    validation.checked_time(turn.observed_at, "observed_at")
    screening = screen(turn.text)
    masked = replace(
        turn,
        text=screening.masked,
        speaker=turn.speaker and masked_name(turn.speaker),
        role=turn.role and masked_name(turn.role),
    )
    return masked, screening


def _context_width(context_turns: int) -> int:
    if not validation.is_whole(context_turns) or not 0 <= context_turns <= _MAX_CONTEXT:
        raise InvalidInputError(
            f"context_turns is a whole number from 0 to {_MAX_CONTEXT}, got {context_turns!r}; "
            "nothing was stored",
            code="invalid_range",
        )
    return context_turns


def _moment(context: MemoryContext, observed_at: float | None) -> float:
    checked = validation.checked_time(observed_at, "observed_at")
    return context.clock.now() if checked is None else checked


def _store_fresh(
    context: MemoryContext,
    feed: _Feed,
    first_turn: int | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[_Feed, dict[int, int]]:
    """Store what the session lacks; return the feed as it was compared last, and the new traces.

    Others may write to the session meanwhile. Every transaction looks again at what they left, and
    the first one stores the last turn too: where that stands, the places before it are taken.
    """
    with context.store.read() as view:
        feed = _aligned(view, feed, first_turn)
    made: dict[int, int] = {}
    total = len(feed.turns)
    while fresh := [at for at in range(total) if at not in feed.known and at not in made]:
        batch = fresh[:_BATCH]
        if not made:
            batch[-1] = fresh[-1]
        feed, stored = _store(context, feed, batch, feed.offset if made else first_turn)
        made |= stored
        if progress is not None:
            progress(len(made.keys() | feed.known.keys()), total)
    return feed, made


def _aligned(view: ReadView, feed: _Feed, first_turn: int | None) -> _Feed:
    """Find out which turns of the feed the session holds, or held until they were erased."""
    session = alignment.Session(
        view.conversations.turns_of(feed.session_id, view.scopes.find(feed.scope)),
        view.conversations.erased_of(feed.session_id, feed.scope),
    )
    call = alignment.Call.of(feed.turns, feed.preceding, feed.dated)
    if first_turn is None:
        first_turn = alignment.place(session, call)
    else:
        alignment.check_place(session, call, feed.session_id, first_turn)
    known = dict(alignment.known_turns(session, call, first_turn))
    erased = sum(first_turn + at not in session.turns for at in known)
    redated = len(known) == len(feed.turns) and alignment.at_another_time(session, call, first_turn)
    return replace(
        feed, known=known, erased=erased, offset=first_turn, rev=view.rev(), redated=redated
    )


def _spoken(turn: ConversationTurn) -> str:
    return spoken(turn.text, turn.speaker)


def _store(
    context: MemoryContext, feed: _Feed, batch: Sequence[int], first_turn: int | None
) -> tuple[_Feed, dict[int, int]]:
    """Store turns in one transaction; return the feed as it stands then, and their traces."""
    texts = {at: feed.indexed(at) for at in batch}
    terms = {at: fts_terms(text) for at, text in texts.items()}
    turns = [feed.turns[at] for at in batch]
    vectors = dict(
        zip(batch, context.embedder.embed([_spoken(turn) for turn in turns]), strict=True)
    )
    passages = dict(
        zip(
            batch,
            encoded(
                context.embedder, [turn.text for turn in turns], [turn.speaker for turn in turns]
            ),
            strict=True,
        )
    )
    with context.store.write() as tx:
        if tx.rev() != feed.rev:
            feed = _aligned(tx, feed, first_turn)
        made = {
            at: tx.traces.insert(_trace(context, feed, at, texts[at], terms[at], vectors[at]))
            for at in batch
            if at not in feed.known
        }
        tx.passages.add({made[at]: passages[at] for at in made})
        if made:
            tx.journal.append("conversation", {"session": feed.session_id, "turns": len(made)})
        rev = tx.rev() if tx.bumped is None else tx.bumped
    return replace(feed, rev=rev), made


def _trace(  # noqa: PLR0917 - one row, built from its parts
    context: MemoryContext, feed: _Feed, at: int, text: str, terms: str, vector: Vector
) -> NewTrace:
    turn, when = feed.turns[at], feed.when(at)
    return NewTrace(
        text=turn.text,
        index_text=text,
        terms=terms,
        scope=feed.scope,
        kind=Kind.TURN,
        author=context.author,
        origin=_origin(turn),
        status=Status.QUARANTINED if at in feed.held_back else Status.ACTIVE,
        observed_at=when,
        session_id=feed.session_id,
        turn_index=feed.offset + at,
        speaker=turn.speaker or None,
        role=turn.role,
        tags=feed.tags,
        meta=feed.meta,
        base_strength=context.config.initial_strength,
        last_reinforced_at=when,
        embedding=vector.tobytes() if vector.any() else None,
        space_id=context.space_id,
    )
