"""What texts say by symbols tells them apart; how they are set does not."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus, WriteRequest

TOLD_APART = [
    ("The freezer runs at 5 °C.", "The freezer runs at -5 °C."),
    ("The freezer runs at 5 °C.", "The freezer runs at −5 °C."),
    ("Морозильник держит 5 °C.", "Морозильник держит −5 °C."),
    ("Морозильник держит 5 °C.", "Морозильник держит -5 °C."),
    ("The lens has +3 dioptres.", "The lens has -3 dioptres."),
    ("У линзы +3 диоптрии.", "У линзы -3 диоптрии."),
    ("The range starts at -15 and ends at 12.", "The range starts at 15 and ends at -12."),
    ("The dose of the syrup is .5 ml.", "The dose of the syrup is 5 ml."),
    ("The balance of the fund is $500.", "The balance of the fund is -$500."),
    ("Anna has blood group O+.", "Anna has blood group O-."),
    ("У Анны группа крови O+.", "У Анны группа крови O−."),
    ("Her mark in physics is A.", "Her mark in physics is A+."),
    ("Her mark in physics is A-.", "Her mark in physics is A."),
    ("Her mark in physics is A-.", "Her mark in physics is A+."),
    ("The driver is written in C.", "The driver is written in C++."),
    ("The driver is written in C.", "The driver is written in C#."),
    ("The driver is written in C++.", "The driver is written in C#."),
    ("Драйвер написан на C++.", "Драйвер написан на C#."),
    ("The ticket costs $5.", "The ticket costs €5."),
    ("Билет стоит $5.", "Билет стоит €5."),
    ("Add ½ cup of sugar.", "Add ¼ cup of sugar."),
    ("Добавь ½ стакана сахара.", "Добавь ¼ стакана сахара."),
    ("The garage has 40 m².", "The garage has 40 m³."),
    ("The alarm rings when `x > 5`.", "The alarm rings when `x < 5`."),
    ("Сигнал звучит при x > 5.", "Сигнал звучит при x < 5."),
    ("Retry while load >= 80.", "Retry while load <= 80."),
    ("Retry while load ≥ 80.", "Retry while load ≤ 80."),
    ("The table holds 10^6 rows.", "The table holds 10^-6 rows."),
    ("В таблице 10^6 строк.", "В таблице 10^-6 строк."),
    ("Run chmod +x on the script.", "Run chmod -x on the script."),
    ("Join both checks with &&.", "Join both checks with ||."),
    ("The rule needs !ready to fire.", "The rule needs ready to fire."),
    ("The cable of the pump is 5M.", "The cable of the pump is 5m."),
    ("The uplink moves 10 Gb a second.", "The uplink moves 10 GB a second."),
    ("Канал передаёт 10 Гб.", "Канал передаёт 10 ГБ."),
    ("The service targets .NET 8.", "The service targets NET 8."),
    ("The release status is ✅.", "The release status is ❌."),
    ("Ответ команды на план: 👍", "Ответ команды на план: 👎"),
    ("Indent the line with ctrl+[.", "Indent the line with ctrl+]."),
    ("Zoom the editor with ctrl+=.", "Zoom the editor with ctrl+-."),
]
ONE_SAYS_MORE = [
    ("The total is price + tax.", "The total is price - tax."),
    ("The parcel weighs ~5 kg.", "The parcel weighs 5 kg."),
    ("The nightly build passed ✅", "The nightly build passed"),
    ("Билет в музей стоит €5.", "Билет в музей стоит 5."),
    ("The samples are kept at minus 80 degrees.", "The samples are kept at -80 degrees."),
]
RESTATED = [
    ("The gate opens at nine.", "The gate opens at nine!"),
    ("The gate opens at nine", "- The gate opens at nine"),
    ("The gate opens at nine", "+ The gate opens at nine"),
    ("The gate opens at nine", "> The gate opens at nine"),
    ("The gate opens at nine", "• The gate opens at nine"),
    ("The gate opens at nine.", "The **gate** opens at `nine`."),
    ("The gate opens at nine.", "The *gate* opens at nine :)"),
    ("The gate opens at nine.", "The gate opens at nine 🙂"),
    ("The gate opens at nine.", "The gate opens at nine ;-)"),
    ("The gate opens at nine.", "The “gate” opens (at nine)..."),
    ("The gate opens - at nine.", "The gate opens — at nine."),
    ("The gate opens – at nine.", "The gate opens, at nine."),
    ("The well-known gate opens from 5-10.", "The well-known gate opens from 5-10!"),
    ("The backup of the gate ran on 2024-05-01.", "On 2024-05-01 the backup of the gate ran."),
    ("The gate opens at nine.", "The <gate> opens at nine."),
    ("The disk of the gate has 10 GB.", "The disk of the gate has 10 gb."),
    ("The freezer runs at -5 °C.", "The freezer runs at −5 °C."),
    ("The ferry to Crete costs €5.", "Note: the ferry to Crete costs €5!"),
    ("Retry while load >= 80.", "Retry while load ≥ 80."),
    ("The driver is written in C++.", "The driver is written in `C++`!"),
    ("Ворота открывают в девять.", "— Ворота открывают в девять!"),
    ("Ворота «Юг» открывают в девять.", '- Ворота "Юг" открывают в девять...'),
    ("Морозильник держит −5 °C.", "Держит морозильник -5 °C."),
]
BOTH_WAYS = pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])


@BOTH_WAYS
@pytest.mark.parametrize(("one", "other"), TOLD_APART)
def test_another_symbol_is_another_fact_in_conflict_with_the_first(memory, one, other, turned):
    first, second = (other, one) if turned else (one, other)
    known = memory.remember(first)
    result = memory.remember(second)

    assert result.created
    assert result.conflicts == (known.memory_id,)


@BOTH_WAYS
@pytest.mark.parametrize(("one", "other"), ONE_SAYS_MORE)
def test_a_symbol_in_nothing_else_s_place_is_kept_beside_without_a_conflict(
    memory, one, other, turned
):
    first, second = (other, one) if turned else (one, other)
    memory.remember(first)
    result = memory.remember(second)

    assert result.created
    assert result.conflicts == ()


@BOTH_WAYS
def test_a_batch_tells_symbols_apart_as_well(folder, clock, turned):
    with Hippocampus.open(folder, clock=clock) as memory:
        for at, pair in enumerate(TOLD_APART):
            first, second = reversed(pair) if turned else pair
            scope = f"pair-{at}"
            known, result = memory.remember_many(
                [WriteRequest(text=text, scope=scope) for text in (first, second)]
            )
            assert result.created, pair
            assert result.conflicts == (known.memory_id,), pair


@BOTH_WAYS
@pytest.mark.parametrize(("one", "other"), RESTATED)
def test_the_setting_of_a_text_keeps_no_restatement_apart(memory, one, other, turned):
    first, second = (other, one) if turned else (one, other)
    known = memory.remember(first)
    assert memory.remember(second).memory_id == known.memory_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The range is 5-10 minutes", "The range is 5–10 minutes"),
        ("The range is 5-10 minutes", "The range is 5 — 10 minutes"),
        (
            "A state-of-the-art tool for the team",
            "A state\u2011of\u2011the\u2011art tool for the team",
        ),
        ("Use the _main_ branch for releases", "Use the main branch for releases"),
        (
            "Use the <b>main</b> branch for <em>all releases</em>",
            "Use the main branch for all releases",
        ),
    ],
)
def test_kinds_of_dashes_and_emphasis_keep_nothing_apart(memory, one, other):
    first = memory.remember(one)
    assert memory.remember(other).memory_id == first.memory_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The range is 5-10 minutes", "The range is 5-11 minutes"),
        ("Call __init__ once", "Call init once"),
        ("The column user_name is empty", "The column user name is empty"),
        ("The <b> tag is deprecated here", "The <i> tag is deprecated here"),
    ],
)
def test_what_only_looks_like_a_range_or_emphasis_is_told_apart(memory, one, other):
    memory.remember(one)
    assert memory.remember(other).created


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("R&D and ops share the budget", "ops and R&D share the budget"),
        ("Исследования и продажи делят бюджет", "Продажи и исследования делят бюджет"),
    ],
)
def test_the_order_around_an_and_is_no_conflict(memory, one, other):
    memory.remember(one)
    assert memory.remember(other).conflicts == ()


def test_who_does_what_to_whom_still_is(memory):
    first = memory.remember("The team prefers tabs over spaces")
    assert memory.remember("The team prefers spaces over tabs").conflicts == (first.memory_id,)
