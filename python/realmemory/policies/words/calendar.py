"""Months and days of the week in English, German and Russian."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MONTHS = {
    "en": (
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ),
    "ru": (
        "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября",
        "октября", "ноября", "декабря",
    ),
    "de": (
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
        "Oktober", "November", "Dezember",
    ),
}  # fmt: skip
"""As they stand in a date."""
WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "ru": ("понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
}
RUSSIAN_BEGINNINGS = (
    "январ", "феврал", "март", "апрел", "июн", "июл", "август", "сентябр", "октябр", "ноябр",
    "декабр", "понедельник", "вторник", "четверг", "пятниц", "суббот", "воскресен",
)  # fmt: skip
"""Of all of them but May and Wednesday, which begin like other words."""
_RUSSIAN_DAYS = (
    "среду", "пятницу", "субботу", "понедельникам", "вторникам", "средам", "четвергам",
    "пятницам", "субботам", "воскресеньям",
)  # fmt: skip


def _lower(names: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {name.lower() for those in names.values() for name in those}


NAMES = frozenset(
    {
        *_lower(MONTHS),
        *_lower(WEEKDAYS),
        *(f"{name.lower()}s" for language in ("en", "de") for name in WEEKDAYS[language]),
        *(f"{name[:-1]}е" for name in MONTHS["ru"]),
        *_RUSSIAN_DAYS,
    }
)
"""All of them in small letters, "on Mondays" and the cases behind prepositions included."""
