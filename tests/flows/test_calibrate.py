"""Feedback refines confidences: shown first, applied on demand, never against the evidence."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.cli.root import run
from realmemory.flows.calibrate import propose
from realmemory.policies.refinement import Refinement, calibration_error, fit

chances = st.floats(0.001, 0.999)
moves = st.builds(Refinement, st.floats(0.25, 4.0), st.floats(1 / 16, 16.0))


@given(moves, chances)
def test_a_refinement_keeps_the_order_and_can_be_taken_back(move, chance):
    moved = move.refined(chance)
    assert 0 <= moved <= 1
    assert move.refined(min(1.0, chance + 1e-3)) >= moved
    if 1e-4 < moved < 1 - 1e-4:
        assert move.raw(moved) == pytest.approx(chance, rel=1e-3, abs=1e-4)


def judged(truth, count, seed=7):
    dice = random.Random(seed)
    raw = [dice.uniform(0.02, 0.98) for _ in range(count)]
    return raw, [dice.random() < truth.refined(sure) for sure in raw]


def test_overconfidence_is_found_out_and_corrected():
    truth = Refinement(scale=0.8, factor=0.3)
    raw, helped = judged(truth, 1_500)
    found = fit(raw, helped, Refinement())
    assert found is not None
    assert found.helps
    assert found.refinement.scale == pytest.approx(0.8, abs=0.15)
    assert found.refinement.factor == pytest.approx(0.3, abs=0.1)
    assert found.error_after < found.error_before / 3


def test_what_is_calibrated_already_is_left_nearly_as_it_is():
    raw, helped = judged(Refinement(), 1_500)
    found = fit(raw, helped, Refinement())
    assert found is not None
    assert found.refinement.scale == pytest.approx(1.0, abs=0.12)
    assert found.refinement.factor == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(("count", "good"), [(0, 0), (39, 20), (100, 7), (100, 93)])
def test_few_or_one_sided_judgements_teach_nothing(count, good):
    assert fit([0.5] * count, [True] * good + [False] * (count - good), Refinement()) is None


def test_the_error_is_zero_for_true_frequencies_only():
    chance = np.full(100, 0.25)
    assert calibration_error(chance, np.repeat([1.0, 0.0], [25, 75])) == pytest.approx(0.0)
    assert calibration_error(chance, np.repeat([1.0, 0.0], [75, 25])) == pytest.approx(0.5)


def ask_and_judge(memory, clock, rounds):
    """Only answers about even valves are of use, whatever their confidence says."""
    for n in range(rounds):
        packet = memory.recall(f"at which pressure does valve {n % 40} open?", k=1, scope="plant")
        if packet.items:
            memory.feedback([packet.items[0].memory_id], 1.0 if n % 4 == 0 else -0.1)
        clock.advance(10)


@pytest.fixture
def used(memory, clock):
    memory.remember_many([f"Valve {n} of the line opens at {n * 13 + 7} bar" for n in range(40)])
    ask_and_judge(memory, clock, 80)
    return memory


def test_the_journal_of_a_used_memory_holds_what_was_shown_and_judged(used, folder):
    found = propose(used.context)
    assert found.judged >= 60
    assert found.helped == pytest.approx(found.judged / 4, abs=8)
    before = used.recall("valve 3 opens at which pressure?", k=5, scope="plant")
    changes = found.changes
    assert set(changes) == {"confidence_scale", "confidence_factor"}
    # Nothing changes by looking.
    assert used.config.confidence_factor == used.config.confidence_scale == 1.0
    used.reconfigure(**{name: new for name, (_, new) in changes.items()})
    after = used.recall("valve 3 opens at which pressure?", k=5, scope="plant")
    assert [hit.memory_id for hit in after.items] == [hit.memory_id for hit in before.items]
    assert after.items[0].confidence < before.items[0].confidence
    # The raw confidences stay comparable, so that a second look asks for next to nothing more.
    again = propose(used.context)
    assert all(abs(new - old) < 0.05 for old, new in again.changes.values())


def test_a_reward_long_after_the_answer_judges_nothing(memory, clock):
    memory.remember("The gateway runs nginx 1.27")
    packet = memory.recall("which web server does the gateway run?")
    clock.advance(7_200)
    memory.feedback([packet.items[0].memory_id], 1.0)
    assert propose(memory.context).judged == 0


def test_the_command_shows_first_and_changes_on_demand(used, folder, capsys):
    used.close()

    def told(*words):
        capsys.readouterr()
        assert run(["--path", str(folder), *words]) == 0
        return capsys.readouterr().out

    shown = told("calibrate")
    assert "nothing was changed" in shown
    assert "confidence_factor" in shown
    assert told("config", "get", "confidence_factor") == "1.0\n"
    answer = json.loads(told("calibrate", "--apply", "--json"))
    assert answer["applied"] is True
    assert float(told("config", "get", "confidence_factor")) < 1
    assert "confidence_factor" in json.loads(told("config", "--json"))["changed"]


def test_an_unused_memory_says_how_much_it_wants(memory, folder, capsys):
    memory.close()
    assert run(["--path", str(folder), "calibrate"]) == 0
    assert "at least 40 more" in capsys.readouterr().out
