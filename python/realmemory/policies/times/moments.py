"""Moments as people say them, English, Russian and German, resolved by rule against a given ``now``.

``spans`` turns "yesterday", "last Tuesday", "two weeks ago", "in May 2023", "прошлым летом",
"before 3 June" or "between March and May" into intervals of time. Everything is UTC and pure: the
caller says when it is. What it does not know it leaves alone.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from realmemory.clock import DAY
from realmemory.core.literals import Literals
from realmemory.late import late_pattern
from realmemory.policies.times import time_words as words
from realmemory.policies.times.days import Span, days_from, epoch, first_of, midnight, months_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    _Rule = Callable[[re.Match[str], datetime], "Span"]

_DIGIT = re.compile(r"\d")
_HINTS = Literals(words.HINTS)
_DAYS_OF = {"day": 1, "week": 7}


def _choice(forms: Sequence[str], name: str) -> str:
    return f"(?P<{name}>{'|'.join(forms)})"


_MONTH = _choice(words.MONTHS, "month")
_SEASON = _choice(words.SEASONS, "season")
_WEEKDAY = _choice(words.WEEKDAYS, "weekday")
_LEADS = rf"(?:(?P<lead>(?:{'|'.join(words.RELATING)})\s+)|(?:{'|'.join(words.LEADS)})\s+)"
_ON = r"(?:(?:am|zum)\s+|(?P<lead>(?:bis|seit|vom|vor dem|nach dem|ab dem)\s+))"
_FROM_DAY = rf"(?P<lead>(?:{'|'.join((*words.BEFORE, *words.AFTER, *words.SINCE))})\s+)"
_IN_GERMAN = rf"(?P<lead>(?:{'|'.join(words.GERMAN_VERBS)})\s+(?:[^\W\d]\w*\s+){{0,3}})"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?:\s*(?:году|года|год|г\.))?"
_DAY_NUMBER = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.|-?(?:го|е|ого))?"
_FIRST_DAY = (
    r"(?:(?:from|between|vom|von|zwischen|с|между)\s+)?(?P<first>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.|-?(?:го|е|ого))?"
    r"(?:\s*[-–—]\s*|\s+(?:to|until|and|bis|und|по|и|до)\s+)"
)
_COUNT = rf"(?:(?P<number>\d{{1,3}}|{'|'.join(sorted(words.NUMBERS, key=len, reverse=True))})\s+)"
_UNIT = "(?:" + "|".join(f"(?P<{name}>{forms})" for name, forms in words.UNITS) + ")"
_THE = r"(?:(?:the|a)\s+)?"
_WHICH = rf"(?:(?P<past>{words.PAST})|(?P<this>{words.THIS})|(?P<next>{words.NEXT}))"
_WHICHES = ("past", "this", "next")
_ANY = rf"(?:{words.PAST}|{words.THIS}|{words.NEXT})"
_NO_WHICH = "(?P<past>)(?P<next>)"
_ARTICLE = r"(?:(?:the|dem|der|die|das|zum|zur)\s+)?"
_OF = rf",?\s+(?:(?:of|in|on|at|im|am|в|на)\s+)?{_ARTICLE}"
"""What ties a day to its week, a month to its year."""
_NOT_MORNING = "".join(
    rf"(?<!\b{word}\s)"
    for word in (
        "am",
        "im",
        "der",
        "den",
        "des",
        "ein",
        "jeden",
        "jedem",
        "guten",
        "diesen",
    )
)


def _lead(*forms: str) -> re.Pattern[str]:
    return late_pattern(rf"\b(?:{'|'.join(forms)})\s+{_ARTICLE}$")


def _which(match: re.Match[str]) -> int:
    return -1 if match["past"] else 1 if match["next"] else 0


def _index(forms: Sequence[str], text: str) -> int:
    return next(at for at, form in enumerate(forms) if re.fullmatch(form, text))


def _past_year(month: int, today: datetime) -> int:
    """Return the year of the last month of that number that has begun."""
    return today.year if month <= today.month else today.year - 1


def _numeric(match: re.Match[str], today: datetime) -> Span:  # noqa: ARG001 - as the other rules
    return days_from(datetime(int(match["y"]), int(match["m"]), int(match["d"]), tzinfo=UTC))


def _short_date(match: re.Match[str], today: datetime) -> Span:
    month = int(match["m"])
    return days_from(datetime(_past_year(month, today), month, int(match["d"]), tzinfo=UTC))


def _date(match: re.Match[str], today: datetime) -> Span:
    month = _index(words.MONTHS, match["month"]) + 1
    year = int(match["year"]) if match["year"] else _past_year(month, today)
    return days_from(datetime(year, month, int(match["day"]), tzinfo=UTC))


def _days_of_month(match: re.Match[str], today: datetime) -> Span:
    last = _date(match, today)
    length = int(match["day"]) - int(match["first"])
    if length <= 0:
        raise ValueError("days that are counted backwards are no time")
    return Span(last.start - length * DAY, last.end)


def _month(match: re.Match[str], today: datetime) -> Span:
    month = _index(words.MONTHS, match["month"]) + 1
    year = int(match["year"]) if match["year"] else _past_year(month, today)
    return months_from(year, month)


def _season(match: re.Match[str], today: datetime) -> Span:
    season = _index(words.SEASONS, match["season"])
    begin = (12, 3, 6, 9)[season]
    if match["year"]:
        # A winter belongs to the year that it ends in.
        return months_from(int(match["year"]) - (season == 0), begin, 3)
    year = _past_year(begin, today)
    running = months_from(year, begin, 3)
    if match["past"] and running.end > epoch(today):
        return months_from(year - 1, begin, 3)
    return months_from(year + 1, begin, 3) if match["next"] else running


def _year(match: re.Match[str], today: datetime) -> Span:  # noqa: ARG001 - as the other rules
    return months_from(int(match["year"]), 1, 12)


def _ago(match: re.Match[str], today: datetime) -> Span:
    unit = _unit(match)
    count = _count(match["number"])
    if unit in _DAYS_OF:
        middle = today - timedelta(days=count * _DAYS_OF[unit])
        vague = 0 if unit == "day" else 3
        return days_from(middle - timedelta(days=vague), 2 * vague + 1)
    back = count * (12 if unit == "year" else 1)
    span = months_from(today.year, today.month - back)
    return span if unit == "month" else Span(span.start - 120 * DAY, span.end + 120 * DAY)


def _within(match: re.Match[str], today: datetime) -> Span:
    unit, count = _unit(match), _count(match["number"])
    if unit in _DAYS_OF:
        start = today - timedelta(days=count * _DAYS_OF[unit])
    else:
        start = first_of(today.year, today.month - count * (12 if unit == "year" else 1))
        start += timedelta(days=min(today.day, 28) - 1)
    return Span(epoch(start), epoch(today + timedelta(days=1)))


def _relative_unit(match: re.Match[str], today: datetime) -> Span:
    return _stepped(_unit(match), _which(match), today)


def _last_but_one(match: re.Match[str], today: datetime) -> Span:
    return _stepped(_unit(match), -2, today)


def _stepped(unit: str, step: int, today: datetime) -> Span:
    """Return the unit so many steps from that of today."""
    if unit == "week":
        monday = today - timedelta(days=today.weekday())
        return days_from(monday + timedelta(weeks=step), 7)
    if unit == "month":
        return months_from(today.year, today.month + step)
    if unit == "year":
        return months_from(today.year + step, 1, 12)
    return days_from(today + timedelta(days=step))


def _weekend(match: re.Match[str], today: datetime) -> Span:
    saturday = today - timedelta(days=today.weekday() - 5)
    if saturday > today and not any(match.groupdict().get(which) for which in _WHICHES):
        saturday -= timedelta(weeks=1)
    return days_from(saturday + timedelta(weeks=_which(match)), 2)


def _weekday(match: re.Match[str], today: datetime) -> Span:
    wanted = _index(words.WEEKDAYS, match["weekday"])
    back = (today.weekday() - wanted) % 7
    if match["next"]:
        return days_from(today + timedelta(days=7 - back))
    if match["past"] and back == 0:
        back = 7
    return days_from(today - timedelta(days=back))


def _shifted(days: int) -> Callable[[re.Match[str], datetime], Span]:
    return lambda match, today: days_from(today + timedelta(days=days))  # noqa: ARG005 - as the rules


def _unit(match: re.Match[str]) -> str:
    return next((name for name, _ in words.UNITS if match[name]), "day")


def _count(text: str | None) -> int:
    if not text:
        return 1
    return int(text) if text.isdigit() else words.NUMBERS[text]


_RULES: tuple[tuple[re.Pattern[str], _Rule], ...] = tuple(
    (late_pattern(rf"(?<![\w-]){pattern}(?![\w-])"), rule)
    for pattern, rule in (
        (
            r"(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])",
            _numeric,
        ),
        (
            r"(?P<d>0?[1-9]|[12]\d|3[01])\.(?P<m>0?[1-9]|1[0-2])\.(?P<y>(?:19|20)\d\d)",
            _numeric,
        ),
        (
            rf"{_ON}(?P<d>0?[1-9]|[12]\d|3[01])\.(?P<m>0?[1-9]|1[0-2])\.(?!\d)",
            _short_date,
        ),
        (
            rf"{_FIRST_DAY}{_DAY_NUMBER}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
            _days_of_month,
        ),
        (rf"{_MONTH}\s+{_FIRST_DAY}{_DAY_NUMBER}(?:,?\s+{_YEAR})?", _days_of_month),
        (rf"{_DAY_NUMBER}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _date),
        (rf"{_MONTH}\s+{_DAY_NUMBER}(?:,?\s+{_YEAR})?", _date),
        (rf"{_MONTH},?\s+(?:of\s+|in\s+)?{_YEAR}", _month),
        (rf"(?:{_WHICH}\s+)?{_SEASON},?\s+(?:of\s+)?{_YEAR}", _season),
        (rf"(?:(?:in|during|over)\s+the|im|{_WHICH})\s+{_SEASON}(?P<year>)", _season),
        (rf"(?:in|during)\s+(?!spring|fall){_SEASON}(?P<year>){_NO_WHICH}", _season),
        (rf"(?P<season>зимой|весной|летом|осенью)(?P<year>){_NO_WHICH}", _season),
        (r"(?:the\s+)?day before yesterday|позавчера|vorgestern", _shifted(-2)),
        (r"(?:the\s+)?day after tomorrow|послезавтра|übermorgen", _shifted(2)),
        (r"(?:yesterday|last night|вчера(?:шн\w{2,3})?|letzte nacht)", _shifted(-1)),
        (rf"gestern(?:\s+{words.PART_OF_DAY})?", _shifted(-1)),
        (rf"(?:today|tonight|сегодня|heute(?:\s+{words.PART_OF_DAY})?)", _shifted(0)),
        (r"this (?:morning|afternoon|evening)", _shifted(0)),
        (
            rf"(?:tomorrow|завтра|{_NOT_MORNING}morgen(?:\s+{words.PART_OF_DAY})?)",
            _shifted(1),
        ),
        (
            rf"(?:about\s+|around\s+)?(?:a\s+)?{_COUNT}{_UNIT}\s+(?:ago|earlier|назад)",
            _ago,
        ),
        (rf"(?P<number>){_UNIT}\s+назад", _ago),
        (rf"vor\s+{_COUNT}{_UNIT}", _ago),
        (
            rf"(?:in|over|during|within|for)?\s*(?:the\s+)?{words.PAST}\s+{_COUNT}{_UNIT}",
            _within,
        ),
        (rf"за\s+последни\w\s+{_COUNT}?{_UNIT}", _within),
        (rf"{_THE}{_WHICH}\s+{words.WEEKEND}", _weekend),
        (
            rf"(?:(?:at|on|over)\s+the|am|übers|на|в)\s+{words.WEEKEND}{_NO_WHICH}",
            _weekend,
        ),
        (rf"{_THE}{_UNIT}\s+before\s+last", _last_but_one),
        (rf"{words.LAST_BUT_ONE}\s+{_UNIT}", _last_but_one),
        (rf"{_THE}{_WHICH}\s+{_UNIT}", _relative_unit),
        (rf"{_WHICH}\s+{_WEEKDAY}", _weekday),
        (rf"(?:on|am|в|во)\s+{_WEEKDAY}{_NO_WHICH}", _weekday),
        (rf"{_FROM_DAY}(?!\w{{3}}\b){_WEEKDAY}{_NO_WHICH}", _weekday),
        (
            rf"{_WEEKDAY}{_NO_WHICH}(?={_OF}{_ANY}\s+(?:week|wochen?|недел\w)\b)",
            _weekday,
        ),
        (rf"{_LEADS}{_MONTH}(?P<year>)", _month),
        (rf"{_LEADS}(?:the year\s+|jahre?\s+)?{_YEAR}", _year),
        (
            rf"{_IN_GERMAN}{_YEAR}(?=\s*(?:[?!;]|[.,](?!\d)|{words.GERMAN_PARTICIPLE}|$))",
            _year,
        ),
    )
)
_YEARLY = frozenset([_short_date, _date, _days_of_month, _month])
"""Rules of what may be told without its year."""
_BEFORE = _lead(*words.BEFORE, "prior to", "up to", "раньше")
_AFTER = _lead(*words.AFTER, "following", "later than", "позже")
_SINCE = _lead(*words.SINCE, "starting", "начиная с")
_BETWEEN = _lead(*words.BETWEEN, "от")
_BUSY = late_pattern(
    r"(?:\b(?:am|is|are|was|were|be|been)|'s|'re)(?:\s+\w+){0,3}\s+up to\s+(?:the\s+)?$"
)
"""Asks what somebody does, where "up to" alone is a limit."""
_LINK = late_pattern(rf"\s*(?:{'|'.join(words.LINKS)})\s+{_ARTICLE}$|\s*[-–—]\s*$")
_TIE = late_pattern(_OF)
_BESIDE = late_pattern(
    rf"\b(?:{_COUNT}?{_UNIT}|tag|{_WEEKDAY}|(?P<weekend>{words.WEEKEND}))\s+"
    rf"(?:(?P<earlier>before|vor|перед|до)|after|nach|после)\s+{_ARTICLE}$"
)
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Days of a unit that lies beside a time."""


