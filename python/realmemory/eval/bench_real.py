"""Our own corpus through the gate and back: ``python -m realmemory.eval.bench_real``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from realmemory.eval import measure, scoring
from realmemory.eval.controls import Bm25Control, CosineControl, RecencyControl, answers_of
from realmemory.eval.corpora import own
from realmemory.eval.options import Benchmark, Options, common, ranked, reread
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import make_reranker, open_subject
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.controls import Control
    from realmemory.eval.corpora.own import Corpus, Fact, Query
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject
    from realmemory.outcomes import WriteResult


@dataclass(slots=True)
class Written:
    """Which trace holds each fact, and what the gate did with it."""

    trace_of: dict[str, int] = field(default_factory=dict)
    label_of: dict[int, str] = field(default_factory=dict)
    results: dict[str, WriteResult] = field(default_factory=dict)
    wall_ms: float = 0.0
    cpu_ms: float = 0.0

    def note(self, fact: Fact, result: WriteResult) -> None:
        """Keep the outcome of one write; a merged fact counts as the trace it went into."""
        self.trace_of[fact.id] = result.memory_id
        self.label_of.setdefault(result.memory_id, fact.id)
        self.results[fact.id] = result

    def label(self, memory_id: int) -> str:
        """Return the name of a trace: its first fact."""
        return self.label_of.get(memory_id, f"#{memory_id}")

    def labels(self, fact_ids: Sequence[str] | frozenset[str]) -> frozenset[str]:
        """Return the names of the traces that hold some facts."""
        return frozenset(self.label(self.trace_of[fact_id]) for fact_id in fact_ids)


def write_facts(subject: Subject, facts: Sequence[Fact]) -> Written:
    """Write facts in their order, each at its own time."""
    written = Written()
    for fact in progress(facts, "remember", len(facts)):
        subject.move_to(fact.when)
        with measure.Stopwatch() as watch:
            result = _write(subject, fact, written)
        written.note(fact, result)
        written.wall_ms += watch.wall_ms
        written.cpu_ms += watch.cpu_ms
    return written


def _write(subject: Subject, fact: Fact, written: Written) -> WriteResult:
    if fact.supersedes is not None:
        return subject.memory.update_fact(
            written.trace_of[fact.supersedes], fact.text, when=fact.when
        )
    return subject.memory.remember(
        fact.text,
        kind=fact.kind,
        scope=fact.scope,
        when=fact.when,
        session_id=fact.session_id,
    )


def ask_queries(
    subject: Subject, corpus: Corpus, queries: Sequence[Query], written: Written, k: int
) -> list[Answer]:
    """Ask the queries at the corpus's ``now``."""
    subject.move_to(corpus.now)
    answers = []
    for query in progress(queries, "recall", len(queries)):
        asked = subject.ask(query.text, k=k, scope=query.scope, as_of=query.as_of)
        gold = written.labels(corpus.accepted(query))
        answers.append(
            asked.answer(
                query.id,
                query.kind,
                gold=gold,
                ranking=asked.labels(written.label),
                forbidden=written.labels(query.forbid) - gold,
                stale=written.labels(query.stale) - gold,
                tags={"lang": query.lang, "split": query.split},
            )
        )
    return answers


def gate_figures(corpus: Corpus, written: Written) -> dict[str, Any]:
    """Return what the gate did: false merges of base facts, missed merges of duplicates."""
    duplicates = [fact for fact in corpus.facts if fact.dup_of]
    base = [fact for fact in corpus.facts if not fact.dup_of and not fact.supersedes]
    merged = [fact.id for fact in base if not written.results[fact.id].created]
    apart = [
        fact.id
        for fact in duplicates
        if written.trace_of[fact.id] != written.trace_of[str(fact.dup_of)]
    ]
    contradicting = [fact for fact in corpus.facts if fact.contradicts]
    flagged = [
        fact.id
        for fact in contradicting
        if written.trace_of[str(fact.contradicts)] in written.results[fact.id].conflicts
    ]
    return {
        "actions": dict(Counter(str(r.decision.action) for r in written.results.values())),
        "base_facts": len(base),
        "false_merges": merged,
        "false_merge_rate": len(merged) / len(base),
        "duplicates": len(duplicates),
        "missed_merges": apart,
        "missed_merge_rate": len(apart) / len(duplicates),
        "contradictions": len(contradicting),
        "contradictions_flagged": flagged,
    }


def control_answers(
    corpus: Corpus, answers: Sequence[Answer], embedder: EmbeddingProvider, k: int
) -> dict[str, list[Answer]]:
    """Answer the same queries with bm25, cosine and recency, each within the query's scope."""
    queries = {query.id: query for query in corpus.queries}
    questions = [
        replace(
            answer,
            gold=corpus.accepted(queries[answer.id]),
            forbidden=frozenset(queries[answer.id].forbid),
            stale=frozenset(queries[answer.id].stale),
        )
        for answer in answers
    ]
    views = {
        scope: _controls(
            [fact for fact in corpus.facts if fact.scope in {scope, GLOBAL_SCOPE}], embedder
        )
        for scope in {fact.scope for fact in corpus.facts}
    }

    def ranked_by(name: str) -> Callable[[Answer], tuple[str, ...]]:
        def rank(answer: Answer) -> tuple[str, ...]:
            scope = queries[answer.id].scope or GLOBAL_SCOPE
            return views[scope][name].rank(answer.query, k)

        return rank

    return {name: answers_of(questions, ranked_by(name)) for name in ("bm25", "cosine", "recency")}


