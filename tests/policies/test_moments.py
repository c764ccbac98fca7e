"""Moments as people say them, seen from Wednesday 10 May 2023, 15:00 UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.times.dates import date_in_words
from realmemory.policies.times.days import Span, closeness
from realmemory.policies.times.moments import spans, without_times

NOW = datetime(2023, 5, 10, 15, tzinfo=UTC).timestamp()
DAY = 86_400.0


def shown(span: Span) -> tuple[str, str]:
    def day(moment: float) -> str:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}" if abs(moment) < 1e12 else "open"

    return day(span.start), day(span.end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What did I do today?", "2023-05-10", "2023-05-11"),
        ("yesterday", "2023-05-09", "2023-05-10"),
        ("the day before yesterday", "2023-05-08", "2023-05-09"),
        ("last Tuesday", "2023-05-09", "2023-05-10"),
        ("last Wednesday", "2023-05-03", "2023-05-04"),
        ("next Friday", "2023-05-12", "2023-05-13"),
        ("3 days ago", "2023-05-07", "2023-05-08"),
        ("a couple of days ago", "2023-05-08", "2023-05-09"),
        ("two weeks ago", "2023-04-23", "2023-04-30"),
        ("last week", "2023-05-01", "2023-05-08"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("this year", "2023-01-01", "2024-01-01"),
        ("in the last 3 days", "2023-05-07", "2023-05-11"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("on May 7th, 2023", "2023-05-07", "2023-05-08"),
        ("on 2023-05-07", "2023-05-07", "2023-05-08"),
        ("on 7 June", "2022-06-07", "2022-06-08"),
        ("in May 2023", "2023-05-01", "2023-06-01"),
        ("in June", "2022-06-01", "2022-07-01"),
        ("in 2021", "2021-01-01", "2022-01-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("in the winter of 2022", "2021-12-01", "2022-03-01"),
        ("before May 2023", "open", "2023-05-01"),
        ("after 3 June 2022", "2022-06-04", "open"),
        ("since 2021", "2021-01-01", "open"),
        ("between March and April 2023", "2023-03-01", "2023-05-01"),
        ("from 1 March to 5 April", "2023-03-01", "2023-04-06"),
        ("Was habe ich gestern gemacht?", "2023-05-09", "2023-05-10"),
        ("vorgestern", "2023-05-08", "2023-05-09"),
        ("heute", "2023-05-10", "2023-05-11"),
        ("letzte Woche", "2023-05-01", "2023-05-08"),
        ("im letzten Monat", "2023-04-01", "2023-05-01"),
        ("dieses Jahr", "2023-01-01", "2024-01-01"),
        ("vor drei Tagen", "2023-05-07", "2023-05-08"),
        ("vor zwei Wochen", "2023-04-23", "2023-04-30"),
        ("letzten Dienstag", "2023-05-09", "2023-05-10"),
        ("am Montag", "2023-05-08", "2023-05-09"),
        ("im Mai 2023", "2023-05-01", "2023-06-01"),
        ("im Juni", "2022-06-01", "2022-07-01"),
        ("Anfang März", "2023-03-01", "2023-04-01"),
        ("am 3. Mai 2022", "2022-05-03", "2022-05-04"),
        ("am 3.4.", "2023-04-03", "2023-04-04"),
        ("vom 3. bis 5. April", "2023-04-03", "2023-04-06"),
        ("from 3 to 5 April 2022", "2022-04-03", "2022-04-06"),
        ("April 3-5", "2023-04-03", "2023-04-06"),
        ("с 3 по 5 апреля", "2023-04-03", "2023-04-06"),
        ("letzten Sommer", "2022-06-01", "2022-09-01"),
        ("im Winter 2022", "2021-12-01", "2022-03-01"),
        ("im Herbst 2021", "2021-09-01", "2021-12-01"),
        ("diesen Frühling", "2023-03-01", "2023-06-01"),
        ("vor Mai 2023", "open", "2023-05-01"),
        ("nach dem 3. Juni 2022", "2022-06-04", "open"),
        ("seit März 2022", "2022-03-01", "open"),
        ("von März bis Mai 2022", "2022-03-01", "2022-06-01"),
        ("vom 1. März bis zum 5. April", "2023-03-01", "2023-04-06"),
        ("Wo hat Miriam 2022 gewohnt?", "2022-01-01", "2023-01-01"),
        ("im Jahr 2021", "2021-01-01", "2022-01-01"),
        ("letztes Wochenende", "2023-05-06", "2023-05-08"),
        ("am Wochenende", "2023-05-06", "2023-05-08"),
        ("gestern Morgen", "2023-05-09", "2023-05-10"),
        ("Kommt er morgen?", "2023-05-11", "2023-05-12"),
        ("vor ein paar Tagen", "2023-05-07", "2023-05-08"),
        ("in den letzten drei Tagen", "2023-05-07", "2023-05-11"),
        ("vergangene Woche", "2023-05-01", "2023-05-08"),
        ("at the weekend", "2023-05-06", "2023-05-08"),
        ("this weekend", "2023-05-13", "2023-05-15"),
        ("in summer", "2022-06-01", "2022-09-01"),
        ("from November to February 2022", "2021-11-01", "2022-03-01"),
        ("Friday last week", "2023-05-05", "2023-05-06"),
        ("last week on Friday", "2023-05-05", "2023-05-06"),
        ("am Freitag letzter Woche", "2023-05-05", "2023-05-06"),
        ("в пятницу на прошлой неделе", "2023-05-05", "2023-05-06"),
        ("in June last year", "2022-06-01", "2022-07-01"),
        ("im April letzten Jahres", "2022-04-01", "2022-05-01"),
        ("в апреле прошлого года", "2022-04-01", "2022-05-01"),
        ("What were we up to last week?", "2023-05-01", "2023-05-08"),
        ("everything up to last week", "open", "2023-05-01"),
        ("the week before last", "2023-04-24", "2023-05-01"),
        ("vorletzte Woche", "2023-04-24", "2023-05-01"),
        ("в позапрошлом году", "2021-01-01", "2022-01-01"),
        ("in the week before 16 March 2022", "2022-03-09", "2022-03-16"),
        ("on the Monday before July 24, 2022", "2022-07-18", "2022-07-19"),
        ("on the Monday after July 24, 2022", "2022-07-25", "2022-07-26"),
        ("over the weekend before 4th October 2022", "2022-10-01", "2022-10-03"),
        ("two days after 3 May", "2023-05-05", "2023-05-06"),
        ("in der Woche vor dem 3. Mai", "2023-04-26", "2023-05-03"),
        ("am Tag nach dem 3. Mai 2022", "2022-05-04", "2022-05-05"),
        ("за неделю до 3 июня 2022", "2022-05-27", "2022-06-03"),
        ("в понедельник перед 24 июля 2022", "2022-07-18", "2022-07-19"),
        ("вчера", "2023-05-09", "2023-05-10"),
        ("позавчера", "2023-05-08", "2023-05-09"),
        ("две недели назад", "2023-04-23", "2023-04-30"),
        ("неделю назад", "2023-04-30", "2023-05-07"),
        ("5 дней назад", "2023-05-05", "2023-05-06"),
        ("в прошлый вторник", "2023-05-09", "2023-05-10"),
        ("на прошлой неделе", "2023-05-01", "2023-05-08"),
        ("в прошлом году", "2022-01-01", "2023-01-01"),
        ("7 мая 2023 года", "2023-05-07", "2023-05-08"),
        ("в мае", "2023-05-01", "2023-06-01"),
        ("прошлым летом", "2022-06-01", "2022-09-01"),
        ("до 3 июня 2022", "open", "2022-06-03"),
        ("после мая", "2023-06-01", "open"),
        ("между мартом и маем", "2023-03-01", "2023-06-01"),
        ("за последние 3 дня", "2023-05-07", "2023-05-11"),
    ],
)
def test_an_expression_is_resolved(text, start, end):
    assert [shown(span) for span in spans(text, NOW)] == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "what may I do",
        "march on",
        "the sun is out and I sat down",
        "mark the second half",
        "version 3.2 of the parser",
        "маяк у моря",
        "ein Termin mit Herrn Mai",
        "an jedem Morgen, am Morgen",
        "Sie hat 2000 Euro bezahlt",
        "how do we configure beans in Spring?",
        "она сидит рядом",
        "",
    ],
)
def test_what_is_no_time_is_left_alone(text):
    assert spans(text, NOW) == []


def test_an_impossible_date_does_not_raise():
    assert spans("on 2023-02-31", NOW) == []


@given(st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)), st.sampled_from(["a", "я"]))  # noqa: DTZ001
def test_a_date_in_words_is_read_back(moment, like):
    when = moment.replace(tzinfo=UTC).timestamp()
    words = date_in_words(when, like=like).partition(" ")[2]
    (span,) = spans(words, NOW)
    assert span.start <= when < span.end
    assert span.end - span.start == DAY


@given(st.integers(1, 300), st.floats(0, 4e9))
def test_days_ago_are_counted_back(days, now):
    (span,) = spans(f"what happened {days} days ago", now)
    midnight = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    assert span.start == (midnight - timedelta(days=days)).timestamp()


def test_a_day_without_its_year_may_lie_ahead():
    def read(text, ahead):
        (span,) = spans(text, NOW, ahead=ahead * DAY)
        return shown(span)[0]

    assert read("on 7 June", 0) == "2022-06-07"
    assert read("on 7 June", 150) == "2023-06-07"
    assert read("on 7 June 2021", 150) == "2021-06-07"
    assert read("in April", 150) == "2023-04-01"
    assert read("yesterday", 150) == "2023-05-09"


MONTHS = (
    ("January", "январе", "Januar"),
    ("February", "феврале", "Februar"),
    ("March", "марте", "März"),
    ("April", "апреле", "April"),
    ("May", "мае", "Mai"),
    ("June", "июне", "Juni"),
    ("July", "июле", "Juli"),
    ("August", "августе", "August"),
    ("September", "сентябре", "September"),
    ("October", "октябре", "Oktober"),
    ("November", "ноябре", "November"),
    ("December", "декабре", "Dezember"),
)
SEASONS = (
    ("last winter", "прошлой зимой", "letzten Winter"),
    ("last spring", "прошлой весной", "letzten Frühling"),
    ("last summer", "прошлым летом", "letzten Sommer"),
    ("last autumn", "прошлой осенью", "letzten Herbst"),
)


@given(st.sampled_from(MONTHS), st.none() | st.integers(1950, 2050), st.floats(86_400.0 * 365, 4e9))
def test_a_month_is_the_same_in_every_language(month, year, now):
    told = zip(("in", "в", "im"), month, strict=True)
    found = [spans(f"{lead} {name} {year or ''}".rstrip(), now) for lead, name in told]
    assert found[0] == found[1] == found[2]
    ((begin, end),) = found[0]
    assert 28 * DAY <= end - begin <= 31 * DAY


@given(st.sampled_from(SEASONS), st.floats(86_400.0 * 730, 4e9))
def test_a_season_is_the_same_in_every_language(season, now):
    first, *others = [spans(name, now) for name in season]
    assert all(found == first for found in others)
    ((begin, end),) = first
    assert 90 * DAY <= end - begin <= 92 * DAY
    assert end <= now + DAY


JOINING = """
on at in of up to from between before after since last next this the vor nach bis zum am im letzte
letzten der dem seit heute morgen gestern Abend с до по в на прошлой прошлого неделе года Friday
Freitag пятницу week Woche year Jahr weekend Wochenende 3 31. 2021 - summer Sommer летом ago назад
days Tagen two
"""
FRAGMENTS = [*(part for month in MONTHS for part in month), *JOINING.split()]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12), st.floats(-1e11, 1e11))
def test_times_in_any_order_are_read_as_times(parts, now):
    text = " ".join(parts)
    for begin, end in spans(text, now):
        assert begin < end
    assert len(without_times(text, now)) <= len(text) + len(parts)


@given(st.text(max_size=200), st.floats(-1e15, 1e15))
def test_any_text_at_any_time_is_read_without_an_error(text, now):
    for span in spans(text, now):
        assert span.start < span.end


def test_closeness_falls_with_the_distance():
    day = Span(0.0, DAY)
    values = [closeness([day], [at * DAY]) for at in (0.5, 2, 4, 30)]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    assert values[3] < 0.001