class _Found(NamedTuple):
    """A part of a text that is a time; ``again`` reads what recurs as seen from another day.

    ``period`` is how many days pass at least until it does.
    """

    begin: int
    end: int
    span: Span
    period: int = 0
    again: Callable[[datetime], Span] | None = None

    def within(self, other: _Found) -> Span | None:
        """Return that one of what recurs which lies in another time: the Friday of last week."""
        if self.again is None or not other.span.bounded or other.again is not None:
            return None
        if other.span.end - other.span.start < self.period * DAY:
            return None
        found = self.again(midnight(other.span.end - DAY))
        return found if other.span.start <= found.start < other.span.end else None

    def before(self, other: _Found) -> float:
        """Return when it begins in what lasts until another time: March in "March to May 2022"."""
        seen = self.again and other.span.bounded and self.again(midnight(other.span.end - DAY))
        return seen.start if seen else self.span.start


def spans(text: str, now: float, *, ahead: float = 0.0) -> list[Span]:
    """Return the times that a text speaks of, in reading order.

    Args:
        text: English, Russian or German.
        now: What relative expressions refer to, epoch seconds.
        ahead: Seconds after ``now`` by which a day or month without a year may lie, which otherwise is
            the last that has begun.
    """
    lowered = text.casefold()
    if not (_DIGIT.search(lowered) or _HINTS.any_in(lowered)):
        return []
    found = _tied(lowered, sorted(_found(lowered, now, ahead), key=lambda item: item.begin))
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
            and item.before(follower) <= follower.span.start
        ):
            result.append(Span(item.before(follower), follower.span.end))
            skip = True
        else:
            beside = _BESIDE.search(lead) if item.span.bounded else None
            if beside is not None and result and found[at - 1].end > beside.start():
                result.pop()
            result.append(
                _related(lead, item.span) if beside is None else _beside(beside, item.span)
            )
    return result


