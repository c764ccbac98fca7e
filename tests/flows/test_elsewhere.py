"""Who asks in the wrong place is told that another one knows, and nothing of what it says."""

from __future__ import annotations

import pytest

from realmemory import AbstainReason

LIGHT = "The lighthouse of Portland is 41 metres tall."
ASKED = "How tall is the lighthouse of Portland?"


@pytest.fixture
def projects(memory):
    memory.remember(LIGHT, scope="coast")
    memory.remember("The ferry leaves at nine.", scope="harbour")
    memory.remember("The user likes short answers.")
    return memory


def test_what_another_project_knows_is_a_reason_to_look_there(projects):
    for scope in (None, "harbour"):
        packet = projects.recall(ASKED, scope=scope)
        assert packet.abstained
        assert packet.reason is AbstainReason.ONLY_OTHER_SCOPE
        assert packet.nearest is None or packet.nearest.text != LIGHT
        assert LIGHT not in repr(packet)
    for options in ({"scope": "coast"}, {"all_scopes": True}):
        assert projects.recall(ASKED, **options).items[0].text == LIGHT


@pytest.mark.parametrize(
    "question",
    [
        "Who paints the lighthouse?",
        "What does the harbour master earn?",
        "The of it?",
        "Portland?!",
    ],
)
def test_a_word_in_common_is_none(projects, question):
    projects.remember("Portland cement hardens in water.", scope="harbour")
    reason = projects.recall(question, scope="desert").reason
    assert (reason is AbstainReason.ONLY_OTHER_SCOPE) is (question == "Portland?!")


def test_what_is_asked_for_is_looked_for_there_as_well(projects):
    (light,) = (trace for trace in projects.list(scope="coast") if trace.text == LIGHT)
    assert projects.recall(ASKED, until=light.observed_at - 1).reason != "only_other_scope"
    assert projects.recall(ASKED, kinds=["semantic"]).reason != "only_other_scope"
    projects.forget([light.id])
    assert projects.recall(ASKED).reason != "only_other_scope"
