"""Moments as people say them, English, Russian and some German, resolved by rule against a given ``now``.

``spans`` turns "yesterday", "last Tuesday", "two weeks ago", "in May 2023", "прошлым летом",
"before 3 June" or "between March and May" into intervals of time. Everything is UTC and pure: the
caller says when it is. What it does not know it leaves alone.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from realmemory.late import late_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DAY = 86_400.0
_NEAR = 3 * DAY
"""A memory this far from a short span still counts for something."""


class Span(NamedTuple):
    """An interval of time, epoch seconds: ``start`` inclusive, ``end`` exclusive; may be open."""

    start: float
    end: float

    @property
    def bounded(self) -> bool:
        """Whether both ends are known."""
        return math.isfinite(self.start) and math.isfinite(self.end)

    def closeness(self, moment: float) -> float:
        """Return 1 for a moment inside, falling towards 0 with the distance.

        The wider the span, the vaguer its borders.
        """
        gap = max(self.start - moment, moment - self.end, 0.0)
        width = self.end - self.start
        scale = max(_NEAR, width / 2.0) if math.isfinite(width) else _NEAR
        return math.exp(-gap / scale)


_WEEKDAYS = (
    r"mon(?:day)?|понедельник\w*|montag",
    r"tue(?:s(?:day)?)?|вторник\w*|dienstag",
    r"wed(?:nesday)?|сред[аеуы]|mittwoch",
    r"thu(?:rs(?:day)?)?|четверг\w*|donnerstag",
    r"fri(?:day)?|пятниц\w*|freitag",
    r"sat(?:urday)?|суббот\w*|samstag",
    r"sun(?:day)?|воскресень\w*|sonntag",
)
_MONTHS = (
    r"jan(?:uary)?|январ[ьяею]\w*",
    r"feb(?:ruary)?|феврал[ьяею]\w*",
    r"mar(?:ch)?|март(?:а|е|у|ом)?",
    r"apr(?:il)?|апрел[ьяею]\w*",
    r"may|ма(?:й|я|е|ю|ем)",
    r"june?|июн[ьяею]\w*",
    r"july?|июл[ьяею]\w*",
    r"aug(?:ust)?|август(?:а|е|у|ом)?",
    r"sept?(?:ember)?|сентябр[ьяею]\w*",
    r"oct(?:ober)?|октябр[ьяею]\w*",
    r"nov(?:ember)?|ноябр[ьяею]\w*",
    r"dec(?:ember)?|декабр[ьяею]\w*",
)
_SEASONS = (
    r"winter|зим\w{1,3}",
    r"spring|весн\w{1,3}",
    r"summer|лет(?:о|ом|а|у|е)",
    r"autumn|fall|осен\w{1,3}",
)
_UNITS = (
    ("day", r"days?|день|дня|дней|tage[ns]?"),
    ("week", r"weeks?|недел\w{1,2}|wochen?"),
    ("month", r"months?|месяц\w{0,3}|monat(?:e[ns]?|s)?"),
    ("year", r"years?|год|года|году|лет|jahr(?:e[ns]?|s)?"),
)
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "один", "одну", "одна", "einem", "einer"), 1),
    **dict.fromkeys(("two", "couple", "couple of", "два", "две", "пару", "zwei"), 2),
    **dict.fromkeys(("three", "few", "three or so", "три", "drei"), 3),
    **dict.fromkeys(("four", "четыре"), 4),
    **dict.fromkeys(("five", "пять"), 5),
    **dict.fromkeys(("six", "шесть"), 6),
    **dict.fromkeys(("seven", "семь"), 7),
    **dict.fromkeys(("eight", "восемь"), 8),
    **dict.fromkeys(("nine", "девять"), 9),
    **dict.fromkeys(("ten", "десять"), 10),
}
_DAYS_OF = {"day": 1, "week": 7}


def _choice(forms: Sequence[str], name: str) -> str:
    return f"(?P<{name}>{'|'.join(forms)})"


_MONTH = _choice(_MONTHS, "month")
_SEASON = _choice(_SEASONS, "season")
_LEADS = (
    "(?:in|since|during|of|by|until|before|after|between|and|from|to|между|с|до|по|после|в|и|за)"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)(?:\s*(?:году|года|год|г\.))?"
_DAY_NUMBER = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|-?(?:го|е|ого))?"
_COUNT = rf"(?:(?P<number>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\s+)"
_UNIT = "(?:" + "|".join(f"(?P<{name}>{forms})" for name, forms in _UNITS) + ")"
_THE = r"(?:(?:the|a)\s+)?"
_PAST = r"(?:last|past|previous|прошл\w{2,3}|letzte[mnrs]?|vorige[mnrs]?)"
_THIS = r"(?:this|current|эт\w{1,2}|текущ\w{2,3}|diese[mnrs]?)"
_NEXT = r"(?:next|coming|следующ\w{2,3}|nächste[mnrs]?)"
_WHICH = rf"(?:(?P<past>{_PAST})|(?P<this>{_THIS})|(?P<next>{_NEXT}))"


def _midnight(moment: float) -> datetime:
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def _epoch(moment: datetime) -> float:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def _days(start: datetime, count: int = 1) -> Span:
    return Span(_epoch(start), _epoch(start + timedelta(days=count)))


def _first_of(year: int, month: int) -> datetime:
    """Return the first of a month; months beyond the year's count on."""
    years, rest = divmod(month - 1, 12)
    return datetime(year + years, rest + 1, 1, tzinfo=UTC)