def _related(lead: str, span: Span) -> Span:
    """Return what a text says of a time with the words before it: until, since, after, or itself."""
    if _BEFORE.search(lead) and not _BUSY.search(lead):
        return Span(-math.inf, span.start)
    if _SINCE.search(lead):
        return Span(span.start, math.inf)
    return Span(span.end, math.inf) if _AFTER.search(lead) else span


def _beside(match: re.Match[str], span: Span) -> Span:
    """Return the day, week, month or weekday that a text says lies before or after a time."""
    earlier = match["earlier"] is not None
    if match["weekday"] or match["weekend"]:
        wanted = _index(words.WEEKDAYS, match["weekday"]) if match["weekday"] else 5
        width = 1 if match["weekday"] else 2
        day = midnight(span.start - width * DAY if earlier else span.end)
        step = -((day.weekday() - wanted) % 7) if earlier else (wanted - day.weekday()) % 7
        return days_from(day + timedelta(days=step), width)
    unit = _unit(match)
    length = _LENGTHS[unit] * DAY
    if match["number"] and unit != "day":
        # As with "two weeks ago" it is about then.
        away = _count(match["number"]) * length
        middle = span.start - away if earlier else span.end + away
        return Span(middle - length / 2, middle + length / 2)
    away = _count(match["number"]) * length
    if earlier:
        return Span(span.start - away, span.start - away + length)
    return Span(span.end + away - length, span.end + away)


