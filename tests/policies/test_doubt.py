"""What a question asks for, and what speaks against an answer."""

from __future__ import annotations

import itertools

import pytest

from realmemory.core.static_table import NearestWord
from realmemory.encoding.static import nearest_words
from realmemory.policies.answerability import ORDINARY_ROWS, PROJECT_ROWS
from realmemory.policies.doubt import Asked, DoubtProfile, doubt_of, share_among
from realmemory.policies.question.interrogatives import Form, Interrogative, tokens_of
from realmemory.policies.relevance import profile_for

PROFILE = profile_for("realmemory-static").doubt
ANNA = "Anna started her new job as a data analyst in May."


def judged(question, text, profile=PROFILE, rows=12):
    nearest = nearest_words(question, text)
    weakest = min(word.cosine for word in nearest)
    return doubt_of(profile, Asked.of(question), text, nearest, weakest=weakest, rows=rows)


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("What does Anna like?", Form.ANYTHING),
        ("what time is the stand-up?", Form.TIME),
        ("How do we deploy?", Form.ANYTHING),
        ("how many people came", Form.NUMBER),
        ("Who called?", Form.NAME),
        ("Where is the key?", Form.PLACE),
        ("Сколько стоит билет?", Form.NUMBER),
        ("В какой день приходит врач?", Form.TIME),
        ("Кому звонить?", Form.NAME),
        ("Welche Farbe hat das Auto?", Form.ANYTHING),
        ("Wie lange läuft der Vertrag?", Form.NUMBER),
        ("Was macht Jonas?", Form.ANYTHING),
    ],
)
def test_what_a_question_asks_for(question, form):
    assert Asked.of(question).interrogative.form is form


@pytest.mark.parametrize("text", ["the deploy was broken", "Anna shoe size", "", "¿Qué hora es?"])
def test_what_asks_nothing_is_not_judged(text):
    assert Asked.of(text) is None


@pytest.mark.parametrize(
    ("form", "held", "not_held"),
    [
        (Form.NUMBER, "It costs 40 euros.", "It costs a lot."),
        (Form.NUMBER, "У него два сына.", "У него сыновья."),
        (Form.TIME, "We meet on Fridays.", "We meet rarely."),
        (Form.TIME, "Im Januar geht es los.", "Es geht los."),
        (Form.NAME, "ask Peter", "ask them"),
        (Form.PLACE, "it lies under the mat", "it lies there"),
    ],
)
def test_whether_a_text_holds_what_is_asked_for(form, held, not_held):
    asked = Interrogative(form, german=False)
    assert asked.answered_in(tokens_of(held), ())
    assert not asked.answered_in(tokens_of(not_held), ())


def test_what_the_question_says_itself_is_no_answer():
    assert (
        judged("How many of the 40 tickets are left?", "The 40 tickets are nice.").features[1] < 0
    )


@pytest.mark.parametrize("question", ["What is Anna's shoe size?", "what is anna's shoe size"])
def test_that_somebody_is_spoken_of_says_nothing(question):
    of_her = judged(question, ANNA)
    assert of_her.features == pytest.approx(
        judged("What is the shoe size?", ANNA).features, abs=0.2
    )
    assert of_her.chance < judged("What job does Anna have?", ANNA).chance


def test_the_reader_is_told_what_is_not_said():
    sure = DoubtProfile(PROFILE.weights, PROFILE.bias, doubtful=1.0)
    doubt = judged("How many shoes does Anna own?", "Anna likes tea.", sure)
    assert doubt.detail == 'what comes nearest says nothing like "shoes", and no number'
    assert judged("Where does Anna drink tea?", "Anna drinks tea at home.", sure).detail is None


def test_more_of_what_is_asked_never_counts_against_a_text():
    assert min(PROFILE.weights) >= 0.0
    asked = Asked.of("which colour has the car")
    chances = [
        doubt_of(
            PROFILE, asked, "a car", [NearestWord("colour", 9.0, cosine)], weakest=0.1, rows=9
        ).chance
        for cosine in (0.0, 0.3, 0.9)
    ]
    assert chances == sorted(chances)


def test_doubt_ends_where_the_profile_was_fitted_and_has_no_step():
    shares = [share_among(rows) for rows in range(PROJECT_ROWS + 3)]
    assert shares[: ORDINARY_ROWS + 1] == [1.0] * (ORDINARY_ROWS + 1)
    assert shares == sorted(shares, reverse=True)
    assert shares[PROJECT_ROWS:] == [0.0] * 3
    assert max(a - b for a, b in itertools.pairwise(shares)) < 0.05
    assert judged("What is Anna's shoe size?", ANNA, rows=PROJECT_ROWS).chance == 1.0


def test_without_a_profile_only_the_features_are_told():
    doubt = judged("What is Anna's shoe size?", ANNA, profile=None)
    assert (doubt.chance, doubt.detail) == (1.0, None)
    assert len(doubt.features) == len(PROFILE.weights)
