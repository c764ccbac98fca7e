"""The corpus that ships with the package: facts, questions, near misses and language sets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from typing import TYPE_CHECKING, Any

from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Mapping

CALIBRATION = "calibration"
"""The half of the queries that thresholds and weights may be fitted on."""
HELD_OUT = "held_out"
"""The half that is only ever measured."""

ANSWERABLE_KINDS = (
    "paraphrase",
    "cross_lingual",
    "exact_token",
    "typo",
    "update",
    "time_dependent",
)
UNANSWERABLE_KINDS = ("in_domain_unanswerable", "out_of_domain", "nonsense")
NOISE_KINDS = ("off_topic", "nonsense")
KINDS = (*ANSWERABLE_KINDS, *UNANSWERABLE_KINDS, "scope_leak")


@dataclass(frozen=True, slots=True)
class Fact:
    """One text to remember.

    ``supersedes`` names the fact it replaces through ``update_fact``; ``contradicts`` the one it
    disagrees with although nobody said so; ``dup_of`` the one it repeats in other words.
    """

    id: str
    text: str
    lang: str
    scope: str
    kind: str
    when: float
    session_id: str | None = None
    dup_of: str | None = None
    supersedes: str | None = None
    contradicts: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """One question with its right answer.

    ``expect`` are the facts of which any one answers it (empty: abstain), ``forbid`` those that
    must not be returned, ``stale`` those that must not rank above the answer.
    """

    id: str
    kind: str
    text: str
    lang: str
    scope: str | None
    expect: tuple[str, ...]
    forbid: tuple[str, ...]
    split: str
    stale: tuple[str, ...] = ()
    as_of: float | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """Facts in the order in which they are written, and the queries asked at ``now``."""

    facts: tuple[Fact, ...]
    queries: tuple[Query, ...]
    now: float

    def accepted(self, query: Query) -> frozenset[str]:
        """Return every fact that answers the query: the expected ones and their duplicates."""
        roots = {self._root(fact_id) for fact_id in query.expect}
        return frozenset(fact.id for fact in self.facts if self._root(fact.id) in roots)

    def _root(self, fact_id: str) -> str:
        for fact in self.facts:
            if fact.id == fact_id:
                return fact.dup_of or fact_id
        raise KeyError(fact_id)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts that must stay apart (a near miss) or become one memory (a paraphrase)."""

    id: str
    kind: str
    lang: str
    first: str
    second: str
    split: str = HELD_OUT


@dataclass(frozen=True, slots=True)
class PairSet:
    """The two collections of pairs."""

    near_misses: tuple[Pair, ...]
    paraphrases: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class LanguageSet:
    """Short texts in six languages with inflected, misspelt and two-character queries."""

    facts: tuple[Fact, ...]
    queries: tuple[Query, ...]


def load_corpus() -> Corpus:
    """Read the shipped corpus."""
    raw = _read("corpus.json")
    facts = [
        Fact(
            **{_FIELD.get(key, key): value for key, value in item.items() if key != "when"},
            when=epoch(item["when"]),
        )
        for item in raw["facts"]
    ]
    facts.sort(key=lambda fact: fact.when)
    queries = tuple(_query(item) for item in raw["queries"])
    return Corpus(tuple(facts), queries, epoch(raw["now"]))


def load_pairs() -> PairSet:
    """Read the shipped near misses and paraphrases."""
    raw = _read("near_miss.json")
    return PairSet(
        tuple(Pair(**item) for item in raw["near_misses"]),
        tuple(Pair(**item) for item in raw["paraphrases"]),
    )


def load_languages() -> LanguageSet:
    """Read the shipped language sets; all of it is written at one time in the global scope."""
    raw = _read("languages.json")
    return LanguageSet(
        tuple(
            Fact(**item, scope=GLOBAL_SCOPE, kind="semantic", when=_LANGUAGES_WHEN)
            for item in raw["facts"]
        ),
        tuple(
            _query({**item, "scope": None, "forbid": [], "split": HELD_OUT})
            for item in raw["queries"]
        ),
    )


def load_noise() -> tuple[Query, ...]:
    """Read the shipped questions that nothing in the corpus answers.

    Each is asked in one of the corpus's scopes, in turn; a few are the corpus's own.
    """
    raw = _read("noise.json")
    scopes = [None, *sorted({fact.scope for fact in load_corpus().facts} - {GLOBAL_SCOPE})]
    return tuple(
        _query(
            {
                **item,
                "kind": kind,
                "scope": scopes[number % len(scopes)],
                "expect": [],
                "forbid": [],
            }
        )
        for kind in NOISE_KINDS
        for number, item in enumerate(raw[kind])
    )


def epoch(moment: str) -> float:
    """Return epoch seconds of an ISO 8601 time with an offset."""
    parsed = datetime.fromisoformat(moment)
    if parsed.tzinfo is None:
        raise ValueError(f"{moment!r} has no offset from UTC")
    return parsed.timestamp()


_LANGUAGES_WHEN = 1_772_323_200.0
"""2026-03-01, before the first fact of the corpus."""
_FIELD = {"session": "session_id"}


def _query(item: Mapping[str, Any]) -> Query:
    return Query(
        id=item["id"],
        kind=item["kind"],
        text=item["text"],
        lang=item["lang"],
        scope=item["scope"],
        expect=tuple(item["expect"]),
        forbid=tuple(item["forbid"]),
        split=item["split"],
        stale=tuple(item.get("stale", ())),
        as_of=epoch(item["as_of"]) if "as_of" in item else None,
    )


def _read(name: str) -> dict[str, Any]:
    path = resources.files("realmemory.eval").joinpath("data", name)
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return raw