def without_times(text: str, now: float) -> str:
    """Return a text without the times that it names, casefolded."""
    rest = lowered = text.casefold()
    for item in sorted(_found(lowered, now), reverse=True, key=lambda item: item.begin):
        rest = f"{rest[: item.begin]} {rest[item.end :]}"
    return rest


def _tied(lowered: str, found: list[_Found]) -> list[_Found]:
    """Make one of what recurs and the longer time that it is said to lie in."""
    result: list[_Found] = []
    for item in found:
        last = result[-1] if result else None
        if last is not None and _TIE.fullmatch(lowered, last.end, item.begin):
            span = last.within(item) or item.within(last)
            if span is not None:
                result[-1] = _Found(last.begin, item.end, span)
                continue
        result.append(item)
    return result


def _found(lowered: str, now: float, ahead: float = 0.0) -> Iterator[_Found]:
    """Yield what the rules read, the earlier rule first where two overlap."""
    try:
        today, latest = midnight(now), midnight(now + ahead)
    except OverflowError:
        return
    taken: list[tuple[int, int]] = []
    for pattern, rule in _RULES:
        for match in pattern.finditer(lowered):
            begin, end = match.span()
            # The word in front of a bare month or year is read again as "before", "after" or so.
            begin = match.end("lead") if match.groupdict().get("lead") else begin
            if any(begin < other_end and other < end for other, other_end in taken):
                continue
            try:
                span = rule(match, latest if rule in _YEARLY else today)
            except (ValueError, OverflowError):  # the 31st of April, the year 0
                continue
            taken.append((begin, end))
            period = _period(match, rule)
            again = partial(rule, match) if period else None
            yield _Found(begin, end, span, period, again)


def _period(match: re.Match[str], rule: _Rule) -> int:
    """Return the days after which what was said comes again, 0 for what does not."""
    if rule is _weekday:
        return 0 if match["past"] or match["next"] else 7
    return 365 if rule in {*_YEARLY, _season} and not match.groupdict().get("year") else 0
