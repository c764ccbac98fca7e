"""A question about somebody is not answered with what somebody else did."""

from __future__ import annotations

import pytest

from realmemory import AbstainReason, Source
from realmemory.api.shown import answer
from realmemory.cli.recall import packet_lines

TULIPS = "On Sunday I planted sixty tulips along the fence behind the old shed."
GARDEN = [
    {"speaker": "Ann Smith", "text": TULIPS},
    {"speaker": "Bob", "text": "That sounds lovely! Which colours did you choose?"},
    {"speaker": "Ann Smith", "text": "White and dark purple. And you, what is new?"},
    {"speaker": "Bob", "text": "I sold my car to a beekeeper and bought a cargo bike."},
    {"speaker": "Ann Smith", "text": "No! The red one?"},
    {"speaker": "Bob", "text": "The red one. Nine hundred euros, and a jar of honey on top."},
]
DACHA = [
    {"speaker": "Вера", "text": "В субботу я посадила вдоль забора шестьдесят тюльпанов."},
    {"speaker": "Нина", "text": "Как красиво! Какого цвета?"},
    {"speaker": "Нина", "text": "А я продала машину пчеловоду и купила грузовой велосипед."},
    {"speaker": "Вера", "text": "Вот это новость!"},
]


@pytest.fixture
def talk(memory):
    memory.store_conversation(GARDEN, session_id="garden")
    memory.store_conversation(DACHA, session_id="дача")
    return memory


def texts(packet):
    return [item.text for item in packet.items]


@pytest.mark.parametrize(
    ("question", "named", "other"),
    [
        ("Where did Bob plant tulips?", "Bob", "Ann Smith"),
        ("where did bob plant tulips?", "Bob", "Ann Smith"),
        ("Where are Bob's sixty tulips planted?", "Bob", "Ann Smith"),
        ("Which beekeeper bought Ann's red car?", "Ann Smith", "Bob"),
        ("Which beekeeper bought Ann Smith's red car?", "Ann Smith", "Bob"),
        ("Где Нина посадила тюльпаны?", "Нина", "Вера"),
        ("Где вдоль забора тюльпаны Нины?", "Нина", "Вера"),
    ],
)
def test_what_another_did_is_no_answer(talk, question, named, other):
    packet = talk.recall(question)

    assert packet.abstained
    assert packet.reason is AbstainReason.OTHER_SPEAKER
    assert packet.detail == f"the question names {named}; what comes nearest was said by {other}"
    assert packet.nearest is not None
    assert packet.nearest.memory_id not in {item.memory_id for item in packet.items}


@pytest.mark.parametrize(
    "question", ["To whom did Ann sell the car?", "Где посажены тюльпаны Нины?"]
)
def test_few_words_raise_a_doubt_at_least(talk, question):
    packet = talk.recall(question)

    assert packet.detail is not None
    assert packet.abstained or packet.items[0].confidence < 0.2


def test_the_nearest_miss_is_shown_where_the_answer_is_refused(talk):
    packet = talk.recall("Where did Bob plant tulips?")

    assert packet.nearest.text == TULIPS
    assert (
        packet.nearest.confidence < talk.recall("Where did Ann plant tulips?").items[0].confidence
    )
    shown = answer(packet, packet.query)
    assert (shown["reason"], shown["nearest"]["text"]) == ("other_speaker", TULIPS)
    lines = "\n".join(packet_lines(packet, now=packet.nearest.observed_at))
    assert TULIPS in lines
    assert packet.detail in lines


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where did Ann plant tulips?", TULIPS),
        ("Where are Ann's tulips planted?", TULIPS),
        ("To whom did Bob sell the car?", GARDEN[3]["text"]),
        ("Who planted tulips along the fence?", TULIPS),
        ("What did Ann tell Bob about tulips?", TULIPS),
        ("What does Bob think of the tulips along the fence?", None),
        ("What did Bob ask about the tulips?", None),
        ("What did I hear from Bob about tulips?", None),
        ("Did Carl plant tulips along the fence?", TULIPS),
        ("Где Вера посадила тюльпаны?", DACHA[0]["text"]),
        ("Кому Нина продала машину?", DACHA[2]["text"]),
    ],
)
def test_what_was_asked_for_is_answered(talk, question, first):
    packet = talk.recall(question)

    assert not packet.abstained
    assert packet.detail is None
    assert first is None or texts(packet)[0] == first