def _months(year: int, month: int, count: int = 1) -> Span:
    return Span(_epoch(_first_of(year, month)), _epoch(_first_of(year, month + count)))


def _which(match: re.Match[str]) -> int:
    return -1 if match["past"] else 1 if match["next"] else 0


def _index(forms: Sequence[str], text: str) -> int:
    return next(at for at, form in enumerate(forms) if re.fullmatch(form, text))


def _past_year(month: int, today: datetime) -> int:
    """Return the year of the last month of that number that has begun."""
    return today.year if month <= today.month else today.year - 1


def _numeric(match: re.Match[str], today: datetime) -> Span:  # noqa: ARG001 - as the other rules
    return _days(datetime(int(match["y"]), int(match["m"]), int(match["d"]), tzinfo=UTC))


def _date(match: re.Match[str], today: datetime) -> Span:
    month = _index(_MONTHS, match["month"]) + 1
    year = int(match["year"]) if match["year"] else _past_year(month, today)
    return _days(datetime(year, month, int(match["day"]), tzinfo=UTC))


def _month(match: re.Match[str], today: datetime) -> Span:
    month = _index(_MONTHS, match["month"]) + 1
    year = int(match["year"]) if match["year"] else _past_year(month, today)
    return _months(year, month)


def _season(match: re.Match[str], today: datetime) -> Span:
    season = _index(_SEASONS, match["season"])
    begin = (12, 3, 6, 9)[season]
    if match["year"]:
        # A winter belongs to the year that it ends in.
        return _months(int(match["year"]) - (season == 0), begin, 3)
    year = _past_year(begin, today)
    running = _months(year, begin, 3)
    if match["past"] and running.end > _epoch(today):
        return _months(year - 1, begin, 3)
    return _months(year + 1, begin, 3) if match["next"] else running


def _year(match: re.Match[str], today: datetime) -> Span:  # noqa: ARG001 - as the other rules
    return _months(int(match["year"]), 1, 12)


def _ago(match: re.Match[str], today: datetime) -> Span:
    unit = _unit(match)
    count = _count(match["number"])
    if unit in _DAYS_OF:
        middle = today - timedelta(days=count * _DAYS_OF[unit])
        vague = 0 if unit == "day" else 3
        return _days(middle - timedelta(days=vague), 2 * vague + 1)
    back = count * (12 if unit == "year" else 1)
    span = _months(today.year, today.month - back)
    return span if unit == "month" else Span(span.start - 120 * DAY, span.end + 120 * DAY)


def _within(match: re.Match[str], today: datetime) -> Span:
    unit, count = _unit(match), _count(match["number"])
    if unit in _DAYS_OF:
        start = today - timedelta(days=count * _DAYS_OF[unit])
    else:
        start = _first_of(today.year, today.month - count * (12 if unit == "year" else 1))
        start += timedelta(days=min(today.day, 28) - 1)
    return Span(_epoch(start), _epoch(today + timedelta(days=1)))


