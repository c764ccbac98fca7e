"""Personal data is tagged by shape and checksum, and kept."""

from __future__ import annotations

import pytest

from realmemory.safety import screen

PERSONAL = {
    "email": ("write to ann.lee+work@mail.example.org today", "ann.lee+work@mail.example.org"),
    "phone": ("call +49 30 901820 after nine", "+49 30 901820"),
    "card": ("card 4111 1111 1111 1111, exp 11/29", "4111 1111 1111 1111"),
    "iban": ("pay to DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00"),
    "ip_address": ("the box is 203.0.113.77 behind nginx", "203.0.113.77"),
    "us_ssn": ("SSN 536-90-4399 on file", "536-90-4399"),
    "ru_snils": ("СНИЛС 112-233-445 95", "112-233-445 95"),
    "ru_inn": ("ИНН 7707083893, Москва", "7707083893"),
    "es_dni": ("DNI 12345678Z", "12345678Z"),
    "br_cpf": ("CPF 529.982.247-25", "529.982.247-25"),
    "uk_nino": ("NI number QQ 12 34 56 C".replace("QQ", "AB"), "AB 12 34 56 C"),
    "pl_pesel": ("PESEL 44051401359", "44051401359"),
    "in_aadhaar": ("Aadhaar 2341 2341 2346", "2341 2341 2346"),
}

NOT_PERSONAL = (
    "order 4111 1111 1111 1112",  # fails Luhn
    "DE89 3704 0044 0532 0130 01",  # fails mod 97
    "version 10.4.2.1 is in build 300.400.500.600",
    "see RFC 2616 and PEP 484 from 2014-09-29",
    "127.0.0.1 and 0.0.0.0 are not people",
    "SSN 000-12-3456",
    "ratio 3.14159265358979",
    "DNI 12345678A",
    "CPF 111.111.111-11",
    "commit 1234567890123456789",
    "pip install package@1.2.3",
)


@pytest.mark.parametrize("kind", PERSONAL)
def test_personal_data_is_kept_and_tagged_where_it_stands(kind):
    text, value = PERSONAL[kind]

    screening = screen(text)

    spans = {item.kind: text[item.start : item.end] for item in screening.findings}
    assert spans.get(kind) == value
    assert screening.masked == text


@pytest.mark.parametrize("text", NOT_PERSONAL)
def test_numbers_that_fail_their_checksum_are_not_personal(text):
    tagged = [item for item in screen(text).findings if item.kind != "ip_address"]
    assert tagged == []


def test_an_address_out_of_range_is_not_an_address():
    assert screen("build 300.400.500.600, loopback 127.0.0.1").findings == ()