@pytest.mark.parametrize(
    "said",
    [
        "Your tulips along the fence look great, Bob. Sixty of them!",
        "I saw that Bob planted sixty tulips along the fence.",
        "Bob was here. He told Carl about the sixty tulips along the fence.",
    ],
)
def test_what_others_say_of_somebody_answers(memory, said):
    memory.store_conversation(
        [{"speaker": "Ann", "text": said}, {"speaker": "Bob", "text": "I need a new spade."}]
    )

    assert texts(memory.recall("Where did Bob plant tulips?"))[0] == said


def test_one_who_did_the_same_is_answered(memory):
    memory.store_conversation(
        [*GARDEN, {"speaker": "Bob", "text": "I planted tulips too, in a box on the balcony."}]
    )

    packet = memory.recall("Where did Bob plant tulips?")

    assert texts(packet)[0].startswith("I planted tulips too")
    assert packet.detail is None


def test_a_fact_beside_the_turns_answers(talk):
    talk.remember("Bob planted tulips in the churchyard.")

    assert "Bob planted tulips in the churchyard." in texts(
        talk.recall("Where did Bob plant tulips?")
    )


def test_one_voice_or_none_with_a_name_is_held_against_nobody(memory):
    memory.store_conversation(
        [{"speaker": "Bob", "text": "Ann planted sixty tulips along the fence."}],
        session_id="diary",
    )
    memory.store_conversation([{"text": "Sixty tulips stand along the fence."}], session_id="none")

    assert not memory.recall("Where did Bob plant tulips?").abstained


def test_parts_of_a_chat_are_no_names(memory):
    memory.store_conversation(
        [
            {"speaker": "user", "role": "user", "text": "I planted sixty tulips along the fence."},
            {"speaker": "assistant", "role": "assistant", "text": "What a fine row of flowers."},
        ]
    )

    for question in ("Where did the assistant plant tulips?", "Where did I plant tulips?"):
        packet = memory.recall(question)
        assert not packet.abstained, question
        assert packet.detail is None, question


def test_what_a_machine_says_is_nobodys_own(memory):
    memory.store_conversation(
        [
            {"speaker": "Ann", "role": "user", "text": "I need a new spade."},
            {"speaker": "Claude", "role": "assistant", "text": "Sixty tulips are along the fence."},
        ]
    )

    assert not memory.recall("Where did Ann plant tulips?").abstained


def test_a_word_is_no_name_where_names_have_capitals(memory):
    memory.store_conversation(
        [
            {"speaker": "Ann", "text": "I planted a rose beside the well in Utrecht."},
            {"speaker": "Rose", "text": "I sold my car."},
        ]
    )

    assert not memory.recall("Is there a rose beside the well in Utrecht?").abstained
    assert memory.recall("Where did Rose plant something beside the well?").abstained


def test_doubt_lowers_the_confidence_and_says_so(talk):
    asked = talk.recall("Где посажены тюльпаны Нины?", explain=True)
    own = talk.recall("Где посажены тюльпаны Веры?", explain=True)

    assert not asked.abstained
    assert asked.detail is not None
    chances = [packet.explanation["contrast"]["chance"] for packet in (asked, own)]
    assert chances[0] < chances[1]
    for packet in (asked, own):
        plain = {row["id"]: row["confidence"] for row in packet.explanation["candidates"]}
        chance = packet.explanation["contrast"]["chance"]
        for item in packet.items:
            if item.source in {Source.DIRECT, Source.KEYWORD}:
                assert item.confidence == pytest.approx(chance * plain[item.memory_id])