def _relative_unit(match: re.Match[str], today: datetime) -> Span:
    unit, step = _unit(match), _which(match)
    if unit == "week":
        monday = today - timedelta(days=today.weekday())
        return _days(monday + timedelta(weeks=step), 7)
    if unit == "month":
        return _months(today.year, today.month + step)
    if unit == "year":
        return _months(today.year + step, 1, 12)
    return _days(today + timedelta(days=step))


def _weekend(match: re.Match[str], today: datetime) -> Span:
    saturday = today - timedelta(days=today.weekday() - 5)
    return _days(saturday + timedelta(weeks=_which(match)), 2)


def _weekday(match: re.Match[str], today: datetime) -> Span:
    wanted = _index(_WEEKDAYS, match["weekday"])
    back = (today.weekday() - wanted) % 7
    if match["next"]:
        return _days(today + timedelta(days=7 - back))
    if match["past"] and back == 0:
        back = 7
    return _days(today - timedelta(days=back))


def _shifted(days: int) -> Callable[[re.Match[str], datetime], Span]:
    return lambda match, today: _days(today + timedelta(days=days))  # noqa: ARG005 - as the rules


def _unit(match: re.Match[str]) -> str:
    return next(name for name, _ in _UNITS if match[name])


def _count(text: str | None) -> int:
    if not text:
        return 1
    return int(text) if text.isdigit() else _NUMBERS[text]


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Span]], ...] = tuple(
    (late_pattern(rf"(?<![\w-]){pattern}(?![\w-])"), rule)
    for pattern, rule in (
        (r"(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])", _numeric),
        (r"(?P<d>0?[1-9]|[12]\d|3[01])\.(?P<m>0?[1-9]|1[0-2])\.(?P<y>(?:19|20)\d\d)", _numeric),
        (rf"{_DAY_NUMBER}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _date),
        (rf"{_MONTH}\s+{_DAY_NUMBER}(?:,?\s+{_YEAR})?", _date),
        (rf"{_MONTH},?\s+(?:of\s+|in\s+)?{_YEAR}", _month),
        (
            rf"(?:{_WHICH}\s+)?{_SEASON}(?:,?\s+(?:of\s+)?{_YEAR})",
            _season,
        ),
        (
            rf"(?:(?:in|during|over)\s+the\s+|{_WHICH}\s+){_SEASON}(?P<year>)",
            _season,
        ),
        (r"(?P<season>зимой|весной|летом|осенью)(?P<year>)(?P<past>)(?P<next>)", _season),
        (r"(?:the\s+)?day before yesterday|позавчера|vorgestern", _shifted(-2)),
        (r"(?:yesterday|last night|вчера(?:шн\w{2,3})?|gestern)", _shifted(-1)),
        (r"(?:today|tonight|this morning|сегодня|heute)", _shifted(0)),
        (r"(?:tomorrow|завтра)", _shifted(1)),
        (rf"(?:about\s+|around\s+)?(?:a\s+)?{_COUNT}{_UNIT}\s+(?:ago|earlier|назад)", _ago),
        (rf"(?P<number>){_UNIT}\s+назад", _ago),
        (rf"vor\s+{_COUNT}{_UNIT}", _ago),
        (rf"(?:in|over|during|within|for)?\s*(?:the\s+)?{_PAST}\s+{_COUNT}{_UNIT}", _within),
        (rf"за\s+последни\w\s+{_COUNT}?{_UNIT}", _within),
        (rf"{_THE}{_WHICH}\s+(?:weekend|выходны\w)", _weekend),
        (r"(?:at|on|over)\s+the\s+weekend(?P<past>)(?P<next>)", _weekend),
        (r"на\s+выходных(?P<past>)(?P<next>)", _weekend),
        (rf"{_THE}{_WHICH}\s+{_UNIT}", _relative_unit),
        (rf"{_WHICH}\s+{_choice(_WEEKDAYS, 'weekday')}", _weekday),
        (
            rf"(?:on|am|в|во)\s+{_choice(_WEEKDAYS, 'weekday')}(?P<past>)(?P<next>)",
            _weekday,
        ),
        (rf"{_LEADS}\s+{_MONTH}(?P<year>)", _month),
        (rf"{_LEADS}\s+(?:the year\s+)?{_YEAR}", _year),
    )
)
_BEFORE = late_pattern(r"(?:before|until|till|prior to|up to|до|раньше)\s+(?:the\s+)?$")
_AFTER = late_pattern(r"(?:after|following|later than|после|позже)\s+(?:the\s+)?$")
_SINCE = late_pattern(r"(?:since|starting|начиная с|\bс)\s+(?:the\s+)?$")
_BETWEEN = late_pattern(r"(?:between|from|между|с|от)\s+(?:the\s+)?$")
_LINK = late_pattern(r"\s*(?:and|to|until|till|и|по|до)\s+(?:the\s+)?$|\s*[-–—]\s*$")
_OWN_WORD = late_pattern(
    r"^(?:before|until|by|after|since|between|from|to|and|между|до|после|по|с|и)\s+"
)


# fmt: off
_HINTS = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "day",
    "night", "week", "month", "year", "ago", "winter", "spring", "summer", "autumn", "fall",
    "tomorrow", "morning", "янв", "фев", "март", "апр", "май", "мая", "мае", "маю", "июн", "июл",
    "авг", "сент", "окт", "ноя", "дек", "вчера", "сегодня", "завтра", "недел", "месяц", "год",
    "лет", "назад", "зим", "весн", "осен", "понед", "вторн", "сред", "четв", "пятн", "суббот",
    "воскр", "выходн", "день", "дня", "gestern", "heute", "woch", "monat", "jahr", "tag",
)
# fmt: on
"""Where neither these nor a digit is found no rule can match; looking is much cheaper."""


