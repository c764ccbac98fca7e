"""Fit what the reading of a re-ranker is worth, on our own corpus and conversations.

``python -m realmemory.eval.calibrate_reranker --reranker local:FOLDER`` prints, for each weight, how
early the first right hit stands, and the weight that other questions would have chosen: every fold
is ranked by the weight that is best on the rest. ``--data`` adds a public benchmark whose licence
allows fitting on it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from realmemory.clock import DAY
from realmemory.config import MemoryConfig
from realmemory.errors import ConfigurationError
from realmemory.eval import metrics
from realmemory.eval.bench_real import write_facts
from realmemory.eval.conversations import UNKNOWN_START, Shelf
from realmemory.eval.corpora import beam, chats, own
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, make_reranker, open_subject
from realmemory.policies import logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.encoding.reranker import Reranker
    from realmemory.eval.corpora.dialogue import Dialogue

    Array = NDArray[np.float64]

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
_FOLDS = 6


class Read(NamedTuple):
    """What was read for one question: log-odds before, deviations of the reading, which are right."""

    before: Array
    deviations: Array
    right: NDArray[np.bool_]
    group: str

    def reciprocal_rank(self, weight: float) -> float:
        """Return one through the rank of the first right text."""
        order = np.argsort(-(self.before + weight * self.deviations), kind="stable")
        return 1.0 / (1.0 + int(np.argmax(self.right[order])))


def read_of(rows: Sequence[dict[str, Any]], right: Sequence[bool], group: str) -> Read | None:
    """Return what an explanation tells of the reading; None when nothing right was read."""
    kept = [(row, good) for row, good in zip(rows, right, strict=True) if "reranker" in row]
    if not any(good for _, good in kept):
        return None
    added = np.array([row["reranker"] for row, _ in kept])
    scores = np.array([row["score"] for row, _ in kept])
    before = logistic.logits(scores) - added
    return Read(
        before, added / MemoryConfig().reranker_weight, np.array([good for _, good in kept]), group
    )


def of_corpus(embedder: EmbeddingProvider, reranker: Reranker | str) -> list[Read]:
    """Ask our own corpus."""
    corpus = own.load_corpus()
    start = min(fact.when for fact in corpus.facts)
    reads = []
    with open_subject(embedder, start=start, reranker=reranker) as subject:
        written = write_facts(subject, corpus.facts)
        subject.move_to(corpus.now)
        queries = [query for query in corpus.queries if query.expect]
        for query in progress(queries, "recall", len(queries)):
            packet = subject.memory.recall(
                query.text, k=10, scope=query.scope, as_of=query.as_of, explain=True
            )
            rows = (packet.explanation or {})["candidates"]
            gold = {written.trace_of[fact] for fact in corpus.accepted(query)}
            reads.append(read_of(rows, [row["id"] in gold for row in rows], f"q{query.id}"))
    return [read for read in reads if read is not None]


def of_dialogue(
    dialogue: Dialogue, embedder: EmbeddingProvider, reranker: Reranker | str
) -> list[Read]:
    """Ask conversations."""
    shelf = Shelf(dialogue, pooled=False)
    latest = max((moment for _, _, moment in shelf.sessions()), default=UNKNOWN_START)
    reads = []
    with open_subject(embedder, start=latest + DAY, reranker=reranker) as subject:
        shelf.store(subject)
        for question in progress(dialogue.questions, "recall", len(dialogue.questions)):
            gold = {shelf.key(question.conversation, key) for key in question.turns}
            scope = shelf.scope_of(question.conversation)
            packet = subject.memory.recall(question.text, k=10, scope=scope, explain=True)
            rows = (packet.explanation or {})["candidates"]
            right = [shelf.turn_names([row["id"]])[0] in gold for row in rows]
            reads.append(read_of(rows, right, question.conversation))
    return [read for read in reads if read is not None]


def judged(reads: Sequence[Read]) -> dict[str, Any]:
    """Return the mean reciprocal rank by weight, and that of weights chosen on other questions."""
    table = np.array([[read.reciprocal_rank(weight) for weight in WEIGHTS] for read in reads])
    groups = sorted({read.group for read in reads})
    fold_of = {name: at % _FOLDS for at, name in enumerate(groups)}
    folds = np.array([fold_of[read.group] for read in reads])
    chosen: list[float] = []
    for fold in range(_FOLDS):
        if (folds == fold).any() and (folds != fold).any():
            best = int(table[folds != fold].mean(axis=0).argmax())
            chosen += table[folds == fold, best].tolist()
    return {
        "questions": len(reads),
        "mrr_by_weight": {
            str(weight): round(float(value), 4)
            for weight, value in zip(WEIGHTS, table.mean(axis=0), strict=True)
        },
        "without": round(float(table[:, 0].mean()), 4),
        "held_out": round(metrics.mean(chosen), 4),
        "best": WEIGHTS[int(table.mean(axis=0).argmax())],
    }


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder that finds.")
@click.option("--reranker", required=True, help="Re-ranker that reads.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="A BEAM folder.")
def main(embedder: str, reranker: str, data: Path | None) -> None:
    """Fit what the reading of a re-ranker is worth."""
    made, reader = make_embedder(embedder), make_reranker(reranker)
    sets = {
        "own corpus": of_corpus(made, reader),
        "own conversations": of_dialogue(chats.load(), made, reader),
    }
    if data is not None:
        sets["BEAM"] = of_dialogue(beam.read(data), made, reader)
    if not any(sets.values()):
        raise ConfigurationError(f"the re-ranker {reranker!r} read nothing; is it usable?")
    result = {name: judged(reads) for name, reads in sets.items() if reads}
    click.echo(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
