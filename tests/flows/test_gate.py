"""The gate on labelled pairs: nothing that differs is merged, and what says the same is one."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files

import pytest

from realmemory import Hippocampus, WriteRequest
from realmemory.policies.gate.reading import fact_signature
from realmemory.policies.gate.signature import compare

PAIRS = json.loads(files("realmemory.eval").joinpath("data/near_miss.json").read_text("utf-8"))
NEAR, SAME = PAIRS["near_misses"], PAIRS["paraphrases"]

# Written after the word lists, from other subjects, and never used to change them.
UNSEEN_NEAR = [
    ("The pool is heated to 28 degrees.", "The pool is heated to 26 degrees."),
    ("Nora sold the van to Otto.", "Otto sold the van to Nora."),
    ("The alarm rings before the gate closes.", "The alarm rings after the gate closes."),
    ("Guests must sign the waiver.", "Guests may sign the waiver."),
    ("The tram stops at Linden Square.", "The tram stops at Harbour Square."),
    ("Nobody audits the petty cash.", "Someone audits the petty cash."),
    ("The jar holds 2 litres.", "The jar holds 2 gallons."),
    ("Three cats and two dogs live here.", "Two cats and three dogs live here."),
    ("The grant was approved by the senate.", "The grant was rejected by the senate."),
    ("Run the script with sudo.", "Run the script without sudo."),
    ("Насос включается при 5 градусах.", "Насос выключается при 5 градусах."),
    ("Лодку арендует Фёдор у Ирины.", "Лодку арендует Ирина у Фёдора."),
    ("Каталог печатают в Твери.", "Каталог печатают в Перми."),
    ("Вход только по пропускам.", "Вход не по пропускам."),
    ("Смена длится восемь часов.", "Смена длится девять часов."),
]
UNSEEN_SAME = [
    ("The pool is cleaned by Omar.", "Omar cleans the pool."),
    ("On Mondays the library is closed.", "The library is closed on Mondays."),
    ("The ferry takes forty minutes.", "The ferry takes 40 minutes."),
    ("You must not feed the swans.", "You are not allowed to feed the swans."),
    ("The band rehearses in the cellar.", "Please note: the band rehearses in the cellar."),
    ("Насос чинит Лев.", "Лев чинит насос."),
    ("Хлеб пекут в шесть утра.", "В шесть утра пекут хлеб."),
]


def _figures(memory: Hippocampus) -> tuple[list[str], int, Counter[tuple[str, str]]]:
    """Return merged near misses, flagged conflicts, and pairs that ended as one trace."""
    pairs = [*NEAR, *SAME]
    firsts = memory.remember_many(WriteRequest(text=pair["first"]) for pair in pairs)
    seconds = memory.remember_many(WriteRequest(text=pair["second"]) for pair in pairs)
    merged, flagged, one = [], 0, Counter()
    for pair, first, second in zip(pairs, firsts, seconds, strict=True):
        if pair in SAME:
            one[pair["split"], pair["kind"]] += first.memory_id == second.memory_id
        else:
            flagged += first.memory_id in second.conflicts
            if not second.created:
                merged.append(pair["id"])
    return merged, flagged, one


def _check_paraphrases(one: Counter[tuple[str, str]]) -> None:
    """Compare with what the word lists were written for, and with what they never saw.

    Free paraphrases that need knowledge of the world ("married" and "wife") stay two memories
    beside each other: nothing is lost by that, and merging them by a cosine would merge "Alice"
    with "Bob" as well. The same goes for another preposition ("before the merge", "for the merge").
    Those of the held-out split are counted, not demanded.
    """
    asked = Counter((pair["split"], pair["kind"]) for pair in SAME)
    known = [key for key in asked if key[0] == "calibration"]
    assert sum(one[key] for key in known) >= 0.83 * sum(asked[key] for key in known)
    unseen = ("held_out", "restatement")
    assert one[unseen] >= 0.8 * asked[unseen]


def test_the_default_embedder_merges_paraphrases_and_no_near_miss(memory):
    merged, flagged, one = _figures(memory)

    assert merged == []
    assert flagged >= 0.9 * len(NEAR)
    _check_paraphrases(one)


@pytest.mark.long
def test_the_local_model_merges_paraphrases_and_no_near_miss(folder, clock, bge_folder):
    from realmemory.encoding.local import LocalEmbedder  # noqa: PLC0415 - an optional extra

    model = LocalEmbedder("bge-small-en-v1.5", folder=bge_folder, pooling="cls", threads=1)
    with Hippocampus.open(folder, clock=clock, embedder=model) as memory:
        merged, flagged, one = _figures(memory)

    assert merged == []
    assert flagged >= 0.9 * len(NEAR)
    _check_paraphrases(one)


@pytest.mark.parametrize(("first", "second"), UNSEEN_NEAR)
def test_unseen_texts_that_differ_are_told_apart(first, second):
    assert compare(fact_signature(first), fact_signature(second)).differences


@pytest.mark.parametrize(("first", "second"), UNSEEN_SAME)
def test_unseen_restatements_are_the_same_fact(first, second):
    assert compare(fact_signature(first), fact_signature(second)).differences == ()


def test_comparing_is_symmetric():
    for pair in [*NEAR, *SAME]:
        first, second = fact_signature(pair["first"]), fact_signature(pair["second"])
        there, back = compare(first, second), compare(second, first)
        assert (there.differences == ()) is (back.differences == ()), pair["id"]
        assert there.contradicts is back.contradicts, pair["id"]


CHANGED = [
    ("The ferry leaves at nine.", "We moved it: the ferry leaves at eleven from next week on."),
    ("Nils is the treasurer.", "Nils left, so Petra took over as treasurer."),
    ("Аренда зала стоит 900 рублей.", "Аренду зала подняли до 1200 рублей."),
]
BESIDE = [
    ("The ferry leaves at nine.", "The ferry serves coffee now."),
    ("The game has fourteen chapters.", "The translation of the game costs 900 euros."),
]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_news_about_a_known_matter_is_a_contradiction(old, new):
    assert compare(fact_signature(old), fact_signature(new)).contradicts


@pytest.mark.parametrize(("one", "other"), BESIDE)
def test_another_fact_about_the_same_subject_is_none(one, other):
    assert not compare(fact_signature(one), fact_signature(other)).contradicts
