"""What the associative graph adds: the same questions with a graph that use has filled, and without."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory.eval import metrics
from realmemory.eval.conversations import Shelf
from realmemory.eval.corpora import locomo
from realmemory.eval.measure import environment
from realmemory.eval.options import COUNT, Benchmark, Options, common
from realmemory.eval.progress import progress
from realmemory.eval.subject import START, open_subject
from realmemory.types import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.dialogue import Dialogue, Question
    from realmemory.eval.subject import Subject

_SEEDS = 3
_KEPT, _ADDED = 10, 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """Share of the evidence of one question within ten or fifteen places, filled in two ways.

    ``direct`` fills all places with what answers by itself; ``mixed`` leaves five of them to what
    the graph reaches from the three best hits. ``useful`` counts evidence that only the graph
    brought.
    """

    category: str
    direct_10: float
    mixed_10: float
    direct_15: float
    mixed_15: float
    reached: int
    useful: int


def run(
    dialogue: Dialogue,
    embedder: EmbeddingProvider,
    *,
    limit: int | None = None,
    path: Path | None = None,
) -> dict[str, Any]:
    """Ask every second question, let the others leave links, sleep, and ask the same again.

    A question that teaches is recalled once and its evidence is rewarded and linked, as an agent
    does that found what it needed. The others were never seen by the graph.
    """
    before: list[Outcome] = []
    after: list[Outcome] = []
    edges = taught = 0
    for conversation in dialogue.first(limit).conversations:
        questions = [one for one in dialogue.questions if one.conversation == conversation.key]
        part = replace(dialogue, conversations=(conversation,), questions=tuple(questions))
        place = None if path is None else path / conversation.key
        with open_subject(embedder, start=START, path=place) as subject:
            shelf = Shelf(part, pooled=False)
            shelf.store(subject)
            known = [one for one in questions if one.turns and one.turns <= shelf.ids().keys()]
            before += _ask(subject, shelf, known[1::2], "without")
            _teach(subject, shelf, known[::2])
            after += _ask(subject, shelf, known[1::2], "with")
            taught += len(known[::2])
            with subject.memory.context.store.read() as view:
                edges += view.links.count()
    return {
        "benchmark": "graph",
        "environment": environment() | {"embedder": embedder.name},
        "taught": taught,
        "edges": edges,
        "without": _figures(before),
        "with": _figures(after),
    }


def _ask(subject: Subject, shelf: Shelf, questions: Sequence[Question], name: str) -> list[Outcome]:
    return [_outcome(subject, shelf, item) for item in progress(questions, name, len(questions))]


def _outcome(subject: Subject, shelf: Shelf, question: Question) -> Outcome:
    scope = shelf.scope_of(question.conversation)
    packet = subject.ask(question.text, k=_KEPT + _ADDED, scope=scope).packet
    ids = [item.memory_id for item in packet.items if item.source is not Source.ASSOCIATED]
    gold = {shelf.key(question.conversation, key) for key in question.turns}
    reached = _reached(subject, ids)
    short = [item for item in reached if item not in ids[: _KEPT - _ADDED]][:_ADDED]
    long = [item for item in reached if item not in ids[:_KEPT]][:_ADDED]

    def share(found: list[int]) -> float:
        return len(gold.intersection(shelf.turn_names(found))) / len(gold)

    useful = gold.intersection(shelf.turn_names(long)) - set(shelf.turn_names(ids))
    return Outcome(
        category=question.category,
        direct_10=share(ids[:_KEPT]),
        mixed_10=share(ids[: _KEPT - _ADDED] + short),
        direct_15=share(ids),
        mixed_15=share(ids[:_KEPT] + long),
        reached=len(long),
        useful=len(useful),
    )


def _reached(subject: Subject, ids: Sequence[int]) -> list[int]:
    """Return what the graph reaches from the best hits, the strongest first."""
    context = subject.memory.context
    with context.store.read() as view:
        context.graph.refresh(view)
    found = context.graph.spread(dict.fromkeys(ids[:_SEEDS], 1.0), now=subject.clock.now())
    return sorted(found.keys() - set(ids[:_SEEDS]), key=lambda item: (-found[item], item))


def _teach(subject: Subject, shelf: Shelf, questions: Sequence[Question]) -> None:
    ids = shelf.ids()
    for question in progress(questions, "teach", len(questions)):
        scope = shelf.scope_of(question.conversation)
        subject.ask(question.text, k=_KEPT, scope=scope)
        gold = [ids[shelf.key(question.conversation, key)] for key in sorted(question.turns)]
        subject.memory.feedback(gold, 1.0)
        if len(gold) > 1:
            subject.memory.link_memories(gold)
    subject.memory.consolidate()


def _figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    groups = {"all": list(outcomes)}
    for outcome in outcomes:
        groups.setdefault(outcome.category, []).append(outcome)
    return {
        name: {
            "n": len(part),
            **{
                field: metrics.mean([getattr(item, field) for item in part])
                for field in ("direct_10", "mixed_10", "direct_15", "mixed_15", "reached")
            },
            "useful": sum(item.useful for item in part),
        }
        for name, part in sorted(groups.items())
    }


def as_text(result: dict[str, Any]) -> str:
    """Return the report for a person."""
    lines = [f"graph: {result['taught']} questions taught {result['edges']} links"]
    for when in ("without", "with"):
        lines.append(f"{when} links  n  direct@10  mixed@10  direct@15  mixed@15  only the graph")
        lines += [
            f"  {name:<14} {row['n']:>4}  {row['direct_10']:.3f}  {row['mixed_10']:.3f}  "
            f"{row['direct_15']:.3f}  {row['mixed_15']:.3f}  {row['useful']}"
            for name, row in result[when].items()
        ]
    return "\n".join(lines)


@click.command("graph", cls=Benchmark)
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Your LoCoMo file.")
@click.option("--limit", type=COUNT, help="Only the first conversations.")
@common
def main(*, data: Path, limit: int | None, options: Options) -> None:
    """What links that use has left add to the evidence of questions never asked before."""
    result = run(locomo.read(data), options.make_embedder(), limit=limit, path=options.path)
    click.echo(as_text(result))
    options.save(result)
