"""When a hook may speak: fit the model of unasked recall on the calibration half of our corpus.

    python benches/agents/calibrate_prompt.py [--write]

Prompts are the corpus's questions, bare and inside what people type to a coding agent; the foreign
half are questions about the rest of the world, nonsense, and tasks about other programs. The floor
is the least at which nine of ten shown lines belong to the prompt and at most one foreign prompt
of fifty is answered. The held-out half is only measured. The rule of words alone, for stores
without an index that a hook can use, and the daemon's threshold are measured beside it, and what the hook says with the profile that is shipped,
without what is known of others and what has changed.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from realmemory.agents import glance, unasked
from realmemory.agents.hooks import CONFIDENT
from realmemory.eval.bench_real import write_facts
from realmemory.eval.corpora import own
from realmemory.eval.subject import make_embedder, open_subject
from realmemory.policies.unasked import FEATURES, MIN_SHARE, STRONG_NATS, profile_for
from realmemory.store.glance import look

TARGET = Path(unasked.__file__).parents[1] / "policies" / "unasked.json"
FAMILY = "realmemory-static"
SHOWN = 3
PRECISION = 0.9
FOREIGN = 0.02
PENALTY = 1.0
FRAMES = {
    "en": ("{}", "Before you change anything: {} Then write the tests.", "I forgot, {}"),
    "ru": ("{}", "Прежде чем менять код: {} Потом напиши тесты.", "Напомни, {}"),
}
TASKS = (
    "fix the failing test in the parser",
    "rename the variable to something clearer and run the linter",
    "add a docstring to this function",
    "why does this loop never end?",
    "write a regular expression that matches an IPv6 address",
    "bump the version and update the changelog",
    "explain what this decorator does",
    "the build is red, have a look",
    "refactor this class into two",
    "make the button blue and centre it",
    "continue",
    "yes, do it",
    "добавь типы в этот модуль",
    "почему тест падает только в CI?",
    "сделай коммит и открой пул-реквест",
    "перепиши цикл через генератор",
    "что делает эта функция?",
    "исправь опечатки в документации",
    "продолжай",
    "убери лишние зависимости из проекта",
)


@dataclass
class Prompt:
    text: str
    scope: str | None
    gold: frozenset
    held_out: bool
    foreign: bool


def prompts(corpus, written):
    found = []
    for query in corpus.queries:
        if query.as_of is not None or query.kind == "in_domain_unanswerable":
            # Lines about the same subject are welcome there, though they are no answer.
            continue
        gold = frozenset(written.trace_of[item] for item in corpus.accepted(query))
        held_out = query.split == own.HELD_OUT
        foreign = query.kind in {"out_of_domain", "nonsense"}
        frames = FRAMES.get(query.lang, FRAMES["en"])
        found += [
            Prompt(frame.format(query.text), query.scope, gold, held_out, foreign)
            for frame in frames
        ]
    scopes = sorted({fact.scope for fact in corpus.facts} - {"global"})
    for number, query in enumerate(own.load_noise()):
        held_out = query.split == own.HELD_OUT
        scope = scopes[number % len(scopes)]
        found.append(Prompt(query.text, scope, frozenset(), held_out, foreign=True))
    for number, text in enumerate(TASKS):
        scope = scopes[number % len(scopes)]
        found.append(Prompt(text, scope, frozenset(), bool(number % 2), foreign=True))
    return found


@dataclass
class Told:
    """What one way of deciding would say about each prompt: ids with a number, best first."""

    name: str
    lines: list

    def figures(self, asked, floor):
        shown = right = spoke = foreign = spoke_foreign = answered = answerable = 0
        for prompt, lines in zip(asked, self.lines, strict=True):
            ids = [row for row, chance in lines if chance >= floor][:SHOWN]
            shown += len(ids)
            right += sum(row in prompt.gold for row in ids)
            spoke += bool(ids)
            foreign += prompt.foreign
            spoke_foreign += bool(ids) and prompt.foreign
            answerable += bool(prompt.gold)
            answered += bool(prompt.gold.intersection(ids))
        return {
            "prompts": len(asked),
            "lines": shown,
            "precision": round(right / shown, 4) if shown else 1.0,
            "answered": round(answered / answerable, 4),
            "foreign_answered": round(spoke_foreign / foreign, 4),
        }


def by_words(hits, nats, share):
    """Return what words alone say: a memory is surely meant, or it is not."""
    lines = [
        [(hit.row[0], 1.0) for hit in found if hit.said.exceeds(nats, share)] for found in hits
    ]
    return Told("words alone", lines)


def fitted(rows, labels):
    """Return weights and bias of a logistic model, by Newton's method with a ridge."""
    matrix = np.column_stack([rows, np.ones(len(rows))])
    beta = np.zeros(matrix.shape[1])
    ridge = np.full(len(beta), PENALTY)
    ridge[-1] = 0.0
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ beta, -40, 40)))
        gradient = matrix.T @ (chance - labels) + ridge * beta
        curve = chance * (1 - chance)
        step = np.linalg.solve((matrix.T * curve) @ matrix + np.diag(ridge), gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    return beta[:-1], beta[-1]


def floor_for(told, asked):
    for floor in np.round(np.arange(0.20, 0.991, 0.01), 2):
        figures = told.figures(asked, floor)
        if figures["precision"] >= PRECISION and figures["foreign_answered"] <= FOREIGN:
            return float(floor)
    return 0.99


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    corpus = own.load_corpus()
    start = min(fact.when for fact in corpus.facts)
    with open_subject(make_embedder("default"), start=start) as subject:
        written = write_facts(subject, corpus.facts)
        subject.move_to(corpus.now)
        asked = prompts(corpus, written)
        store = str(subject.folder)
        view = look(store)
        described, words, asking, said = [], [], [], []
        for prompt in asked:
            scopes = glance.visible(view, prompt.scope)
            described.append(unasked.described(view, store, prompt.text, scopes, corpus.now))
            hits = glance.matches(view, prompt.text, scopes, corpus.now)
            words.append(hits)
            sure = unasked.matches_by_meaning(
                view, store, prompt.text, scopes, corpus.now, project=prompt.scope
            )
            said.append([(row[0], chance) for chance, row in sure])
            packet = subject.memory.recall(prompt.text, k=5, scope=prompt.scope)
            asking.append([(item.memory_id, item.confidence) for item in packet.items])
        view.close()
    fit = [at for at, prompt in enumerate(asked) if not prompt.held_out]
    rows, labels = [], []
    for at in fit:
        candidates, features = described[at]
        rows += features
        labels += [item.id in asked[at].gold for item in candidates]
    labels = np.array(labels, float)
    weights, bias = fitted(np.array(rows), labels)
    meaning = Told(
        "meaning and words",
        [
            sorted(
                (
                    (item.id, float(1 / (1 + np.exp(-(np.dot(weights, row) + bias)))))
                    for item, row in zip(*pair, strict=True)
                ),
                key=lambda line: -line[1],
            )
            for pair in described
        ],
    )
    halves = {
        "calibration": [at for at, prompt in enumerate(asked) if not prompt.held_out],
        "held_out": [at for at, prompt in enumerate(asked) if prompt.held_out],
    }

    def part(told, half):
        chosen = halves[half]
        return Told(told.name, [told.lines[at] for at in chosen]), [asked[at] for at in chosen]

    floor = floor_for(*part(meaning, "calibration"))
    entry = {
        "weights": {name: round(float(w), 5) for name, w in zip(FEATURES, weights, strict=True)},
        "bias": round(float(bias), 5),
        "floor": floor,
        "data": "own corpus and noise, calibration halves",
        "evidence": {},
    }
    ways = (
        (meaning, floor),
        (by_words(words, STRONG_NATS, MIN_SHARE), 1.0),
        (Told("daemon", asking), CONFIDENT),
        (Told("as the hook says", said), profile_for(FAMILY).floor),
    )
    for told, least in ways:
        for half in halves:
            chosen, questions = part(told, half)
            figures = chosen.figures(questions, least)
            if told is meaning:
                entry["evidence"][half] = figures
            print(f"{told.name:<18} {half:<12} floor {least:.2f}  {json.dumps(figures)}")
    suggested = floor_for(*part(Told("daemon", asking), "calibration"))
    print(f"floor of the daemon's confidence by the same rule: {suggested}")
    best = max(
        (figures["answered"], -nats, -share)
        for nats in np.arange(4.0, 20.1, 0.5)
        for share in np.arange(0.1, 0.81, 0.05)
        for figures in [Told.figures(*part(by_words(words, nats, share), "calibration"), 1.0)]
        if figures["precision"] >= PRECISION and figures["foreign_answered"] <= FOREIGN
    )
    print(f"words alone by the same rule: {-best[1]:.1f} nats, share {-best[2]:.2f}")
    if given.write:
        TARGET.write_text(json.dumps({FAMILY: entry}, indent=1, sort_keys=True) + "\n")
    assert profile_for(FAMILY) is not None


if __name__ == "__main__":
    main()
