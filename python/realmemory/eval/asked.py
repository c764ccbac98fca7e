"""What the channels say about every question of our own corpus: what profiles are fitted on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from realmemory.config import MemoryConfig
from realmemory.core.evidence import COLUMNS, Table
from realmemory.core.static_table import About
from realmemory.eval.bench_real import write_facts
from realmemory.eval.corpora import own
from realmemory.eval.progress import progress
from realmemory.eval.subject import open_subject
from realmemory.policies.relevance import Evidence, Null
from realmemory.policies.scripts import apart
from realmemory.policies.surroundings import TURN_FEATURES, Surroundings
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.bench_real import Written
    from realmemory.eval.corpora.own import Corpus, Fact, Query
    from realmemory.eval.subject import Subject

    Array = NDArray[np.float64]

ELSEWHERE = "elsewhere"
NOISE = "noise"
FOREIGN = ("out_of_domain", "nonsense", "scope_leak", NOISE, ELSEWHERE)
"""Questions that the judge of answerability learns to refuse.

Questions about the memory's own subjects whose answer happens to be missing look like answerable
ones; learning from them only blurs the judge.
"""
_CYRILLIC, _LATIN = "а", "a"
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The candidates of one question: the evidence, and which of them answer it."""

    query: Query
    evidence: Evidence
    relevant: NDArray[np.bool_]


def collect(embedder: EmbeddingProvider) -> list[Asked]:
    """Ask every question, in its scope and of all scopes, and keep what the channels said.

    The larger haystack teaches the model what the number of rows does to chance likeness. Noise,
    and questions asked of another project than the one that answers them, teach it to refuse.
    """
    corpus = own.load_corpus()
    queries = [*corpus.queries, *_noise()]
    return _collect(embedder, corpus, corpus.facts, queries, _elsewhere(corpus))


def collect_apart(embedder: EmbeddingProvider) -> list[Asked]:
    """Ask a memory of what is written in one script, in the other, for what it holds and for noise.

    The corpus holds both, and a question finds some of its own letters whatever it asks for.
    """
    corpus, result = own.load_corpus(), []
    for script, other in ((_LATIN, _CYRILLIC), (_CYRILLIC, _LATIN)):
        facts = [fact for fact in corpus.facts if not apart(script, [fact.text])]
        held = {fact.id for fact in facts}
        queries = [
            query
            for query in (*corpus.queries, *_noise())
            if _LETTER.search(query.text)
            and not apart(other, [query.text])
            and (held & corpus.accepted(query) if query.expect else query.kind in FOREIGN)
        ]
        result += _collect(embedder, corpus, facts, queries)
    return result


def _noise() -> list[Query]:
    return [replace(query, kind=NOISE) for query in own.load_noise()]


def _collect(
    embedder: EmbeddingProvider,
    corpus: Corpus,
    facts: Sequence[Fact],
    queries: Sequence[Query],
    more: Sequence[Query] = (),
) -> list[Asked]:
    """Remember facts and ask; ``more`` are questions of one scope alone."""
    start = min(fact.when for fact in corpus.facts)
    asked = []
    with open_subject(embedder, start=start, config=MemoryConfig(ranking="classic")) as subject:
        written = write_facts(subject, facts)
        subject.move_to(corpus.now)
        for query in progress(queries, "recall", len(queries)):
            asked.append(_ask(subject, corpus, written, query, all_scopes=False))
            if query.kind != "scope_leak":
                asked.append(_ask(subject, corpus, written, query, all_scopes=True))
        asked += [_ask(subject, corpus, written, query, all_scopes=False) for query in more]
    return asked


def _elsewhere(corpus: Corpus) -> list[Query]:
    """Return the questions that one project answers, each asked of another."""
    scopes = sorted({fact.scope for fact in corpus.facts} - {GLOBAL_SCOPE})
    scope_of = {fact.id: fact.scope for fact in corpus.facts}
    result = []
    for at, query in enumerate(corpus.queries):
        if query.expect and {scope_of[fact] for fact in query.expect} == {query.scope}:
            others = [scope for scope in scopes if scope != query.scope]
            other = others[at % len(others)]
            result.append(replace(query, kind=ELSEWHERE, scope=other, expect=(), forbid=()))
    return result


def _ask(
    subject: Subject, corpus: Corpus, written: Written, query: Query, *, all_scopes: bool
) -> Asked:
    packet = subject.memory.recall(
        query.text,
        k=10,
        scope=query.scope,
        all_scopes=all_scopes,
        as_of=query.as_of,
        explain=True,
    )
    explanation = packet.explanation or {}
    rows: list[dict[str, Any]] = explanation["candidates"]
    accepted = corpus.accepted(query) & written.trace_of.keys()
    gold = {written.trace_of[fact] for fact in accepted}
    return Asked(
        query,
        evidence_of(rows, explanation["query"]),
        np.array([row["id"] in gold for row in rows], dtype=np.bool_),
    )


def evidence_of(rows: Sequence[dict[str, Any]], query: dict[str, Any]) -> Evidence:
    """Return the evidence that an explanation lists."""

    def column(name: str) -> Array:
        return np.array([row[name] for row in rows], dtype=np.float64)

    return Evidence(
        table=Table.of({name: column(name) for name in COLUMNS}),
        query_words=query["words"],
        letters_per_piece=query["letters_per_piece"],
        rows=query["rows"],
        null=Null(*(query["null"][name] for name in ("count", "mean", "std"))),
        around=_surroundings(rows),
        about=None if query["about"] is None else About(**query["about"]),
        apart=query["apart"],
    )


def _surroundings(rows: Sequence[dict[str, Any]]) -> Surroundings:
    result = Surroundings.none(len(rows))
    for at, row in enumerate(rows):
        if "surroundings" in row:
            result.is_turn[at] = True
            result.features[at] = [row["surroundings"][name] for name in TURN_FEATURES]
    return result
