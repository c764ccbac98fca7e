"""Personal data in texts, by shape and, where the number has one, by its checksum."""

from __future__ import annotations

import re
from collections.abc import Callable

from realmemory.safety.findings import Family, Finding

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w@-])"
)
_PHONE = re.compile(
    r"(?<![\w.+-])(?<!\d )(?:\+|00)[1-9]\d{0,3}[ .-]?(?:\(\d{1,5}\)[ .-]?)?\d{1,5}(?:[ .-]?\d{1,5}){1,6}(?![\w.-]\d|\w)"
    r"|(?<![\w.-])\(\d{3}\) ?\d{3}-\d{4}(?!\w)|(?<![\w.-])\d{3}-\d{3}-\d{4}(?![\w-])"
    r"|(?<![\w.-])8[ -]?\(?\d{3}\)?[ -]\d{3}[ -]?\d{2}[ -]?\d{2}(?![\w-])"
)
_CARD = re.compile(
    r"(?<![\w.-])(?:\d{4}(?P<gap>[ -]?)\d{4}(?P=gap)\d{4}(?P=gap)\d{1,7}|\d{4}[ -]?\d{6}[ -]?\d{5})"
    r"(?![\w-]| \d{2}(?![\d/]))"
)
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_SNILS = re.compile(r"(?<![\w-])\d{3}-\d{3}-\d{3}[ -]\d{2}(?![\w-])")
_INN = re.compile(r"(?i:\bинн|\binn)\D{1,4}(?P<value>\d{12}|\d{10})(?!\d)")
_DNI = re.compile(r"(?<!\w)\d{8}-?[A-HJ-NP-TV-Z](?!\w)")
_CPF = re.compile(r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])")
_NINO = re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)")
_PESEL = re.compile(r"(?i:\bpesel)\D{1,4}(?P<value>\d{11})(?!\d)")
_AADHAAR = re.compile(r"(?<![\w-])[2-9]\d{3} \d{4} \d{4}(?![\w-]| \d)")

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d[\d() .-]{5}|[A-Z]{2} ?\d{2}")
"""What every number below holds."""
_LONG_NUMBER = re.compile(r"(?<!\w)\d[\d() .-]{5}")
"""How every number below begins that stands by itself."""
_LETTERED_NUMBER = re.compile(r"(?<!\w)[A-Z]{2} ?\d{2}")
"""How every number below begins that starts with letters."""
_TEN_DIGITS = re.compile(r"\d{10}")
"""What every number below holds that is known by a word before it."""

_VERHOEFF = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_TURNS = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def find_personal(text: str) -> list[Finding]:
    """Return every piece of personal data in ``text`` that its shape and checksum confirm."""
    classes = [_EMAIL_CLASS] if "@" in text else []
    numbers = _DIGIT.search(text) and _NUMBER.search(text)
    for beginning, group in _NUMBER_CLASSES if numbers else ():
        if beginning.search(text):
            classes += group
    return [
        Finding(*_span(match), Family.PERSONAL, kind)
        for kind, pattern, confirmed in classes
        for match in pattern.finditer(text)
        if confirmed(text[slice(*_span(match))])
    ]


def luhn(digits: str) -> bool:
    """Return whether payment card digits carry a valid check digit (ISO/IEC 7812)."""
    total = 0
    for position, char in enumerate(reversed(digits)):
        value = int(char) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def mod97(account: str) -> bool:
    """Return whether an IBAN without spaces carries valid check digits (ISO 13616)."""
    turned = account[4:] + account[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span("value") if "value" in match.re.groupindex else match.span()


def _digits(value: str) -> str:
    return "".join(char for char in value if char.isdigit())


def _is_card(value: str) -> bool:
    digits = _digits(value)
    return digits[0] in "23456" and len(set(digits)) > 1 and luhn(digits)


def _is_iban(value: str) -> bool:
    account = value.replace(" ", "")
    return 15 <= len(account) <= 34 and mod97(account)


def _is_phone(value: str) -> bool:
    return 9 <= len(_digits(value)) <= 15


def _is_address(value: str) -> bool:
    parts = [int(part) for part in value.split(".")]
    return max(parts) <= 255 and not (parts[0] in {0, 127} or value == "255.255.255.255")


def _is_ssn(value: str) -> bool:
    area, group, serial = value.split("-")
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


def _is_snils(value: str) -> bool:
    digits = _digits(value)
    total = sum(int(digit) * (9 - place) for place, digit in enumerate(digits[:9]))
    return total % 101 % 100 == int(digits[9:])


def _is_inn(value: str) -> bool:
    weights = (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)

    def check(length: int) -> bool:
        used = weights[-length:]
        total = sum(weight * int(digit) for weight, digit in zip(used, value, strict=False))
        return total % 11 % 10 == int(value[length])

    return check(9) if len(value) == 10 else check(10) and check(11)


def _is_dni(value: str) -> bool:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(value[:8]) % 23] == value[-1]


def _is_cpf(value: str) -> bool:
    digits = [int(char) for char in _digits(value)]
    if len(set(digits)) == 1:
        return False
    for length in (9, 10):
        total = sum(digit * (length + 1 - place) for place, digit in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != digits[length]:
            return False
    return True


def _is_pesel(value: str) -> bool:
    total = sum(
        int(digit) * weight
        for digit, weight in zip(value, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), strict=True)
    )
    return total % 10 == 0


def _is_aadhaar(value: str) -> bool:
    check = 0
    for place, char in enumerate(reversed(_digits(value))):
        check = int(_VERHOEFF[check][int(_VERHOEFF_TURNS[place % 8][int(char)])])
    return check == 0


def _always(value: str) -> bool:
    return bool(value)


_Class = tuple[str, re.Pattern[str], Callable[[str], bool]]

_EMAIL_CLASS: _Class = ("email", _EMAIL, _always)
_NUMBER_CLASSES: tuple[tuple[re.Pattern[str], tuple[_Class, ...]], ...] = (
    (
        _LONG_NUMBER,
        (
            ("card", _CARD, _is_card),
            ("phone", _PHONE, _is_phone),
            ("ip_address", _IPV4, _is_address),
            ("us_ssn", _SSN, _is_ssn),
            ("ru_snils", _SNILS, _is_snils),
            ("es_dni", _DNI, _is_dni),
            ("br_cpf", _CPF, _is_cpf),
            ("in_aadhaar", _AADHAAR, _is_aadhaar),
        ),
    ),
    (_LETTERED_NUMBER, (("iban", _IBAN, _is_iban), ("uk_nino", _NINO, _always))),
    (_TEN_DIGITS, (("ru_inn", _INN, _is_inn), ("pl_pesel", _PESEL, _is_pesel))),
)
"""Classes of numbers, each group behind what all of it begin with or hold."""
