"""Public conversation benchmarks: LoCoMo, LongMemEval and BEAM, apart or in one pooled scope."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from realmemory.clock import DAY
from realmemory.eval import measure, metrics, scoring
from realmemory.eval.controls import Bm25Control, RecencyControl, answers_of
from realmemory.eval.conversations import UNKNOWN_START, Shelf
from realmemory.eval.corpora import beam, chats, locomo, longmemeval
from realmemory.eval.options import COUNT, Benchmark, Options, common, reread
from realmemory.eval.progress import progress
from realmemory.eval.report import Report
from realmemory.eval.subject import make_reranker, open_subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.dialogue import Dialogue, Question
    from realmemory.eval.scoring import Answer
    from realmemory.eval.subject import Subject

KS = (1, 5, 10, 50)
_APART = frozenset({locomo.ADVERSARIAL, "abstention", chats.UNANSWERABLE})
"""Categories without an answer: reported apart, never part of the retrieval figures."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers at the level of turns and of sessions."""

    turns: list[Answer]
    sessions: list[Answer]


def ask(subject: Subject, questions: Sequence[Question], shelf: Shelf) -> Asked:
    """Ask every question in the scope of its conversation."""
    asked = Asked([], [])
    for question in progress(questions, "recall", len(questions)):
        got = subject.ask(question.text, k=max(KS), scope=shelf.scope_of(question.conversation))
        ids = [item.memory_id for item in got.packet.items]
        turns = got.answer(
            question.key,
            question.category,
            gold=_names(shelf, question, question.turns),
            ranking=shelf.turn_names(ids),
        )
        asked.turns.append(turns)
        if question.sessions:
            gold = _names(shelf, question, question.sessions)
            ranking = _sessions(subject, question, shelf)
            asked.sessions.append(replace(turns, gold=gold, ranking=ranking, confidences=()))
    return asked


def _sessions(subject: Subject, question: Question, shelf: Shelf) -> tuple[str, ...]:
    """Return the sessions in the order in which recall gathers them."""
    scope = shelf.scope_of(question.conversation)
    packet = subject.memory.recall(question.text, k=max(KS), scope=scope, group_by="session")
    return shelf.session_names([item.memory_id for item in packet.items])


def _names(shelf: Shelf, question: Question, keys: frozenset[str]) -> frozenset[str]:
    return frozenset(shelf.key(question.conversation, key) for key in keys)


def control_answers(
    dialogue: Dialogue, shelf: Shelf, answers: Sequence[Answer]
) -> dict[str, list[Answer]]:
    """Answer with bm25 alone and with the newest turns, within the same scope."""
    scope_of = {q.key: shelf.scope_of(q.conversation) for q in dialogue.questions}
    rows: dict[str, list[tuple[str, str, float]]] = {}
    for conversation, session, moment in shelf.sessions():
        rows.setdefault(shelf.scope_of(conversation.key), []).extend(
            (shelf.key(conversation.key, turn.key), f"{turn.speaker}: {turn.text}", moment)
            for turn in session.turns
        )
    bm25 = {
        scope: Bm25Control([row[0] for row in part], [row[1] for row in part])
        for scope, part in rows.items()
    }
    recency = {
        scope: RecencyControl([row[0] for row in part], [row[2] for row in part])
        for scope, part in rows.items()
    }
    k = max(KS)
    return {
        "bm25": answers_of(answers, lambda a: bm25[scope_of[a.id]].rank(a.query, k)),
        "recency": answers_of(answers, lambda a: recency[scope_of[a.id]].rank(a.query, k)),
    }


def run(
    dialogue: Dialogue,
    embedder: EmbeddingProvider,
    *,
    pooled: bool = False,
    limit: int | None = None,
    path: Path | None = None,
    reranker: str = "",
) -> Report:
    """Store the conversations, ask the questions, and report.

    Args:
        dialogue: What was read.
        embedder: The embedder under test.
        pooled: Store everything in one scope instead of one for each conversation.
        limit: Only the first so many conversations.
        path: Folder to keep the store in; by default a temporary one.
        reranker: Name of the re-ranker under test; empty for none.
    """
    dialogue = dialogue.first(limit)
    shelf = Shelf(dialogue, pooled=pooled)
    latest = max((moment for _, _, moment in shelf.sessions()), default=UNKNOWN_START)
    reader = make_reranker(reranker)
    with open_subject(embedder, start=latest + DAY, path=path, reranker=reader) as subject:
        with measure.Stopwatch() as watch:
            shelf.store(subject)
        asked = ask(subject, dialogue.questions, shelf)
        resident, disk = measure.resident_bytes(), measure.disk_bytes(subject.folder)
    apart = [answer for answer in asked.turns if answer.category in _APART]
    kept = [answer for answer in asked.turns if answer.category not in _APART]
    return Report(
        name=f"{dialogue.name}{' pooled' if pooled else ''}",
        answers=kept,
        ks=KS,
        subject={
            "embedder": embedder.name,
            "turns": str(len(shelf)),
            **({"reranker": reranker} if reranker else {}),
        },
        controls=control_answers(dialogue, shelf, kept),
        details={
            "sessions": scoring.summarise(asked.sessions, KS),
            "sessions_by_category": scoring.by_group(asked.sessions, KS),
            "without_answer": _apart_figures(apart, kept),
            "turns_per_second": 1e3 * len(shelf) / watch.wall_ms,
            "write_cpu_ms": watch.cpu_ms / max(1, len(shelf)),
            "resident_bytes": resident,
            "disk_bytes": disk,
        },
    )


