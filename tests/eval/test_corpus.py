"""The shipped corpus keeps what the benchmarks promise about it."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections import Counter
from importlib import resources

import pytest

from realmemory.eval.corpora import chats, exchanges, long_chats, own
from realmemory.policies.times.dates import is_russian
from realmemory.scopes import validate_scope
from realmemory.types import GLOBAL_SCOPE

CORPUS = own.load_corpus()
PAIRS = own.load_pairs()
LANGUAGES = own.load_languages()
FACTS = {fact.id: fact for fact in CORPUS.facts}


@functools.cache
def words(text: str) -> frozenset[str]:
    return frozenset(word[:5] for word in re.findall(r"\w+", text.lower()) if len(word) > 2)


def similarity(first: str, second: str) -> float:
    a, b = words(first), words(second)
    return len(a & b) / len(a | b) if a and b else float(first == second)


@pytest.mark.parametrize(
    "name",
    [
        "corpus.json",
        "near_miss.json",
        "languages.json",
        "noise.json",
        "chats.json",
        "exchanges.json",
        "on_topic.json",
    ],
)
def test_files_are_composed_utf8_without_carriage_returns(name):
    raw = resources.files("realmemory.eval").joinpath("data", name).read_bytes()
    text = raw.decode("utf-8")
    assert text == unicodedata.normalize("NFC", text)
    assert "\r" not in text


def test_corpus_is_large_enough():
    assert len(CORPUS.facts) >= 340
    assert len(CORPUS.queries) >= 400
    assert {fact.lang for fact in CORPUS.facts} == {"ru", "en", "mixed"}
    languages = Counter(fact.lang for fact in CORPUS.facts)
    assert min(languages["ru"], languages["en"]) >= 120
    assert len({fact.scope for fact in CORPUS.facts}) >= 6


def test_every_kind_is_there_and_both_halves_hold_as_many_of_it():
    for kind in own.KINDS:
        halves = Counter(query.split for query in CORPUS.queries if query.kind == kind)
        assert set(halves) == {own.CALIBRATION, own.HELD_OUT}
        assert halves.total() >= 24
        assert abs(halves[own.CALIBRATION] - halves[own.HELD_OUT]) <= 1


def test_ids_are_unique_and_references_resolve():
    assert len(FACTS) == len(CORPUS.facts)
    assert len({query.id for query in CORPUS.queries}) == len(CORPUS.queries)
    for fact in CORPUS.facts:
        for other in (fact.dup_of, fact.supersedes, fact.contradicts):
            assert other is None or other in FACTS
    for query in CORPUS.queries:
        assert set(query.expect + query.forbid + query.stale) <= set(FACTS)
        assert not set(query.expect) & set(query.forbid + query.stale)


def test_texts_are_not_repeated():
    facts = Counter(fact.text.casefold() for fact in CORPUS.facts)
    assert facts.most_common(1)[0][1] == 1
    asked = Counter((q.text.casefold(), q.scope, q.as_of) for q in CORPUS.queries)
    assert asked.most_common(1)[0][1] == 1


def test_halves_share_no_expected_fact_and_no_near_identical_query():
    halves = [
        [query for query in CORPUS.queries if query.split == split]
        for split in (own.CALIBRATION, own.HELD_OUT)
    ]
    gold = [{i for query in half for i in CORPUS.accepted(query)} for half in halves]
    assert not gold[0] & gold[1]
    for first, second in itertools.product(*halves):
        assert similarity(first.text, second.text) < 0.6, (first.text, second.text)


def test_questions_expect_what_their_kind_says():
    for query in CORPUS.queries:
        if query.kind in own.ANSWERABLE_KINDS:
            assert query.expect, query
        elif query.kind in own.UNANSWERABLE_KINDS:
            assert not query.expect, query
        else:
            assert query.forbid, query
        if query.kind == "update":
            assert bool(query.forbid) != bool(query.stale), query


def test_expected_facts_are_visible_and_leaking_ones_are_not():
    for query in CORPUS.queries:
        visible = {GLOBAL_SCOPE, query.scope or GLOBAL_SCOPE}
        assert all(FACTS[i].scope in visible for i in query.expect), query
        if query.kind == "scope_leak":
            assert all(FACTS[i].scope not in visible for i in query.forbid), query


def test_the_right_answer_was_valid_when_it_is_asked_for():
    replaced_at = {fact.supersedes: fact.when for fact in CORPUS.facts if fact.supersedes}
    for query in CORPUS.queries:
        moment = query.as_of or CORPUS.now
        for fact_id in query.expect:
            assert FACTS[fact_id].when <= moment
            assert moment < replaced_at.get(fact_id, float("inf")), query


def test_replacements_come_later_in_the_same_scope():
    for fact in CORPUS.facts:
        for other in filter(None, (fact.supersedes, fact.contradicts)):
            assert FACTS[other].when < fact.when
            assert FACTS[other].scope == fact.scope
        if fact.dup_of:
            assert FACTS[fact.dup_of].when < fact.when
            assert FACTS[fact.dup_of].dup_of is None
    assert [fact.when for fact in CORPUS.facts] == sorted(fact.when for fact in CORPUS.facts)


def test_scopes_are_valid_names():
    for scope in {fact.scope for fact in CORPUS.facts}:
        assert validate_scope(scope) == scope


def test_exact_tokens_occur_in_their_fact():
    for query in CORPUS.queries:
        if query.kind == "exact_token":
            assert any(query.text.casefold() in FACTS[i].text.casefold() for i in query.expect)


def test_pairs_are_complete_and_differ():
    for pairs in (PAIRS.near_misses, PAIRS.paraphrases):
        halves = Counter(pair.split for pair in pairs)
        assert halves == {own.CALIBRATION: 120, own.HELD_OUT: 60}
    kinds = Counter(pair.kind for pair in PAIRS.near_misses)
    assert set(kinds) == {"number", "version", "date", "negation", "name", "unit", "identifier"}
    assert min(kinds.values()) >= 12
    for pairs in (PAIRS.near_misses, PAIRS.paraphrases):
        assert len({pair.first for pair in pairs}) == 180
        assert min(Counter(pair.lang for pair in pairs).values()) >= 45
        assert all(pair.first != pair.second for pair in pairs)


def test_language_sets_resolve():
    ids = {fact.id for fact in LANGUAGES.facts}
    assert len(ids) == len(LANGUAGES.facts)
    kinds = Counter(query.kind for query in LANGUAGES.queries)
    assert set(kinds) == {"cjk", "typo", "inflection_de", "inflection_ru"}
    assert min(kinds.values()) >= 10
    assert all(set(query.expect) <= ids for query in LANGUAGES.queries)


def test_noise_is_plenty_and_split_in_halves():
    noise = own.load_noise()
    for kind in own.NOISE_KINDS:
        rows = [query for query in noise if query.kind == kind]
        assert len(rows) == len({query.text for query in rows}) == 200
        assert Counter(query.split for query in rows)[own.HELD_OUT] == 100
    of_noise = {query.text: query.split for query in noise}
    own_noise = {q.text: q.split for q in CORPUS.queries if q.kind in {"out_of_domain", "nonsense"}}
    assert own_noise.items() <= of_noise.items()


def test_conversations_are_dated_and_their_gold_turns_exist():
    dialogue = chats.load()
    turns = {
        conversation.key: {turn.key for session in conversation.sessions for turn in session.turns}
        for conversation in dialogue.conversations
    }
    for conversation in dialogue.conversations:
        times = [session.when for session in conversation.sessions]
        assert times == sorted(times)
    for question in dialogue.questions:
        assert question.turns <= turns[question.conversation]
        assert bool(question.turns) != (question.category == chats.UNANSWERABLE)
    kinds = Counter(question.category for question in dialogue.questions)
    assert kinds.total() >= 120
    assert {"single_hop", "multi_hop", "temporal", "open_domain"} <= kinds.keys()


@pytest.mark.parametrize("wordy", [False, True])
def test_an_acted_assistant_answers_as_often_as_the_user(wordy):
    people = chats.load()
    answers = Counter()
    for assistant in (0, 1):
        for before, conversation in zip(
            people.conversations,
            chats.acted(people, assistant, wordy=wordy).conversations,
            strict=True,
        ):
            said = [turn for session in before.sessions for turn in session.turns]
            played = [turn for session in conversation.sessions for turn in session.turns]
            gold = {
                key
                for question in people.questions
                if question.conversation == conversation.key
                for key in question.turns
            }
            for spoken, turn in zip(said, played, strict=True):
                assert spoken.text in turn.text
                assert wordy or spoken.text == turn.text
            answers.update(turn.role for turn in played if turn.key in gold)
    assert answers["assistant"] == answers["user"] > 0


def test_dealt_questions_are_asked_of_who_told_it_and_of_somebody_else():
    dialogue = exchanges.load()
    assert exchanges.load() == dialogue
    turns = {
        (conversation.key, turn.key): turn
        for conversation in dialogue.conversations
        for session in conversation.sessions
        for turn in session.turns
    }
    assert not any("{" in turn.text for turn in turns.values())
    by_key = {question.key: question for question in dialogue.questions}
    assert len(by_key) == len(dialogue.questions)
    for question in dialogue.questions:
        assert "{" not in question.text
        assert bool(question.turns) == (question.category != exchanges.SWAPPED)
        assert all((question.conversation, key) in turns for key in question.turns)
        if question.category == exchanges.SWAPPED:
            assert by_key[question.key.removesuffix("-swapped")].text != question.text


def test_chats_are_swapped_only_where_one_speaker_alone_answers():
    questions = exchanges.swapped_chats().questions
    own = {question.key for question in questions if question.category == exchanges.OWN}
    swapped = {question.key for question in questions if question.category == exchanges.SWAPPED}
    assert swapped == {f"{key}-swapped" for key in own}
    assert len(own) >= 20


def test_the_conversations_in_english_hold_no_russian_and_lose_no_question():
    people = chats.load()
    english = chats.in_english(people)
    kept = {item.key for item in english.conversations}
    assert 0 < len(kept) < len(people.conversations)
    for conversation in people.conversations:
        texts = [turn.text for part in conversation.sessions for turn in part.turns]
        assert (conversation.key in kept) is not any(map(is_russian, texts))
    assert english.questions == tuple(q for q in people.questions if q.conversation in kept)


def test_a_long_conversation_holds_its_own_turns_among_those_that_the_same_two_tell():
    people, long = chats.load(), long_chats.load()
    assert long_chats.load() == long
    for before, after in zip(people.conversations, long.conversations, strict=True):
        own = {turn.key: turn for session in before.sessions for turn in session.turns}
        told = {turn.key: turn for session in after.sessions for turn in session.turns}
        assert own.items() <= told.items()
        assert len(told) > 2 * len(own)
        assert {turn.speaker for turn in told.values()} == {turn.speaker for turn in own.values()}
        times = [session.when for session in after.sessions]
        assert times == sorted(times)
    assert long.questions == people.questions


def test_who_only_repeats_a_question_adds_turns_and_none_that_answers():
    people, echoed = chats.load(), chats.echoed(chats.load())
    assert chats.echoed(people) == echoed
    assert echoed.questions == people.questions
    gold = {(one.conversation, key) for one in people.questions for key in one.turns}
    for before, after in zip(people.conversations, echoed.conversations, strict=True):
        told = [turn for part in after.sessions for turn in part.turns]
        plain = [turn for part in before.sessions for turn in part.turns]
        added = [turn for turn in told if turn not in plain]
        assert [turn for turn in told if turn in plain] == plain
        assert added
        assert not any((after.key, turn.key) in gold for turn in added)