def _controls(facts: Sequence[Fact], embedder: EmbeddingProvider) -> dict[str, Control]:
    keys, texts = [fact.id for fact in facts], [fact.text for fact in facts]
    return {
        "bm25": Bm25Control(keys, texts),
        "cosine": CosineControl(embedder, keys, texts),
        "recency": RecencyControl(keys, [fact.when for fact in facts]),
    }


def run(
    embedder: EmbeddingProvider,
    *,
    corpus: Corpus | None = None,
    k: int = 10,
    split: str = "all",
    path: Path | None = None,
    reranker: str = "",
) -> Report:
    """Write the corpus, ask its queries, and report.

    Args:
        embedder: The embedder under test.
        corpus: Facts and queries; by default the shipped ones.
        k: Hits asked for.
        split: ``calibration``, ``held_out`` or ``all``.
        path: Folder to keep the store in; by default a temporary one.
        reranker: Name of the re-ranker under test; empty for none.
    """
    corpus = corpus or own.load_corpus()
    queries = [query for query in corpus.queries if split in {"all", query.split}]
    reader = make_reranker(reranker)
    with open_subject(embedder, start=corpus.facts[0].when, path=path, reranker=reader) as subject:
        written = write_facts(subject, corpus.facts)
        answers = ask_queries(subject, corpus, queries, written, k)
        resident = measure.resident_bytes()
        disk = measure.disk_bytes(subject.folder)
    ks = scoring.depths(k)
    halves = {
        half: _half([answer for answer in answers if answer.tags["split"] == half], ks)
        for half in sorted({query.split for query in queries})
    }
    return Report(
        name="bench_real",
        answers=answers,
        ks=ks,
        subject={
            "embedder": embedder.name,
            "split": split,
            "k": str(k),
            **({"reranker": reranker} if reranker else {}),
        },
        controls=control_answers(corpus, answers, embedder, k),
        details={
            "gate": gate_figures(corpus, written),
            "by_split": halves,
            "by_language": scoring.by_group(answers, ks, "lang"),
            "writes_per_second": 1e3 * len(corpus.facts) / written.wall_ms,
            "write_cpu_ms": written.cpu_ms / len(corpus.facts),
            "resident_bytes": resident,
            "disk_bytes": disk,
        },
    )


def _half(answers: Sequence[Answer], ks: Sequence[int]) -> dict[str, Any]:
    far = [a for a in answers if a.gold or a.category in {"out_of_domain", "nonsense"}]
    near = [a for a in answers if a.gold or a.category == "in_domain_unanswerable"]
    return {
        "overall": scoring.summarise(answers, ks),
        "by_category": scoring.by_group(answers, ks),
        "abstention_far": scoring.abstention_figures(far),
        "abstention_near": scoring.abstention_figures(near),
        "confidence": scoring.confidence_figures(answers),
    }


@click.command(cls=Benchmark)
@click.option(
    "--split",
    default="all",
    show_default=True,
    type=click.Choice(["all", own.CALIBRATION, own.HELD_OUT]),
    help="Half of the queries.",
)
@common
@ranked
@reread
def main(*, k: int, split: str, reranker: str, options: Options) -> None:
    """Remember our own corpus and ask its questions."""
    embedder, path = options.make_embedder(), options.path
    report = run(embedder, k=k, split=split, path=path, reranker=reranker)
    options.publish(report, k)
    click.echo(_details_text(report.details))


def _details_text(details: Any) -> str:  # noqa: ANN401 - nested JSON
    gate = details["gate"]
    merged, base = len(gate["false_merges"]), gate["base_facts"]
    apart, duplicates = len(gate["missed_merges"]), gate["duplicates"]
    flagged, contradictions = len(gate["contradictions_flagged"]), gate["contradictions"]
    lines = [
        f"gate: {', '.join(f'{count} {action}' for action, count in gate['actions'].items())}",
        f"  base facts falsely merged {merged} of {base}",
        f"  duplicates kept apart {apart} of {duplicates}",
        f"  contradictions flagged {flagged} of {contradictions}",
        f"writes: {details['writes_per_second']:.0f}/s, {details['write_cpu_ms']:.2f} CPU ms each",
        f"store: {details['disk_bytes'] / 2**20:.1f} MB",
    ]
    return "\n".join(lines + [_half_text(*item) for item in details["by_split"].items()])


def _half_text(half: str, part: Any) -> str:  # noqa: ANN401 - nested JSON
    far, near, confidence = part["abstention_far"], part["abstention_near"], part["confidence"]
    return (
        f"{half}: abstained far {far['recall']:.3f} ({far['recall_at_lost']['0.02']:.3f} at 2 % "
        f"lost), in domain {near['recall']:.3f} ({near['recall_at_lost']['0.05']:.3f} at 5 % lost), "
        f"lost {far['lost']:.3f}; calibration error {confidence['calibration_error']:.3f}, "
        f"AUROC {confidence['auroc']:.3f}"
    )


if __name__ == "__main__":
    main()
