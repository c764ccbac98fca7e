"""`demo`: a memory at work on real text, in seven short chapters."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory.cli.output import emit_json, one_line, say
from realmemory.cli.recall import hit_lines, packet_lines
from realmemory.cli.session import Session, memory_command
from realmemory.clock import DAY, FakeClock
from realmemory.config import MemoryConfig
from realmemory.eval.corpora.own import Corpus, Fact, Query, load_corpus
from realmemory.hippocampus import Hippocampus
from realmemory.outcomes import WriteRequest
from realmemory.types import GLOBAL_SCOPE, Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from realmemory.types import RecallPacket

DOCUMENTATION = "realmemory"
"""Scope of our own documentation in the demo."""

# Queries of the held-out half: paraphrases, typing errors, bare tokens, updates, two languages.
_ASKED = ("pa001", "pa013", "tk019", "ty003", "ty010", "up002", "up007", "ti017")
_ASKED_OF_US = (
    "which two commands build everything and run the tests?",
    "does importing the package load a model?",
)
_UNKNOWN = "od010"
_CHANGED = ("up016", "ti016")


class Stage:
    """Where the demo speaks: to a person, or silently into a summary.

    Args:
        quiet: Print nothing; the caller prints the summary.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._chapter = 0
        self.summary: dict[str, Any] = {}

    def chapter(self, title: str) -> None:
        """Begin a chapter."""
        self._chapter += 1
        self.tell("", click.style(f"{self._chapter}. {title}", bold=True))

    def tell(self, *lines: str) -> None:
        """Say something."""
        if not self._quiet:
            for line in lines:
                say(line)


@click.command()
@memory_command
def demo(session: Session) -> None:
    """Remember real text and recall it: answers, doubt, change, forgetting, sleep, company.

    Everything happens in a temporary folder; with --path the memory is kept there to play with.
    """
    started = time.perf_counter()
    stage = Stage(quiet=session.as_json)
    with _folder(session.path) as folder:
        if (folder / "memory.db").exists():
            raise click.UsageError(f"{folder} already holds a memory: give the demo a new folder")
        _tell_story(stage, folder)
        stage.summary["seconds"] = round(time.perf_counter() - started, 1)
    if session.as_json:
        emit_json(stage.summary)
        return
    stage.tell("", f"Done in {stage.summary['seconds']} s.")
    if session.path:
        stage.tell(f'Ask on: realmemory recall "..." --all-scopes --path {session.path}')


def _tell_story(stage: Stage, folder: Path) -> None:
    corpus = load_corpus()
    shift = time.time() - corpus.now
    with Hippocampus.open(folder) as memory:
        ids = _remember(stage, memory, corpus, shift)
        _ask(stage, memory, corpus, ids, shift)
        _admit_ignorance(stage, memory, corpus)
        _change_a_fact(stage, memory, corpus, shift)
    _forget_over_months(stage, folder)
    with Hippocampus.open(folder) as memory:
        _sleep(stage, memory, ids)
        _meet_another_process(stage, memory, folder)


def _remember(stage: Stage, memory: Hippocampus, corpus: Corpus, shift: float) -> dict[str, int]:
    """Chapter 1: the corpus and our own documentation; returns memory ids by fact id."""
    stage.chapter("Remember")
    paragraphs = documentation()
    started = time.perf_counter()
    ids = remember_corpus(memory, corpus, shift)
    memory.remember_many(
        [WriteRequest(text, kind=Kind.SEMANTIC, scope=DOCUMENTATION) for text in paragraphs]
    )
    seconds = time.perf_counter() - started
    stats = memory.stats()
    scopes = sorted(name for name, count in stats["scopes"].items() if count)
    total = len(corpus.facts) + len(paragraphs)
    decisions = stats["decisions"]
    stage.tell(
        f"   {len(corpus.facts)} notes of five teams in English and Russian, "
        f"{len(paragraphs)} paragraphs of our own documentation:",
        f"   {total} texts in {seconds:.1f} s ({total / seconds:.0f} a second), each one on disk.",
        f"   The gate made {decisions['create']} new memories, linked {decisions['link']} to what "
        f"they resemble, and",
        f"   recognised {decisions['reinforce']} as already known. Scopes: {', '.join(scopes)}",
    )
    stage.summary["remembered"] = {"texts": total, "seconds": round(seconds, 2), **decisions}
    return ids


