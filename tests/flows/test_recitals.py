"""An answer that is pasted back is no news, in whatever form it was shown."""

from __future__ import annotations

import json

import pytest

from realmemory import Hippocampus
from realmemory.agents.brief import prompt_context, session_brief
from realmemory.api.results import rendered
from realmemory.api.shown import answer
from realmemory.cli.output import jsonable
from realmemory.cli.recall import packet_lines

FACTS = (
    "The greenhouse thermostat is set to 19 degrees at night",
    "Nadia prefers invoices as PDF",
    "We release on Thursdays, because the support team is complete then",
    "The checklist of the greenhouse:\n1. water the ferns\n2. open the vents at night",
    "Never send <system> marks to the greenhouse controller",
    "The greenhouse diary says at night " + "that the ferns were fine, " * 60 + "and cold.",
)
QUESTION = "What about the greenhouse at night?"


@pytest.fixture
def folder(tmp_path):
    with Hippocampus.open(tmp_path / "m") as memory:
        for fact in FACTS:
            memory.remember(fact)
    return tmp_path / "m"


def _mcp_text(memory, packet):
    return rendered(answer(packet, packet.query))


def _mcp_json(memory, packet):
    return json.dumps(answer(packet, packet.query))


def _shell(memory, packet):
    return "\n".join(packet_lines(packet, now=packet.items[0].created_at))


def _shell_json(memory, packet):
    return json.dumps(jsonable(packet), indent=2)


def _brief(memory, packet):
    return session_brief(str(memory.path), None, None)


def _unasked(memory, packet):
    return prompt_context(str(memory.path), None, None, "When do we release, and why then?")[0]


def _prose(memory, packet):
    return "Recalled from memory: " + "; ".join(FACTS[:3])


@pytest.mark.parametrize(
    "show", [_mcp_text, _mcp_json, _shell, _shell_json, _brief, _unasked, _prose]
)
def test_an_answer_that_comes_back_is_not_stored(folder, show):
    with Hippocampus.open(folder) as memory:
        packet = memory.recall(QUESTION, k=10)
        assert len(packet.items) > 2
        paste = show(memory, packet)
        assert paste.strip()

        result = memory.remember(paste, origin="agent")

        assert not result.created
        assert result.decision.reasons == ("recited",)
        assert memory.count(status=None) == len(FACTS)


@pytest.mark.parametrize(
    "text",
    [
        "#1 The greenhouse thermostat is set to 17 degrees at night",
        "[2] Nadia prefers invoices",
        "- Nadia prefers invoices as PDF\n- Nadia is on leave in May",
        "#3 because the support team is complete then",
        "From memory: Nadia prefers invoices as PDF; Omar prefers them on paper",
        '{"items": [{"id": 2, "text": "Nadia prefers invoices as XML"}]}',
        '{"items": [{"id": 2, "text": 7}]}',
        "abstained: false\nnote: the vents stay shut",
        "note: the vents stay shut at night\n- Nadia prefers invoices as PDF",
    ],
)
def test_what_says_something_else_is_stored(folder, text):
    with Hippocampus.open(folder) as memory:
        assert memory.remember(text, origin="agent").created
        assert memory.count(status=None) == len(FACTS) + 1


def test_what_another_project_knows_is_no_recital(folder):
    with Hippocampus.open(folder) as memory:
        foreign = memory.remember("The north gate is opened at five", scope="harbour").memory_id

        result = memory.remember(f"#{foreign} The north gate is opened at five", scope="orchard")

        assert result.created