_HAPPENED = late_pattern(
    r"\b(?:happen(?:s|ed|ing)?|going on|went on|take place|took place|"
    r"произо\w+|происход\w+|случ(?:илось|ается|алось))\b"
)


class _Found(NamedTuple):
    begin: int
    end: int
    span: Span


def spans(text: str, now: float) -> list[Span]:
    """Return the times that a text speaks of, in reading order.

    Args:
        text: English or Russian; of German what is relative ("letzte Woche", "vor drei Tagen").
        now: What relative expressions refer to, epoch seconds.
    """
    lowered = text.casefold()
    if not (any(map(str.isdecimal, lowered)) or any(hint in lowered for hint in _HINTS)):
        return []
    found = sorted(_found(lowered, now))
    result: list[Span] = []
    skip = False
    for at, item in enumerate(found):
        if skip:
            skip = False
            continue
        lead = lowered[: item.begin]
        follower = found[at + 1] if at + 1 < len(found) else None
        if (
            follower is not None
            and _BETWEEN.search(lead)
            and _LINK.fullmatch(lowered[item.end : follower.begin])
            and item.span.start <= follower.span.start
        ):
            result.append(Span(item.span.start, follower.span.end))
            skip = True
        elif _BEFORE.search(lead):
            result.append(Span(-math.inf, item.span.start))
        elif _SINCE.search(lead):
            result.append(Span(item.span.start, math.inf))
        elif _AFTER.search(lead):
            result.append(Span(item.span.end, math.inf))
        else:
            result.append(item.span)
    return result


def without_times(text: str, now: float) -> str:
    """Return a text without the times that it names and words like "happened", casefolded."""
    rest = lowered = text.casefold()
    for item in sorted(_found(lowered, now), reverse=True):
        rest = f"{rest[: item.begin]} {rest[item.end :]}"
    return _HAPPENED.sub(" ", rest)


def closeness(wanted: Sequence[Span], moments: Sequence[float]) -> float:
    """Return how near any of some moments comes to any of the spans: 0 to 1."""
    return max((span.closeness(at) for span in wanted for at in moments), default=0.0)


def _found(lowered: str, now: float) -> Iterator[_Found]:
    """Yield what the rules read, the earlier rule first where two overlap."""
    try:
        today = _midnight(now)
    except OverflowError:
        return
    taken: list[tuple[int, int]] = []
    for pattern, rule in _RULES:
        for match in pattern.finditer(lowered):
            begin, end = match.span()
            # The word in front of a bare month or year is read again as "before", "after" or so.
            own = _OWN_WORD.match(match[0])
            begin += own.end() if own else 0
            if any(begin < other_end and other < end for other, other_end in taken):
                continue
            try:
                span = rule(match, today)
            except (ValueError, OverflowError):  # the 31st of April, the year 0
                continue
            taken.append((begin, end))
            yield _Found(begin, end, span)