def _apart_figures(apart: Sequence[Answer], kept: Sequence[Answer]) -> dict[str, float]:
    if not apart:
        return {}
    tops = [a.confidences[0] if a.confidences else 0.0 for a in (*apart, *kept)]
    return {
        "n": len(apart),
        "abstained": metrics.mean([float(answer.abstained) for answer in apart]),
        "lost": metrics.mean([float(answer.abstained) for answer in kept]),
        "auroc": metrics.auroc(tops, [False] * len(apart) + [True] * len(kept)),
    }


def read_any(path: Path) -> Dialogue:
    """Read whichever of the benchmarks lies at a path.

    Raises:
        ConfigurationError: None of them does.
    """
    if path.is_dir():
        return beam.read(path)
    if path.name.startswith("longmemeval"):
        return longmemeval.read(path)
    return locomo.read(path)


def publish(report: Report, options: Options) -> None:
    """Print the report with its session level, and write what was asked for."""
    options.publish(report, 10)
    sessions, apart = report.details["sessions"], report.details["without_answer"]
    if sessions["answerable"]:
        click.echo(
            f"sessions: hit@5 {sessions['hit@5']:.3f}, hit@10 {sessions['hit@10']:.3f}, "
            f"recall@5 {sessions['recall@5']:.3f}, recall@10 {sessions['recall@10']:.3f}, "
            f"all@5 {sessions['complete@5']:.3f}, all@10 {sessions['complete@10']:.3f}"
        )
    if apart:
        click.echo(
            f"without an answer: n {apart['n']}, abstained {apart['abstained']:.3f}, "
            f"AUROC of the top confidence {apart['auroc']:.3f}"
        )
    click.echo(f"stored {report.details['turns_per_second']:.0f} turns/s")


def _command(
    name: str, summary: str, read: Callable[[Path], Dialogue], *, pooled: bool = False
) -> click.Command:
    @click.command(name, cls=Benchmark, help=summary)
    @click.option("--data", required=True, type=click.Path(path_type=Path), help="Your copy.")
    @_shared
    def command(*, data: Path, limit: int | None, reranker: str, options: Options) -> None:
        _measure(read(data), limit, options, pooled=pooled, reranker=reranker)

    return command


def _shared(command: Callable[..., None]) -> Callable[..., None]:
    picture = click.option(
        "--picture", type=click.Path(path_type=Path), help="Draw it (extra `bench`)."
    )
    limit = click.option("--limit", type=COUNT, help="Only the first conversations.")
    return common(reread(limit(picture(command))))


def _measure(
    dialogue: Dialogue, limit: int | None, options: Options, *, pooled: bool, reranker: str
) -> None:
    report = run(
        dialogue,
        options.make_embedder(),
        pooled=pooled,
        limit=limit,
        path=options.path,
        reranker=reranker,
    )
    publish(report, options)


@click.command("chats", cls=Benchmark)
@click.option("--pooled", is_flag=True, help="Store all conversations in one scope.")
@_shared
def own_chats(*, pooled: bool, limit: int | None, reranker: str, options: Options) -> None:
    """Our own conversations, which weights may be fitted on."""
    _measure(chats.load(), limit, options, pooled=pooled, reranker=reranker)


COMMANDS = (
    own_chats,
    _command("locomo", "LoCoMo: turns and sessions of long conversations.", locomo.read),
    _command("longmemeval", "LongMemEval: one history for each question.", longmemeval.read),
    _command("beam", "BEAM: long chats with probing questions.", beam.read),
    _command("pooled", "Any of them, all conversations in one scope.", read_any, pooled=True),
)
