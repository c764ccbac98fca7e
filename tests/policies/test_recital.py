"""Pastes of recalled memories are known by their decoration."""

from __future__ import annotations

import pytest

from realmemory.policies.recital import stated_lines

FACT = "The canteen closes at three"


@pytest.mark.parametrize(
    "paste",
    [
        f"- {FACT}",
        f"* {FACT}",
        f"> {FACT}",
        f"1. {FACT}",
        f"#12 {FACT}",
        f"\u2022 #12 {FACT}",
        f"\u2022 #12 (2026-01-02, global, trust high) {FACT}",
        f"[0.82] {FACT}",
        f"{FACT} (confidence 0.82)",
        f'"{FACT}"',
        f"From memory: {FACT}",
        f"Relevant memories:\n- {FACT}",
        f"[0.82] {FACT}\n       #12 \u00b7 direct \u00b7 global \u00b7 2 days",
    ],
)
def test_the_text_is_found_under_its_decoration(paste):
    assert stated_lines(paste) == (FACT,)


def test_a_plain_text_is_no_paste():
    assert stated_lines(FACT) == ()
    assert stated_lines("") == ()
    assert stated_lines("\n".join([FACT] * 100)) == ()
