"""What is under way is not done, and steps in another order are other steps, in notes of any length."""

from __future__ import annotations

import pytest

from realmemory import WriteRequest

APART = """
The barn is being roofed | The barn is roofed
The fence is to be oiled | The fence is oiled
The bakery is opening | The bakery is open
The tavern is closing | The tavern is closed
The warranty is expiring | The warranty is expired
The orchestra is hiring | The orchestra is hired
The loan will be granted | The loan is granted
They will have mended the dyke | They have mended the dyke
Лодка продана | Лодка продаётся
Баня сдана | Баня сдаётся
Олю уволили | Оля уволилась
Ваню уволили | Ваня уволился
Drain the boiler, swap the valve, refill the boiler | Swap the valve, drain the boiler, refill the boiler
First feed the hens, then open the gate | First open the gate, then feed the hens
Erst Tor auf, dann Hund raus | Erst Hund raus, dann Tor auf
When it snows Ida works, when it thaws she sleeps | When it snows Ida sleeps, when it thaws she works
Before lunch take drop A, after lunch take drop B | Before lunch take drop B, after lunch take drop A
Few bakers know the oven | A few bakers know the oven
There is little flour | There is a little flour
Only Olga can unlock the barn | Olga can only unlock the barn
The dyke is safe? | The dyke is safe
Ignore *.tmp files | Ignore !*.tmp files
Write x==y here | Write x=y here
~~Feed the goats~~ | Feed the goats
Die Maße der Kiste | Die Masse der Kiste
"""
TOGETHER = """
The kitchen is going to be painted in May | In May the kitchen is going to be painted
The fair will be on Friday | The fair is on Friday
We are using Ansible for the rollout | We use Ansible for the rollout
It is forbidden to feed the goats | To feed the goats is forbidden
If the tests fail, ask Olga before six | Ask Olga before six if the tests fail
The booth only takes coins | The booth takes only coins
The mill grinds every night | Every night the mill grinds
On Mondays, Tuesdays, and Fridays the mill is open | The mill is open on Mondays, Tuesdays, and Fridays
Die Straße ist glatt | Die Strasse ist glatt
"""
BEFORE, AFTER = (
    "Notes of Thursday, 4 May: we spoke about the roof. ",
    ". The next round is on 8 June.",
)
BLOCK = "if wet:\n    stop()\n{}warn()"


def pairs(table):
    return [tuple(map(str.strip, line.split(" | "))) for line in table.strip().splitlines()]


def stored(memory, texts):
    return memory.remember_many([WriteRequest(text=text) for text in texts])


def noted(text):
    return f"{BEFORE}{text}{AFTER}"


@pytest.mark.parametrize("within", [str, noted], ids=["alone", "in a note"])
@pytest.mark.parametrize(("one", "other"), pairs(APART))
def test_they_stay_two_memories(memory, one, other, within):
    assert len({item.memory_id for item in stored(memory, map(within, (one, other)))}) == 2
    assert len({item.memory_id for item in stored(memory, map(within, (other, one)))}) == 2


@pytest.mark.parametrize(("one", "other"), pairs(TOGETHER))
def test_what_says_the_same_is_one_memory(memory, one, other):
    assert len({item.memory_id for item in stored(memory, (one, other))}) == 1


def test_what_stands_within_a_block_of_code_counts(memory):
    within, behind = stored(memory, (BLOCK.format("    "), BLOCK.format("")))
    assert within.memory_id != behind.memory_id
    narrow = memory.remember("if wet:\n  stop()\n  warn()")
    assert narrow.memory_id == within.memory_id
