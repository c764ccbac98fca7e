"""A large memory through export, import and export again: the same bytes, and little memory.

python benches/interchange.py --facts 10000 --megabytes 175 --import
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from realmemory import Hippocampus
from realmemory.interop.transfer import export_file, import_file
from realmemory.outcomes import WriteRequest

_WORDS = [
    "pump",
    "valve",
    "gateway",
    "pressure",
    "backup",
    "invoice",
    "release",
    "train",
    "oven",
    "ledger",
    "router",
    "cache",
    "index",
    "shard",
    "queue",
    "worker",
    "token",
    "shelf",
    "crane",
    "boiler",
    "filter",
    "sensor",
    "motor",
    "cable",
    "lamp",
    "tank",
]
_IMPORT = """
import sys, time
from pathlib import Path
from realmemory.cli.root import run
code = run(["--path", sys.argv[1], "import", *sys.argv[2:]])
status = Path("/proc/self/status").read_text()
peak = round(int(status.partition("VmHWM:")[2].split()[0]) / 1024, 1)
print(f"peak {peak} MB, {time.process_time():.0f} CPU s")
sys.exit(code)
"""


def fill(memory, count, dice):
    """Write facts of every kind and state."""
    for start in range(0, count, 500):
        memory.remember_many(
            WriteRequest(
                text=f"{dice.choice(_WORDS)} {n} of hall {n % 97} feeds {dice.choice(_WORDS)} "
                f"{dice.randrange(10**6)} since {dice.choice(_WORDS)}",
                scope=f"p{n % 7}",
                tags=[dice.choice(_WORDS)],
                meta={"n": n},
                when=1.6e9 + n,
                force_new=True,
            )
            for n in range(start, min(count, start + 500))
        )
    ids = [trace.id for trace in memory.list(limit=count, all_scopes=True)]
    part = max(4, count // 200)
    for one, other in zip(ids[:part], ids[part : 2 * part], strict=True):
        memory.link_memories([one, other])
    memory.feedback(ids[: 6 * part], 0.7)
    memory.pin(ids[:part])
    memory.forget(ids[-part:])
    memory.forget(ids[-2 * part : -part], hard=True)
    for old in ids[-3 * part : -2 * part]:
        memory.update_fact(old, f"replaced {old} by another statement")
    memory.store_conversation(
        [{"text": f"turn {n} about {dice.choice(_WORDS)}", "speaker": "Ann"} for n in range(300)],
        session_id="s",
    )


def round_trip(folder, count):
    """Print whether export, import and export give the same bytes."""
    with Hippocampus.open(folder / "source") as memory:
        fill(memory, count, random.Random(5))
        for vectors in (False, True):
            first, again = folder / f"first{vectors}.jsonl", folder / f"again{vectors}.jsonl"
            lines = export_file(memory, first, vectors=vectors)
            with Hippocampus.open(folder / f"copy{vectors}") as copy:
                started = time.perf_counter()
                report = import_file(copy, first)
                seconds = time.perf_counter() - started
                export_file(copy, again, vectors=vectors)
                second = import_file(copy, first)
            same = first.read_bytes() == again.read_bytes()
            print(
                f"vectors {vectors}: {lines} lines, {first.stat().st_size} bytes, the same again: "
                f"{same}; imported {report.imported} in {seconds:.0f} s, a second time "
                f"{second.imported}"
            )


def conversations(path, octets):
    """Write an export of chats of about so many bytes."""
    dice = random.Random(3)
    size = number = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        while size < octets:
            nodes = {}
            for turn in range(20):
                text = " ".join(
                    dice.choice(_WORDS) + str(dice.randrange(10**5)) for _ in range(900)
                )
                role = "assistant" if turn % 2 else "user"
                message = {
                    "author": {"role": role},
                    "create_time": 1.7e9 + number * 1000 + turn,
                    "content": {"content_type": "text", "parts": [text]},
                }
                parent = f"n{turn - 1}" if turn else None
                nodes[f"n{turn}"] = {"parent": parent, "children": [], "message": message}
            row = {
                "conversation_id": f"c{number}",
                "title": f"talk {number}",
                "create_time": 1.7e9 + number * 1000,
                "current_node": "n19",
                "mapping": nodes,
            }
            size += file.write(("," if number else "") + json.dumps(row))
            number += 1
        file.write("]")


def main():
    """Run both measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=175)
    parser.add_argument("--import", dest="store", action="store_true", help="store the chats too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "conversations.json"
        conversations(file, given.megabytes * 10**6)
        print(f"{file.stat().st_size} bytes of chats, read by the importer:", flush=True)
        words = [sys.executable, "-c", _IMPORT, str(Path(folder) / "m"), str(file)]
        subprocess.run([*words, "--dry-run"], check=True)
        if given.store:
            print("and stored:", flush=True)
            subprocess.run(words, check=True)
        round_trip(Path(folder), given.facts)


if __name__ == "__main__":
    main()
