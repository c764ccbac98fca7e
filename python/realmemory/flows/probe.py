"""Stage `probe`: the traces nearest to a text, in its own scope and the global one."""

from __future__ import annotations

import itertools
from operator import itemgetter
from typing import TYPE_CHECKING

from realmemory.core.rows import KIND_CODES, STATUS_CODES, ScanFilter
from realmemory.flows.look_ahead import LookAhead
from realmemory.policies.change.changes import Changed, changed, may_change, tells_change
from realmemory.policies.gate.occasions import same_occasion
from realmemory.policies.gate.plain_text import plain_text
from realmemory.policies.gate.reading import fact_signature
from realmemory.policies.gate.signature import FAR, SOFT, compare, far_apart, least_shared
from realmemory.policies.gate.subjects import subject_of
from realmemory.policies.gate.unread import Sought
from realmemory.policies.novelty import Neighbour
from realmemory.policies.recital import cited_ids, repeats, stated_lines
from realmemory.scopes import scope_key
from realmemory.store.variants import Stating
from realmemory.types import GLOBAL_SCOPE, Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft
    from realmemory.flows.look_ahead import Near
    from realmemory.policies.gate.reading import FactSignature
    from realmemory.store.transactions import WriteTx
    from realmemory.store.variants import Worded

_OCCASIONS = 5
"""Traces with the very same text that are looked at; further ones tell of other times."""


