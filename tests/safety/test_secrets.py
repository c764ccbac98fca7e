"""No secret reaches the store, and nothing that only looks like one is touched."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest

from realmemory.safety import masked_values, screen
from safety.corpus import CARRIERS, LOOK_ALIKES, NAMED, NOT_NAMED, SECRETS, STATED


@pytest.mark.parametrize(
    ("name", "carrier"), [*itertools.product(SECRETS, CARRIERS)], ids=lambda value: value
)
def test_a_provider_secret_is_masked_in_every_carrier(name, carrier):
    screening = screen(CARRIERS[carrier].format(SECRETS[name]))

    assert any(flag.startswith("secret:") for flag in screening.flags)
    for line in SECRETS[name].splitlines():
        assert line not in screening.masked
    before, after = CARRIERS[carrier].format("\0").split("\0")
    assert screening.masked.startswith(before)
    assert screening.masked.endswith(after)


@pytest.mark.parametrize("name", STATED)
def test_a_stated_password_is_masked_and_its_sentence_kept(name):
    text, secret = STATED[name]

    masked = screen(text).masked

    assert secret not in masked
    assert masked.startswith(text[: text.index(secret)])
    assert masked.endswith(text[text.index(secret) + len(secret) :])


@pytest.mark.parametrize("name", STATED)
def test_nothing_is_left_of_a_stated_password(name):
    text, secret = STATED[name]
    kept = screen(text).masked

    assert len(kept) - kept.index("]") - 1 == len(text) - text.index(secret) - len(secret)
    assert screen(kept).masked == kept


@pytest.mark.parametrize(("key", "value"), NAMED)
def test_a_value_under_the_name_of_a_secret_is_masked_at_any_depth(key, value):
    masked = masked_values({"env": [{key: value}], "note": "kept"})

    assert masked == {"env": [{key: "[secret:stated_secret]"}], "note": "kept"}
    assert masked_values(masked) == masked


@pytest.mark.parametrize(("key", "value"), NOT_NAMED)
def test_a_value_under_another_name_is_kept(key, value):
    assert masked_values({key: value}) == {key: value}


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_is_left_alone(text):
    assert screen(text).masked == text


@pytest.mark.parametrize("invisible", ["\u200b", "\u2060", "\u00ad", "\ufeff"])
def test_invisible_characters_do_not_hide_a_secret(invisible):
    token = SECRETS["github classic"]
    split = token[:10] + invisible + token[10:20] + invisible + token[20:]

    masked = screen(f"use {split} here").masked

    assert masked == "use [secret:github_token] here"


def test_full_width_letters_do_not_hide_a_secret():
    wide = "".join(chr(ord(char) + 0xFEE0) for char in SECRETS["gitlab"])

    assert screen(f"token {wide}").masked == "token [secret:gitlab_token]"


def test_a_key_without_an_end_is_masked_as_far_as_it_goes():
    key = SECRETS["private key"].rpartition("\n")[0]

    masked = screen(f"{key}\n\nThe rest of the note stays.").masked

    assert masked == "[secret:private_key]\n\nThe rest of the note stays."


def test_masking_is_told_and_done_once():
    screening = screen(f"key {SECRETS['google']}")

    assert screening.warnings() == ("a secret was masked and not stored: google_key",)
    assert screen(screening.masked).masked == screening.masked


def test_the_shortest_token_is_long_enough_to_be_looked_at():
    token = "xo" + "xb-" + "123456789a"

    assert screen(f"it is {token} here").masked == "it is [secret:slack_token] here"
    assert screen(f"it is {token[:-1]} here").masked == f"it is {token[:-1]} here"


def test_a_text_is_masked_alike_in_every_process():
    """Where two rules found one span the order of hashes named it, and a repeated feed was news."""
    asked = "from realmemory.safety import screen; print(screen('The token is ghp_' + 'a1B2' * 9).masked)"
    told = {
        subprocess.run(
            [sys.executable, "-c", asked],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(1, 7)
    }
    assert told == {"The token is [secret:github_token]\n"}
