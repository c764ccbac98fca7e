"""An encrypted memory beside the same one in the clear: opening, asking, writing and the hook, in turns.

    python benches/encryption.py --rows 10000 --rounds 7

CPU milliseconds, medians over the rounds; whole processes with their start.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from realmemory import Hippocampus, Key, keys
from realmemory.store.paths import StorePaths
from realmemory.store.resealing import reseal

_PLACES = ("Vienna", "Ghent", "Oslo", "Lima", "Quito", "Porto", "Bergen", "Turin", "Delft", "Bern")
_THINGS = ("crane", "pump", "valve", "hoist", "turbine", "winch", "buoy", "tug", "barge", "kiln")
_QUESTION = "which team inspected the turbine in Oslo?"


def _text(number):
    thing, place = _THINGS[number % 10], _PLACES[number // 10 % 10]
    team, seal = number * 7 % 997, number * 13 % 9973
    return f"The {thing} number {number} in {place} was inspected by team {team}, seal {seal}"


def fill(folder, rows):
    """Make the memory in the clear, with its snapshot, and an encrypted copy of it."""
    plain, sealed = folder / "plain", folder / "encrypted"
    with Hippocampus.open(plain, key="") as memory:
        for first in range(0, rows, 500):
            memory.remember_many([_text(number) for number in range(first, first + 500)])
        memory.consolidate()
    shutil.copytree(plain, sealed)
    (key,) = keys.write(str(folder / "memory.key"), (Key.generate(),))
    begun = time.process_time()
    reseal(StorePaths(sealed), key)
    print(f"encrypting {rows} rows: {(time.process_time() - begun) * 1e3:.0f} ms of CPU")
    return plain, sealed


def _timed(function):
    begun = time.process_time()
    found = function()
    return (time.process_time() - begun) * 1e3, found


def inside(folder):
    """Return what one process pays for its calls."""
    spent = {}
    spent["open"], memory = _timed(lambda: Hippocampus.open(folder))
    spent["first recall"], _ = _timed(lambda: memory.recall(_QUESTION))
    again = [
        _timed(lambda at=at: memory.recall(f"which team saw the {_THINGS[at]} in {_PLACES[at]}?"))[
            0
        ]
        for at in range(10)
    ]
    spent["further recall"] = statistics.median(again)
    written = [
        _timed(lambda: memory.remember(f"Visitor {time.time_ns()} saw the harbour", force_new=True))
        for _ in range(10)
    ]
    spent["remember"] = statistics.median(cost for cost, _ in written)
    memory.close()
    return spent


def outside(folder):
    """Return what a command that asks once and a hook pay, their start included."""
    scripts = Path(sys.executable).parent
    call = {"cwd": str(folder.parent), "session_id": str(time.time_ns()), "prompt": _QUESTION}
    commands = {
        "command that asks": ([scripts / "realmemory", "--path", folder, "recall", _QUESTION], ""),
        "hook on a prompt": (
            [scripts / "realmemory-hook", "--path", folder, "claude", "prompt"],
            json.dumps(call),
        ),
    }
    spent = {}
    for name, (command, sent) in commands.items():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=sent, text=True, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        spent[name] = (user + system) * 1e3
    return spent


def main():
    """Measure both in turns and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        os.environ["HOME"] = made
        both = fill(folder, options.rows)
        taken = {place: [] for place in both}
        for number in range(options.rounds):
            for place in both if number % 2 else both[::-1]:
                taken[place].append(inside(place) | outside(place))
        plain, sealed = (taken[place] for place in both)
        for name in plain[0]:
            first, second = (
                statistics.median(each[name] for each in one) for one in (plain, sealed)
            )
            print(f"{name:18} {first:8.1f} {second:8.1f}  {second / first:.2f}")
        for place in both:
            size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
            print(f"{place.name}: {size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
