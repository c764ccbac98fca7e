"""Instruction-like texts are marked, in many languages and disguises; imperatives are not."""

from __future__ import annotations

import pytest

from realmemory.safety import screen, should_quarantine
from realmemory.types import Origin
from safety.corpus import ATTACKS, HARMLESS


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_marked(name):
    assert screen(ATTACKS[name]).instructs


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_imperative_is_not_marked(text):
    assert screen(text).flags == ()


@pytest.mark.parametrize("origin", [Origin.AGENT, Origin.TOOL, Origin.IMPORT, Origin.PEER])
def test_an_attack_that_no_user_wrote_is_held_back(origin):
    assert should_quarantine(screen(ATTACKS["plain"]), origin)
    assert not should_quarantine(screen(HARMLESS[0]), origin)


def test_a_user_may_write_anything():
    assert not should_quarantine(screen(ATTACKS["plain"]), Origin.USER)


def test_the_writer_is_told_and_the_text_is_unchanged():
    screening = screen(ATTACKS["plain"])

    assert screening.masked == ATTACKS["plain"]
    assert screening.warnings() == (
        "the text reads like an instruction to the agent; it is kept as data",
    )
    assert "instruction:override" in screening.flags