class WriteProbe:
    """Finds the neighbours of a batch of drafts inside one write transaction.

    What it creates is seen by the drafts that follow. A change of a trace that was there before is not seen; the batch has to end there.
    """

    def __init__(self, context: MemoryContext, tx: WriteTx, drafts: Sequence[Draft]) -> None:
        self._context = context
        self._tx = tx
        self.drafts = drafts
        self._now = context.clock.now()
        self._created: dict[int, int] = {}
        self._worded: dict[int, Worded] = {}
        self._filters: dict[tuple[str, bool], ScanFilter] = {}
        self._stated = tx.variants.stating([draft.request.text for draft in drafts])
        self._least = [least_shared(draft.signature) for draft in drafts]
        self._ahead = LookAhead(context, drafts, self._visible, tx.scopes.id_of)

    def add(self, memory_id: int, at: int) -> None:
        """Make a trace of this transaction, made from a draft, visible to the following probes."""
        draft = self.drafts[at]
        self._created[memory_id] = at
        self._ahead.add(memory_id, at)
        scope = self._tx.scopes.id_of(draft.request.scope)
        stating = Stating(memory_id, scope, draft.when)
        self._stated.setdefault(draft.request.text, []).append(stating)

    def nearest(self, at: int) -> list[Neighbour]:
        """Return the traces nearest to a draft by meaning or by words, the same fact first.

        A trace with the very same text is a neighbour at cosine 1 even when the embedder finds
        no content in it. Only traces that may state the same fact or contradict it, and the
        nearest one where it is near enough to be linked, are read from the store and compared;
        of the others those are left out that are too far to be linked, all but the nearest.

        Args:
            at: Which draft of the batch.
        """
        draft, config = self.drafts[at], self._context.config
        near = self._candidates(at)
        # Without a vector there is no cosine, which is to say NaN.
        found = {item: cosine if cosine == cosine else 0.0 for item, cosine, _ in near}  # noqa: PLR0124
        stated = _telling(draft, self._stating(draft, self._stated.get(draft.request.text, ())))
        found |= dict.fromkeys(stated, 1.0)
        # Negated, so that the nearest come first and the older of equals.
        ordered = sorted([(-cosine, item) for item, cosine in found.items()])
        # Why a text is linked is told, and from a cosine on other words may say the same.
        rephrase, link = -config.theta_rephrase, -config.theta_link
        told = {item for cosine, item in ordered if cosine <= rephrase}
        told.update([item for cosine, item in ordered[:1] if cosine <= link])
        worth = self._worth_reading(at, near) | stated
        if tells_change(draft.request.text):
            # News of a short text may share no more with it than that holds.
            worth.update(found)
            told |= self._overtaken(draft, found.keys() - told)
        compared = self._compared(draft, found, stated, told, worth)
        return [
            compared.get(item) or Neighbour(item, -cosine, "", differences=FAR)
            for at, (cosine, item) in enumerate(ordered)
            if item in compared or at == 0 or cosine <= link
        ]

    def _worth_reading(self, at: int, near: Iterable[Near]) -> set[int]:
        """Return those of some candidates that may state a draft's fact or contradict it."""
        least = self._least[at]
        return {item for item, _, shared in near if shared >= least}

    def _overtaken(self, draft: Draft, ids: set[int]) -> set[int]:
        """Return those of traces that the draft may say have changed, or may be of its subject's sort.

        What it says has changed may share no more with it than the subject.
        """
        drafted = draft.signature
        if subject_of(drafted) is not None:
            return ids
        if not may_change(drafted.text):
            return set()
        self._read(ids)
        said = {item: [self.drafts[at].signature.text] for item, at in self._created.items()}
        for item in ids & self._worded.keys():
            said[item] = [plain_text(text) for text in self._worded[item].texts]
        # Of several wordings that counts which the draft differs from least.
        return {
            item
            for item in ids & said.keys()
            if len(said[item]) > 1 or changed(said[item][0], drafted.text) is Changed.SURELY
        }

    def _compared(
        self,
        draft: Draft,
        found: Mapping[int, float],
        stated: set[int],
        told: set[int],
        worth: set[int],
    ) -> dict[int, Neighbour]:
        """Compare a draft with traces; what is far from it and not to be told is left out."""
        ids = worth | told
        if not ids:
            return {}
        compared: dict[int, Neighbour] = {}
        drafted, rephrase = draft.signature, self._context.config.theta_rephrase
        certain = told | stated
        for item, author, when, wordings in self._known(ids, draft, certain):
            if item not in certain and all(far_apart(each, drafted) for each in wordings):
                continue
            cosine = found[item]
            one = Neighbour(item, cosine, author, differences=(), observed_at=when)
            if item not in stated:
                one = _by_words(one, wordings, drafted, rephrased=cosine >= rephrase)
            compared[item] = one
        return self._sound(compared)

    def _known(
        self, ids: set[int], draft: Draft, certain: set[int]
    ) -> Iterator[tuple[int, str, float, list[FactSignature]]]:
        """Yield author, time and what the wordings say of traces; those of this batch are known.

        Left out are those that are far from the draft whatever they say, unless they are certain
        to be looked at.
        """
        for item in ids & self._created.keys():
            known = self.drafts[self._created[item]]
            yield item, self._context.author, known.when, [known.signature]
        stored = ids - self._created.keys()
        if not stored:
            return
        sought = Sought(draft.signature)
        self._read(stored)
        for item in sorted(stored & self._worded.keys()):
            author, when, texts = self._worded[item]
            if item in certain or not all(map(sought.surely_far, texts)):
                yield item, author, when, [fact_signature(text) for text in texts]

    def _read(self, ids: set[int]) -> None:
        """Read the wordings of traces, and of those that the drafts looked up ahead will ask for.

        They stay as they are until the batch ends.
        """
        if ids <= self._worded.keys():
            return
        for at, near in self._ahead.expected():
            nearest = [max(near, key=itemgetter(1))[0]] if near else []
            ids = ids.union(self._worth_reading(at, near), nearest)
        unread = ids - self._worded.keys() - self._created.keys()
        self._worded |= self._tx.variants.wordings(unread)

    def _sound(self, compared: dict[int, Neighbour]) -> dict[int, Neighbour]:
        """Leave out damaged traces whose words would decide something."""
        telling = {
            item
            for item, one in compared.items()
            if item not in self._created and (one.contradicts or set(one.differences) <= SOFT)
        }
        damaged = telling.difference(self._tx.traces.sound(telling)) if telling else telling
        return {item: one for item, one in compared.items() if item not in damaged}

    def recited(self, draft: Draft) -> list[int]:
        """Return the traces that a paste of recalled memories repeats, empty when it is none."""
        lines = stated_lines(draft.request.text)
        if not lines:
            return []
        parts = {line: line.split("; ") for line in lines}
        stated = self._tx.variants.stating({*lines, *itertools.chain(*parts.values())})
        cited = self._cited(draft)

        def telling(line: str) -> list[int]:
            told = [trace.id for trace in self._stating(draft, stated.get(line, ()))]
            return told or [item for item, text in cited.items() if repeats(line, text)]

        known: list[list[int]] = []
        for line in lines:
            told = telling(line)
            known += [told] if told else map(telling, parts[line])
        return [min(ids) for ids in known] if all(known) else []

    def _cited(self, draft: Draft) -> dict[int, str]:
        """Return the texts of the memories that a draft names and may see, by id."""
        ids = cited_ids(draft.request.text)
        if not ids:
            return {}
        seen = {scope_key(draft.request.scope), GLOBAL_SCOPE}
        return {
            item: trace.text
            for item, trace in self._tx.traces.get_many(sorted(ids)).items()
            if scope_key(trace.scope) in seen and trace.status is not Status.QUARANTINED
        }

    def _stating(self, draft: Draft, traces: Iterable[Stating]) -> list[Stating]:
        """Return those of some traces that a draft may see."""
        scopes = self._visible(draft).scopes or ()
        return [trace for trace in traces if trace.scope_id in scopes]

    def _visible(self, draft: Draft) -> ScanFilter:
        name, turns = draft.request.scope, draft.request.kind == Kind.TURN
        if (name, turns) not in self._filters:
            id_of = self._tx.scopes.id_of
            kinds = (Kind.TURN,) if turns else (Kind.EPISODIC, Kind.SEMANTIC)
            self._filters[name, turns] = ScanFilter(
                now=self._now,
                scopes=tuple({id_of(name), id_of(GLOBAL_SCOPE)}),
                kinds=tuple(KIND_CODES[kind] for kind in kinds),
                statuses=(STATUS_CODES[Status.ACTIVE], STATUS_CODES[Status.ARCHIVED]),
            )
        return self._filters[name, turns]

    def _candidates(self, at: int) -> list[Near]:
        """Describe every trace that the scan or the keyword search brings, in order of ids.

        Words bring what an embedder that does not know the language misses.
        """
        try:
            return self._ahead.found(at)
        except OSError:
            # A block of the index's snapshot is damaged; the store has everything.
            self._context.index.rebuild(self._tx)
            self._ahead.restart()
            return self._ahead.found(at)


def _telling(draft: Draft, traces: Sequence[Stating]) -> set[int]:
    """Return those to look at of the traces that hold the very text of a draft.

    What happens every day fills no list: those of the draft's own occasion come first, then the
    latest.
    """
    when = draft.request.when

    def weight(trace: Stating) -> tuple[bool, float, int]:
        again = when is None or not same_occasion(trace.observed_at, when)
        return again, -trace.observed_at, trace.id

    return {trace.id for trace in sorted(traces, key=weight)[:_OCCASIONS]}


def _by_words(
    one: Neighbour, wordings: Sequence[FactSignature], drafted: FactSignature, *, rephrased: bool
) -> Neighbour:
    """Compare a draft with the wording of a trace that it differs from least."""
    best, wording = min(
        ((compare(wording, drafted, rephrased=rephrased), wording) for wording in wordings),
        key=lambda item: len(item[0].differences),
    )
    return one._replace(
        differences=best.differences,
        contradicts=best.contradicts,
        common=best.common,
        wording=wording,
        apart=best.apart,
    )
