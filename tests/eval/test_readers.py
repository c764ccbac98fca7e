"""Readers of public benchmarks keep their exact terms; the texts here are our own."""

from __future__ import annotations

import json

import pytest

from realmemory.errors import ConfigurationError
from realmemory.eval.corpora import beam, hotpot, locomo, longmemeval, xquad

LOCOMO = [
    {
        "sample_id": "c1",
        "conversation": {
            "speaker_a": "Ada",
            "session_10_date_time": "9:05 am on 2 June, 2023",
            "session_10": [{"speaker": "Ada", "dia_id": "D10:1", "text": "Bye."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a kite"},
                {"speaker": "Ada", "dia_id": "D2:2", "text": " "},
            ],
        },
        "qa": [
            {"question": "What?", "answer": "kite", "evidence": ["D2:1"], "category": 4},
            {"question": "When?", "answer": "May", "evidence": ["D2:1; D10:1"], "category": 2},
            {"question": "Why?", "evidence": ["D2:1"], "category": 5},
        ],
    }
]


def write(folder, name, content):
    file = folder / name
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_locomo(tmp_path):
    data = locomo.read(write(tmp_path, "l.json", LOCOMO))
    first, second = data.conversations[0].sessions
    assert [first.key, second.key] == ["session_2", "session_10"]
    assert [turn.text for turn in first.turns] == ["Look! [image: a kite]"]
    assert first.when == 1683554160.0
    single, compound, adversarial = data.questions
    assert (single.category, single.turns, single.sessions) == (
        "single_hop",
        frozenset({"D2:1"}),
        frozenset({"session_2"}),
    )
    assert compound.turns == frozenset({"D2:1; D10:1"})
    assert adversarial.category == locomo.ADVERSARIAL
    assert not adversarial.turns


def test_longmemeval(tmp_path):
    item = {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s2", "s1"],
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "Two.", "has_answer": True}],
            [{"role": "user", "content": "One."}, {"role": "assistant", "content": "Yes."}],
        ],
        "answer_session_ids": ["s2"],
    }
    refused = item | {"question_id": "q2_abs"}
    data = longmemeval.read(write(tmp_path, "longmemeval_s.json", [item, refused]))
    assert [session.key for session in data.conversations[0].sessions] == ["s1", "s2"]
    question, abstention = data.questions
    assert question.turns == frozenset({"s2#0"})
    assert question.sessions == frozenset({"s2"})
    assert question.asked_at == longmemeval.session_time("2023/05/30 (Tue) 23:40")
    assert (abstention.category, abstention.turns) == ("abstention", frozenset())
    assert data.global_keys


def test_beam(tmp_path):
    turns = [
        [
            {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Hi ->-> 1,1"},
            {"role": "assistant", "id": 1, "content": "Hello"},
        ]
    ]
    write(tmp_path, "chat_1.json", [{"batch_number": 1, "turns": turns}])
    probing = {
        "abstention": [{"question": "Who?"}],
        "knowledge_update": [{"question": "What?", "source_chat_ids": {"a": [0], "b": [1, 0]}}],
        "preference_following": [{"question": "Lost?", "source_chat_ids": []}],
    }
    write(tmp_path, "probing_1.json", probing)
    data = beam.read(tmp_path)
    (session,) = data.conversations[0].sessions
    assert [turn.text for turn in session.turns] == ["Hi", "Hello"]
    assert session.when == 1710460800.0
    assert {q.category: q.turns for q in data.questions} == {
        "abstention": frozenset(),
        "knowledge_update": frozenset({"0", "1"}),
    }


def test_xquad_across_languages(tmp_path):
    def passages(context, question):
        qas = [{"id": "1", "question": question}]
        return {"data": [{"paragraphs": [{"context": context, "qas": qas}]}]}

    english = xquad.read(write(tmp_path, "en.json", passages("A river.", "Which?")))
    russian = xquad.read(write(tmp_path, "ru.json", passages("Река.", "Какая?")))
    both = xquad.across(russian, english)
    assert both.texts == ("A river.",)
    assert both.questions == (("1", "Какая?", 0),)


def test_the_first_passages_keep_their_own_questions():
    whole = xquad.Passages(("One.", "Two."), (("a", "1?", 0), ("b", "2?", 1)))
    assert whole.first(1) == xquad.Passages(("One.",), (("a", "1?", 0),))
    assert whole.first(None) == whole


@pytest.mark.parametrize("reader", [locomo.read, longmemeval.read, xquad.read])
@pytest.mark.parametrize("content", [[1], {"a": 1}, [{"question_id": "x"}]])
def test_other_files_are_refused(tmp_path, reader, content):
    with pytest.raises(ConfigurationError):
        reader(write(tmp_path, "x.json", content))


def test_missing_files_are_refused(tmp_path):
    with pytest.raises(ConfigurationError):
        locomo.read(tmp_path / "absent.json")
    with pytest.raises(ConfigurationError):
        beam.read(tmp_path)


def test_hotpot_names_whole_answers_and_needs_both_files(tmp_path):
    write(tmp_path, "x_corpus.json", ["The year 1755.", "Number 17551.", "1755"])
    with pytest.raises(ConfigurationError, match="must hold one"):
        hotpot.read(tmp_path)
    pairs = [{"question": "When?", "answer": "1755"}, {"question": "So?", "answer": "No"}]
    write(tmp_path, "x_qa_pairs.json", pairs)
    assert hotpot.read(tmp_path).questions == (("When?", frozenset({0, 2})),)
    write(tmp_path, "x_qa_pairs.json", [{"question": "When?"}])
    with pytest.raises(ConfigurationError, match="no HotpotQA sample"):
        hotpot.read(tmp_path)
