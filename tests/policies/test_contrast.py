"""Whose matter a sentence is, and what its likeness counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.core.text import analyze
from realmemory.policies.contrast import (
    CONTRAST_FEATURES,
    ContrastProfile,
    Sentence,
    contrast_features,
    nearest_of_each,
)
from realmemory.policies.question.shapes import asks_for_words, first_person
from realmemory.policies.question.standpoint import (
    Matter,
    Voice,
    matter_of,
    person_named,
    sentences_of,
    voice_of,
)
from realmemory.policies.relevance import profile_for
from realmemory.store.records import TurnPlace


def person(name, question=None):
    return person_named(question or name, {name: frozenset(analyze(name))})


@pytest.mark.parametrize(
    ("voice", "sentence", "matter"),
    [
        (Voice.NAMED, "I planted tulips.", Matter.TOLD),
        (Voice.NAMED, "You planted tulips.", None),
        (Voice.NAMED, "Did you plant tulips?", Matter.ASKED),
        (Voice.OTHER, "I planted tulips.", Matter.OTHER_TOLD),
        (Voice.OTHER, "Your tulips are lovely.", Matter.OTHER_TOLD_OF),
        (Voice.OTHER, "Где твои тюльпаны?", Matter.OTHER_ASKED),
        (Voice.OTHER, "Твои тюльпаны прекрасны.", Matter.OTHER_TOLD_OF),
        (Voice.UNKNOWN, "Did you plant tulips?", Matter.TOLD),
    ],
)
def test_whose_matter_a_sentence_is(voice, sentence, matter):
    assert matter_of(voice, sentence, of_person=False) is matter


@pytest.mark.parametrize(
    ("name", "turn", "of_person"),
    [
        ("Bob", "Hey Bob! I planted tulips.", [False, False]),
        ("Bob", "Thanks, Bob, I planted tulips.", [False]),
        (
            "Bob",
            "I met Bob today. The new flat is by the canal. I walked home.",
            [True, True, False],
        ),
        ("Mary", "We saw Mary's garden.", [True]),
        ("Глеб", "Я видела Глеба на вокзале.", [True]),
        ("Ann", "We meet annually.", [False]),
    ],
)
def test_who_is_spoken_of_and_who_is_only_called(name, turn, of_person):
    assert person(name).spoken_of(sentences_of(turn)) == of_person


@pytest.mark.parametrize(
    ("name", "question", "rest"),
    [
        ("Ann", "Where are Ann's tulips?", "Where are  tulips?"),
        ("Ann Smith", "Where did Ann Smith go?", "Where did   go?"),
        ("Вера", "Где тюльпаны Веры?", "Где тюльпаны ?"),
    ],
)
def test_a_question_without_its_name(name, question, rest):
    assert person(name).without(question) == rest


def test_several_names_or_a_part_name_nobody():
    two = {"Ann": frozenset({"ann"}), "Bob": frozenset({"bob"})}
    assert person_named("What did Ann tell Bob?", two) is None
    assert person_named("What did the user say?", {"user": frozenset({"user"})}) is None
    same = {"Ann": frozenset({"ann"}), "Ann Smith": frozenset({"ann"})}
    found = person_named("Where is Ann?", same)
    assert found is not None
    assert found.speakers == {"Ann", "Ann Smith"}


def test_whose_voice_a_turn_is():
    bob = person("Bob")

    def voice(speaker, role=None):
        return voice_of(TurnPlace(1, "s", 0, speaker, role), bob)

    assert voice("Bob") is Voice.NAMED
    assert voice("Ann", "user") is Voice.OTHER
    assert voice("") is Voice.UNKNOWN
    assert voice("user", "user") is Voice.UNKNOWN
    assert voice("Claude", "assistant") is None


def test_words_of_saying_and_of_oneself():
    assert asks_for_words("What does Bob think of it?")
    assert asks_for_words("О чём спросила Вера?")
    assert not asks_for_words("Where did Bob plant tulips?")
    assert first_person("Это мои цветы")
    assert not first_person("She lives in Miami")


@given(st.lists(st.tuples(st.sampled_from(Voice), st.sampled_from(["I go.", "You go.", "Who?"]),
                          st.booleans(), st.floats(0, 1)), max_size=20))  # fmt: skip
def test_the_nearest_of_each_sort_is_found(rows):
    said = [Sentence(at, voice, text, of) for at, (voice, text, of, _) in enumerate(rows)]
    likeness = [row[3] for row in rows]
    nearest = nearest_of_each(said, likeness)

    for matter in Matter:
        values = [
            like
            for sentence, like in zip(said, likeness, strict=True)
            if matter_of(sentence.voice, sentence.text, of_person=sentence.of_person) is matter
        ]
        assert (matter in nearest) == bool(values)
        assert not values or likeness[nearest[matter]] == max(values)
    features = contrast_features(nearest, likeness, words=9)
    assert features == tuple(likeness[nearest[m]] if m in nearest else 0.0 for m in Matter)
    assert contrast_features(nearest, likeness, 1) == pytest.approx([f / 3 for f in features])


def test_the_shipped_profile_weighs_who_told_it():
    profile = profile_for("realmemory-static-1").contrast
    assert profile is not None
    assert 0.0 < profile.floor < profile.doubtful < 1.0
    own = dict.fromkeys(CONTRAST_FEATURES, 0.2)
    chance = profile.chance(tuple(own.values()))
    assert profile.chance(tuple((own | {"told": 0.9}).values())) > chance
    assert profile.chance(tuple((own | {"other_told_of": 0.9}).values())) > chance
    assert profile.chance(tuple((own | {"other_told": 0.9}).values())) < chance
    assert profile_for("another").contrast is None
    assert ContrastProfile((0.0,) * len(CONTRAST_FEATURES), 0.0).chance((1.0,) * 5) == 0.5
