"""Instants have one accepted form each way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.errors import InvalidInputError
from realmemory.instants import format_instant, parse_instant


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-01T09:30", "2026-03-01T09:30:00Z"),
        ("2026-03-01 09:30:00", "2026-03-01T09:30:00Z"),
        ("2026-03-01t09:30:00z", "2026-03-01T09:30:00Z"),
        ("2026-03-01T15:00:00+05:30", "2026-03-01T09:30:00Z"),
        ("2026-03-01T09:30:00+00", "2026-03-01T09:30:00Z"),
        ("2026-03-01T09:30:00.250Z", "2026-03-01T09:30:00.250000Z"),
        ("20260301", "2026-03-01T00:00:00Z"),
        (" 0001-01-01 ", "0001-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
    ],
)
def test_a_naive_instant_is_utc_and_an_offset_counts(text, same_as):
    assert format_instant(parse_instant(text)) == same_as


@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "2026-02-30",
        "2026-13-01",
        "20261301",
        "20260230",
        "2026-03-01T24:00",
        "9999-12-31T23:59:60",
        "10000-01-01",
        "1.7e9",
        "1700000000000",
        1700000000000.0,
        1.7e18,
        float("nan"),
        float("inf"),
        True,
        None,
        "2026",
        "2026-03",
        "2026-03-01T",
        "0000-01-01",
        "2026-03-01T09:30:00+99:00",
        "２０２６-03-01",
    ],
)
def test_other_forms_are_refused_by_name(value):
    with pytest.raises(InvalidInputError) as caught:
        parse_instant(value)
    assert caught.value.code == "invalid_timestamp"


@given(st.floats(-62_135_596_800, 253_402_300_799))
def test_seconds_are_taken_as_they_are(seconds):
    assert parse_instant(seconds) == seconds


@given(st.datetimes())
def test_what_is_written_can_be_read(moment):
    seconds = parse_instant(moment.isoformat())
    assert parse_instant(format_instant(seconds)) == pytest.approx(seconds, abs=1e-5)
