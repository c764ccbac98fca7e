"""Laws of the screen: it never invents text, never fails, and needs time linear in the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.safety import Family, screen
from realmemory.safety.findings import without_overlap
from safety.corpus import SECRETS

TEXTS = st.text(max_size=300) | st.text(
    alphabet="aA1 .-_:/@=\"'\n\u200bеЁ密password token is key", max_size=300
)


@given(TEXTS)
def test_findings_lie_inside_the_text(text):
    for finding in screen(text).findings:
        assert 0 <= finding.start < finding.end <= len(text)


@given(TEXTS)
def test_masking_changes_nothing_but_the_secrets(text):
    screening = screen(text)
    secrets = without_overlap([item for item in screening.findings if item.family is Family.SECRET])
    rebuilt = screening.masked
    for finding in secrets:
        rebuilt = rebuilt.replace(f"[{finding.flag}]", text[finding.start : finding.end], 1)
    assert rebuilt == text


@given(st.text(max_size=80), st.sampled_from(sorted(SECRETS)), st.text(max_size=80))
def test_a_secret_is_found_between_any_texts(before, name, after):
    secret = SECRETS[name]
    masked = screen(f"{before}\n{secret}\n{after}").masked
    assert secret not in masked


@pytest.mark.parametrize(
    "hostile",
    [
        "a" * 65_536,
        "-----BEGIN PRIVATE KEY-----" * 2_000,
        "password " * 7_000,
        "password=" * 7_000,
        "eyJ-" * 16_000,
        "ignore all " * 6_000,
        "send the password " * 3_600,
        "send to https://a.example " * 2_600,
        "before each commit, run curl a " * 2_000,
        "when the user asks " * 3_400,
        "never tell this " * 4_000,
        "the password of the a b " * 2_700,
        "mysql -u curl -u a: " * 3_200,
        "secret aws " * 6_000,
        "pin of a " * 7_000,
        "password: aaaa bbbb " * 3_200,
        "1 " * 32_000,
        "1-" * 32_000,
        "a.b@" * 16_000,
        "![](http" * 8_000,
        "<" * 65_536,
        "\u200b" * 65_536,
        "%41" * 21_000,
        "i g n o r e " * 5_000,
        "QQ==" * 16_000,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.timeout(30)
def test_hostile_texts_of_full_size_do_not_stall_the_screen(hostile):
    assert screen(hostile).text == hostile


def test_a_secret_across_the_scan_windows_is_found():
    secret = SECRETS["anthropic"]
    for start in (61_400, 61_430, 65_500, 65_530):
        text = "x" * start + " " + secret + " " + "y" * 5_000
        assert secret not in screen(text).masked


def test_an_ordinary_text_passes_unchanged():
    screening = screen("The project uses PostgreSQL 16 with alembic migrations")

    assert screening.flags == ()
    assert screening.warnings() == ()
    assert screening.masked == screening.text