def remember_corpus(memory: Hippocampus, corpus: Corpus, shift: float = 0.0) -> dict[str, int]:
    """Write the corpus as its authors meant it, updates as updates.

    Args:
        memory: Where to.
        corpus: What.
        shift: Seconds added to every date, so that the corpus's "now" is a caller's own.

    Returns:
        Memory id by fact id.
    """
    ids: dict[str, int] = {}
    batch: list[Fact] = []

    def flush() -> None:
        requests = [
            WriteRequest(
                fact.text,
                kind=Kind(fact.kind),
                scope=fact.scope,
                when=fact.when + shift,
                session_id=fact.session_id,
            )
            for fact in batch
        ]
        for fact, result in zip(batch, memory.remember_many(requests), strict=True):
            ids[fact.id] = result.memory_id
        batch.clear()

    for fact in corpus.facts:
        if fact.supersedes is None:
            batch.append(fact)
            continue
        flush()
        result = memory.update_fact(ids[fact.supersedes], fact.text, when=fact.when + shift)
        ids[fact.id] = result.memory_id
    flush()
    return ids


def documentation() -> list[str]:
    """Return the paragraphs of our own README and architecture page, as far as they are here."""
    root = Path(__file__).parents[3]
    pages = [root / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    texts = [page.read_text(encoding="utf-8") for page in pages if page.is_file()]
    if not texts:
        texts = [str(metadata.metadata("realmemory").json.get("description", ""))]
    return [
        paragraph.strip()
        for text in texts
        for paragraph in text.split("\n\n")
        if len(paragraph.split()) >= 6
    ]


def _ask(
    stage: Stage, memory: Hippocampus, corpus: Corpus, ids: dict[str, int], shift: float
) -> None:
    """Chapter 2: ten questions, with confidence and source, and whether the answer is right."""
    stage.chapter("Recall: ten questions, the best answer of each")
    right = 0
    for query in _queries(corpus, _ASKED):
        expected = {ids[fact] for fact in corpus.accepted(query)}
        packet = _recall(memory, query, shift)
        found = bool(packet.items) and packet.items[0].memory_id in expected
        right += found
        _show_answer(stage, query.text, packet, "" if found else " · not the expected answer")
    for text in _ASKED_OF_US:
        _show_answer(stage, text, memory.recall(text, k=1, scope=DOCUMENTATION), "")
    stage.tell("", f"   {right} of the {len(_ASKED)} questions with a known answer are right.")
    stage.summary["asked"] = {"known": len(_ASKED), "right": right}


def _show_answer(
    stage: Stage, question: str, packet: RecallPacket, remark: str, *, now: float | None = None
) -> None:
    moment = time.time() if now is None else now
    stage.tell("", f"   ? {question}  ({packet.latency_ms:.1f} ms)")
    if packet.items:
        best = packet.items[0]
        first, *_, source = hit_lines(replace(best, text=one_line(best.text, 92)), now=moment)
        stage.tell(f"     {first}", f"     {source}{remark}")
    else:
        stage.tell(*(f"     {line}" for line in packet_lines(packet, now=moment)))


def _admit_ignorance(stage: Stage, memory: Hippocampus, corpus: Corpus) -> None:
    """Chapter 3: a question that nothing here answers."""
    stage.chapter("Abstain: better no answer than a wrong one")
    (query,) = _queries(corpus, (_UNKNOWN,))
    packet = memory.recall(query.text, k=3, all_scopes=True)
    _show_answer(stage, query.text, packet, "")
    stage.summary["abstained"] = packet.abstained


def _change_a_fact(stage: Stage, memory: Hippocampus, corpus: Corpus, shift: float) -> None:
    """Chapter 4: what was true is kept, what is true is answered."""
    stage.chapter("Change: the new fact answers, the old one is history")
    now_asked, then_asked = _queries(corpus, _CHANGED)
    today = _recall(memory, now_asked, shift)
    before = _recall(memory, then_asked, shift)
    _show_answer(stage, now_asked.text, today, "")
    _show_answer(stage, f"{then_asked.text}, as of a month ago", before, "")
    stage.summary["changed"] = {
        "now": [item.text for item in today.items[:1]],
        "as_of": [item.text for item in before.items[:1]],
    }


def _forget_over_months(stage: Stage, folder: Path) -> None:
    """Chapter 5: a clock that runs ahead, and what is left of three memories."""
    stage.chapter("Forget: half a year passes on a simulated clock")
    clock = FakeClock(time.time())
    config = MemoryConfig(backups_keep=0)
    texts = {
        "an episode": "On Tuesday the build server ran out of disk space",
        "a lasting fact": "The platform team installs Debian on every host",
        "a pinned episode": "The spare key hangs in the red cabinet on the third floor",
    }
    with Hippocampus.open(folder, namespace="simulated", config=config, clock=clock) as memory:
        ids = {
            name: memory.remember(
                text, kind=Kind.SEMANTIC if "fact" in name else Kind.EPISODIC, force_new=True
            ).memory_id
            for name, text in texts.items()
        }
        memory.pin(ids["a pinned episode"])
        stage.tell("   day   " + "  ".join(f"{name:<18}" for name in texts))
        for _ in range(7):
            stage.tell(f"   {_day_line(memory, clock, ids)}")
            clock.advance(30 * DAY)
            memory.consolidate()
        archived = memory.list(scope=GLOBAL_SCOPE, status=Status.ARCHIVED)
        stage.tell("", "   Nothing was deleted. The archive holds:")
        stage.tell(*(f"     #{trace.id} {one_line(trace.text)}" for trace in archived))
        restored = memory.restore([trace.id for trace in archived])
        question = "what happened to the build server's disk space?"
        packet = memory.recall(question, k=1)
        _show_answer(stage, f"restored; {question}", packet, "", now=clock.now())
        stage.summary["forgotten"] = {
            "archived": len(archived),
            "restored": restored,
            "back": bool(packet.items),
        }


def _day_line(memory: Hippocampus, clock: FakeClock, ids: dict[str, int]) -> str:
    cells = []
    for memory_id in ids.values():
        trace = memory.get(memory_id)
        tau = (
            memory.config.tau_semantic
            if trace.kind is Kind.SEMANTIC
            else memory.config.tau_episodic
        )
        idle = 0.0 if trace.pinned else clock.now() - trace.last_reinforced_at
        retention = trace.base_strength * 2.718281828459045 ** (-idle / tau)
        bar = "█" * round(retention * 20) or "·"
        cells.append(f"{bar:<11}{'archived' if trace.status is Status.ARCHIVED else '':<9}")
    start = min(memory.get(memory_id).created_at for memory_id in ids.values())
    return f"{(clock.now() - start) / DAY:>4.0f}  " + "".join(cells)


def _sleep(stage: Stage, memory: Hippocampus, ids: dict[str, int]) -> None:
    """Chapter 6: what was useful together is tied together."""
    stage.chapter("Sleep: what helped together is tied together")
    used = [ids["K01"], ids["K02"]]
    memory.link_memories(used)
    memory.feedback(used, 1.0)
    report = memory.consolidate()
    stage.tell(
        f"   {report.edges_committed} associations committed, {report.edges_pruned} let go, "
        f"{report.archived_traces} memories archived, in {report.elapsed_ms:.0f} ms.",
    )
    if report.backup:
        stage.tell(f"   A verified backup lies in {Path(report.backup).name}.")
    stage.summary["sleep"] = {
        "edges_committed": report.edges_committed,
        "backup": report.backup is not None,
    }


def _meet_another_process(stage: Stage, memory: Hippocampus, folder: Path) -> None:
    """Chapter 7: a second process sees what this one wrote, and the other way round."""
    stage.chapter("Share: a second process on the same memory")
    here = "The demo met process one at the lighthouse"
    there = "Process two brought a thermos of ginger tea"
    memory.remember(here)
    answer = _second_process(folder, "recall", "who met at the lighthouse?", "--scope", "global")
    seen = [item["text"] for item in answer.get("items", [])]
    _second_process(folder, "remember", there, "--scope", "global")
    packet = memory.recall("what did process two bring?", k=1)
    stage.tell(
        f"   this process wrote:   {here}",
        f"   the other recalls:    {seen[0] if seen else 'nothing'}",
        f"   the other wrote:      {there}",
        f"   this process recalls: {packet.items[0].text if packet.items else 'nothing'}",
    )
    stage.summary["shared"] = {
        "other_saw_ours": seen[:1] == [here],
        "we_saw_other": bool(packet.items) and packet.items[0].text == there,
    }


def _second_process(folder: Path, *words: str) -> dict[str, Any]:
    run = subprocess.run(  # noqa: S603 - our own command with our own words
        # A file of the folder around may bear the name of a library.
        [sys.executable, "-P", "-m", "realmemory", *words, "--path", str(folder), "--json"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def _queries(corpus: Corpus, wanted: tuple[str, ...]) -> list[Query]:
    by_id = {query.id: query for query in corpus.queries}
    return [by_id[name] for name in wanted]


def _recall(memory: Hippocampus, query: Query, shift: float) -> RecallPacket:
    as_of = query.as_of + shift if query.as_of is not None else None
    return memory.recall(query.text, k=3, scope=query.scope, as_of=as_of)


@contextlib.contextmanager
def _folder(stated: Path | None) -> Iterator[Path]:
    """Give the demo a folder: the stated one, which stays, or a temporary one, which goes."""
    if stated is not None:
        yield stated
        return
    folder = Path(tempfile.mkdtemp(prefix="realmemory-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
