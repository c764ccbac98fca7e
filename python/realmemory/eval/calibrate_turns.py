"""Fit what the surroundings of conversation turns are worth, on our own conversations.

``python -m realmemory.eval.calibrate_turns`` prints the turn profile of an embedder whose
relevance profile is fitted already; ``--write`` adds it to the package's table. ``--data`` adds a
public benchmark whose licence allows fitting on it; every corpus counts the same.

The order of the turns of one question is fitted by listwise softmax regression (Cao et al. 2007,
top one); how much probability such an order is worth by logistic regression on top. Each question
is asked a second time with a date, which is the right one for seven in ten: so the weight of time
is that of dates which people misremember.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from realmemory.clock import DAY
from realmemory.eval import listwise, metrics
from realmemory.eval.asked import evidence_of
from realmemory.eval.calibrate import fit
from realmemory.eval.conversations import UNKNOWN_START, Shelf
from realmemory.eval.corpora import beam, chats, exchanges, long_chats
from realmemory.eval.profiles_table import change_profiles
from realmemory.eval.progress import progress
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.relevance import own_logits, profile_for
from realmemory.policies.surroundings import COMPARED, NEIGHBOURS, TURN_FEATURES, TurnProfile
from realmemory.policies.times.dates import is_russian

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.corpora.dialogue import Dialogue, Question
    from realmemory.eval.subject import Subject

    Array = NDArray[np.float64]

_FOLDS = 6
_RIGHT_DATES = 0.7
_SEED = 7
_DEALT = 0.25
"""What dealt conversations count beside each other corpus. More teaches that neighbours tell nearly
everything, as they do in exchanges of four turns, and loses as much on long chats with an assistant."""
_OWN = len(TURN_FEATURES)
"""Column of a part that holds the log-odds of a turn by itself."""
_COLUMNS = (*TURN_FEATURES, "own")
_PAGES = TURN_FEATURES.index("pages")


class Part(NamedTuple):
    """The turns that one question brought: features with own log-odds, and which are gold.

    ``level`` is the largest own log-odds, ``weight`` what the question counts, ``group`` the
    conversation, which no fold may tear apart, ``dealt`` whether that was dealt by chance, ``long``
    whether it stands among the sessions of others.
    """

    columns: Array
    relevant: NDArray[np.bool_]
    level: float
    group: str
    dated: bool
    weight: float = 1.0
    dealt: bool = False
    long: bool = False

    @property
    def pages(self) -> float:
        """How far those who speak write pages, the same for all turns."""
        return float(self.columns[:, _PAGES].max(initial=0.0))


def collect(
    dialogue: Dialogue,
    embedder: EmbeddingProvider,
    group: Callable[[Question], str] = attrgetter("conversation"),
    *,
    dated: bool = True,
) -> list[Part]:
    """Return the turns that each question brought, without a date and with one.

    Args:
        dialogue: What is stored and asked.
        embedder: The embedder to fit.
        group: What no fold may tear apart: by default each conversation.
        dated: Ask with a date as well.
    """
    shelf = Shelf(dialogue, pooled=False)
    moments = {
        shelf.key(conversation.key, turn.key): moment
        for conversation, session, moment in shelf.sessions()
        for turn in session.turns
    }
    latest = max(moments.values(), default=UNKNOWN_START)
    chance = random.Random(_SEED)  # noqa: S311 - nothing secret
    parts = []
    with open_subject(embedder, start=latest + DAY) as subject:
        shelf.store(subject)
        for question in progress(dialogue.questions, "recall", len(dialogue.questions)):
            gold = {shelf.key(question.conversation, key) for key in question.turns}
            part = _part(subject, shelf, question, question.text, gold)
            parts.append(part._replace(group=group(question)))
            dates = sorted(moments[key] for key in gold if key in moments)
            if dates and dated:
                right = chance.random() < _RIGHT_DATES
                when = chance.choice(dates if right else sorted(set(moments.values())))
                text = f"{question.text} ({_days_ago(when, latest, question.text)})"
                then = _part(subject, shelf, question, text, gold)
                parts.append(then._replace(group=group(question), dated=True))
    total = sum(part.relevant.any() for part in parts)
    return [part._replace(weight=1.0 / max(1, total)) for part in parts]


def collect_own(embedder: EmbeddingProvider, *, english: bool = False) -> list[Part]:
    """Return those of our own conversations, which together count as one corpus.

    People hold them; then each of the two plays an assistant, who is brief or wordy. So whose turn
    it is and how long it is say little here, where the public corpus takes them for the answer. Once
    more, somebody repeats the words of every question and tells nothing.
    """
    people = chats.in_english(chats.load()) if english else chats.load()
    plays = [
        chats.acted(people, assistant, wordy=wordy)
        for assistant in (0, 1)
        for wordy in (False, True)
    ]
    parts = [part for dialogue in (people, *plays) for part in collect(dialogue, embedder)]
    # Repeating by chance, as no people do: it teaches an order alone.
    parts += [part._replace(dealt=True) for part in collect(chats.echoed(people), embedder)]
    return [part._replace(weight=part.weight / (2 + len(plays))) for part in parts]


def collect_long(embedder: EmbeddingProvider, *, english: bool = False) -> list[Part]:
    """Return those of our own conversations among the sessions of others, as one corpus more."""
    parts = collect(long_chats.load(english=english), embedder)
    return [part._replace(long=True) for part in parts]


def collect_dealt(embedder: EmbeddingProvider, *, english: bool = False) -> list[Part]:
    """Return those of conversations dealt from our exchanges, which together count a quarter.

    Nothing but who tells what differs between the deals, so that an exchange stays in one fold. When
    it took place says nothing there.
    """
    dealt = chats.in_english(exchanges.load()) if english else exchanges.load()
    answerable = replace(dealt, questions=tuple(item for item in dealt.questions if item.turns))
    parts = collect(
        answerable, embedder, lambda question: question.key.partition("/")[0], dated=False
    )
    return [part._replace(weight=part.weight * _DEALT, dealt=True) for part in parts]


def _days_ago(when: float, latest: float, question: str) -> str:
    """Return a moment as people say it; not as a date, which words alone would find."""
    days = round((latest + DAY - when) / DAY)
    return f"{days} дней назад" if is_russian(question) else f"{days} days ago"


def _part(subject: Subject, shelf: Shelf, question: Question, text: str, gold: set[str]) -> Part:
    scope = shelf.scope_of(question.conversation)
    packet = subject.memory.recall(text, k=10, scope=scope, explain=True)
    explanation = packet.explanation or {}
    rows: list[dict[str, Any]] = explanation["candidates"]
    evidence = evidence_of(rows, explanation["query"])
    own = own_logits(profile_for(subject.embedder.name), evidence)
    # One at a time: parts of one long turn share its name.
    names = [shelf.turn_names([row["id"]])[0] for row in rows]
    return Part(
        columns=np.column_stack([evidence.surroundings.features, own]),
        relevant=np.array([name in gold for name in names], dtype=np.bool_),
        level=float(own.max(initial=0.0)),
        group="",
        dated=False,
    )


def fitted(parts: list[Part], left_out: frozenset[str] = frozenset()) -> TurnProfile:
    """Fit a turn profile, without some of the features.

    Each has a weight in chats and what it is more or less in pages: the ridge holds both near zero, so
    that the two kinds of conversation share what they can.
    """
    kept = [at for at, name in enumerate(_COLUMNS) if name not in left_out and at != _PAGES]
    known = [part for part in parts if part.relevant.any()]
    total = len(known) / sum(part.weight for part in known)
    order = listwise.fit(
        [np.hstack([part.columns[:, kept], part.pages * part.columns[:, kept]]) for part in known],
        [part.relevant for part in known],
        [part.weight * total for part in known],
    )
    weights = np.zeros((2, len(_COLUMNS)))
    weights[:, kept] = order.reshape(2, -1)
    # What is dealt holds little but answers, and what is long so many turns that none is likely: they
    # teach an order, not what such an order is worth.
    plain = [part for part in parts if not (part.dated or part.dealt or part.long)]
    table = np.concatenate([_worth(part, weights) for part in plain])
    relevant = np.concatenate([part.relevant for part in plain])
    (slope, pages, level), bias = fit(table, relevant)
    if level < 0.0:
        # A question that turns answer well by themselves must not make them less likely.
        (slope, pages), bias = fit(table[:, :2], relevant)
        level = 0.0
    weights = slope * np.array([weights[0], weights.sum(axis=0)])
    weights[:, _PAGES] = pages
    chat, paged = (tuple(round(float(weight), 4) for weight in row) for row in weights)
    return TurnProfile(
        scale=chat[_OWN],
        weights=chat[:_OWN],
        bias=round(bias, 4),
        level=round(float(level), 4),
        paged=paged,
    )


def _worth(part: Part, weights: Array) -> Array:
    """Return what tells how likely each turn is: its order, whether in pages, the largest log-odds."""
    order = part.columns @ (weights[0] + part.pages * weights[1])
    count = len(order)
    return np.column_stack([order, np.full(count, part.pages), np.full(count, part.level)])


def ranks(profile: TurnProfile | None, parts: list[Part]) -> list[float]:
    """Return the rank of the first gold turn of every question, infinite without one."""
    found = []
    for part in parts:
        own = part.columns[:, _OWN]
        scores = own if profile is None else profile.logits(own, part.columns[:, :_OWN])
        order = np.argsort(-scores, kind="stable")
        hits = np.flatnonzero(part.relevant[order])
        found.append(float(hits[0]) + 1.0 if len(hits) else np.inf)
    return found


def crossed(parts: list[Part], left_out: frozenset[str] | None = frozenset()) -> dict[str, Any]:
    """Return what a profile achieves, each conversation ranked by weights fitted on the others.

    Those that were dealt only teach. With None for the features left out, turns are ranked by their
    own log-odds alone.
    """
    groups = sorted({part.group for part in parts})
    random.Random(_SEED).shuffle(groups)  # noqa: S311 - nothing secret
    found: list[float] = []
    for fold in range(_FOLDS):
        held = set(groups[fold::_FOLDS])
        profile = None
        if left_out is not None:
            profile = fitted([part for part in parts if part.group not in held], left_out)
        asked = [
            part
            for part in parts
            if part.group in held and not (part.dated or part.dealt) and part.relevant.any()
        ]
        found += ranks(profile, asked)
    return {"questions": len(found), **_figures(found)}


def _figures(found: list[float]) -> dict[str, float]:
    return {
        "mrr": round(metrics.mean([1.0 / rank for rank in found]), 4),
        **{f"hit@{k}": round(metrics.mean([float(r <= k) for r in found]), 4) for k in (1, 5, 10)},
    }


ABLATED = {
    "all": frozenset[str](),
    "neighbours": frozenset(NEIGHBOURS),
    "session": frozenset({"session_best", "session_top_3", "session_meaning"}),
    "meaning of the session": frozenset({"session_meaning"}),
    "own log-odds": frozenset({"own"}),
    "both": frozenset({"session_meaning", "own"}),
    "meaning": frozenset({"meaning", "near_meaning", "session_meaning", *COMPARED, "own"}),
    "late interaction": frozenset({*COMPARED, "own"}),
    "best sentence": frozenset({"sentence", "fitting"}),
    "what is asked for": frozenset({"fitting"}),
    "what is told beyond the question": frozenset({"told"}),
    "speaker": frozenset({"speaker", "first_named"}),
    "first of several speakers": frozenset({"first_named"}),
    "form of the turn": frozenset({"question", "answer", "answer_sought"}),
    "length": frozenset({"length", "brevity"}),
    "brevity": frozenset({"brevity"}),
    "time": frozenset({"time"}),
}


@click.command()
@click.option("--embedder", default="default", show_default=True, help="Embedder to fit.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="A BEAM folder.")
@click.option("--english", is_flag=True, help="Leave Russian out: for models of English alone.")
@click.option("--ablate", is_flag=True, help="Also say what each group of features adds.")
@click.option("--write", is_flag=True, help="Put the profile into the package's table.")
def main(embedder: str, data: Path | None, *, english: bool, ablate: bool, write: bool) -> None:
    """Fit what the surroundings of conversation turns are worth."""
    made = make_embedder(embedder)
    parts = [
        *collect_own(made, english=english),
        *collect_long(made, english=english),
        *collect_dealt(made, english=english),
    ]
    named = "own, long and dealt conversations" + (" in English" if english else "")
    if data is not None:
        parts += collect(beam.read(data), made)
        named += " and BEAM"
    profile = fitted(parts)
    result = {
        "scale": profile.scale,
        "level": profile.level,
        "weights": dict(zip(TURN_FEATURES, profile.weights, strict=True)),
        "paged": dict(zip(_COLUMNS, profile.paged or (), strict=True)),
        "bias": profile.bias,
        "data": named,
        "evidence": {"without": crossed(parts, None), "with": crossed(parts)},
    }
    if ablate:
        for name, left_out in ABLATED.items():
            figures = crossed(parts, left_out)
            click.echo(f"without {name if left_out else 'nothing'}: {figures}", err=True)
    click.echo(json.dumps(result, indent=1))
    if write:
        name = profile_for(made.name).name
        change_profiles(lambda profiles: profiles[name].update(turns=result))


if __name__ == "__main__":
    main()
