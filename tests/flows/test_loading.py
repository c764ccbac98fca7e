"""What a process loads: one that only asks pays for no writing, and for no numpy."""

import subprocess
import sys

from realmemory import Hippocampus

ASK = """
import sys
from realmemory import Hippocampus
with Hippocampus.open(sys.argv[1], read_only=True) as memory:
    assert memory.recall("who keeps the lighthouse?").items
loaded = [name for name in sys.modules if name.partition(".")[0] in {"realmemory", "numpy"}]
print("\\n".join(loaded))
"""
FOR_WRITING = ("safety", "policies.signature", "policies.reading", "flows.remember", "flows.sleep")


def test_asking_loads_neither_numpy_nor_what_only_writing_needs(tmp_path):
    with Hippocampus.open(tmp_path) as memory:
        memory.remember("The lighthouse keeper is called Morwenna")
    out = subprocess.run(
        [sys.executable, "-c", ASK, tmp_path], check=True, capture_output=True, text=True
    )
    loaded = out.stdout.split()
    assert "realmemory.flows.recall" in loaded
    assert [part for part in FOR_WRITING if f"realmemory.{part}" in loaded] == []
    assert "numpy" not in loaded
