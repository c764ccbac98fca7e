"""What a process loads: one that only asks pays for no writing, and for no numpy."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from realmemory import Hippocampus, WriteRequest

ASK = """
import sys
from realmemory import Hippocampus
with Hippocampus.open(sys.argv[1], read_only=True) as memory:
    memory.recall(sys.argv[2])
loaded = [name for name in sys.modules if name.partition(".")[0] in {"realmemory", "numpy"}]
print("\\n".join(loaded))
"""
FOR_WRITING = (
    "safety",
    "policies.gate.signature",
    "policies.gate.reading",
    "policies.words.synonyms",
    "policies.words.statements",
    "flows.remember",
    "flows.sleep",
)


QUESTIONS = [
    "who keeps the lighthouse?",
    "who replaced the lamp in hall 3?",
    "which harbour was the ferry in before?",
    "what did Boris do with the lamp?",
    "nothing of the kind, zyx?",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A memory with a fact, one that was replaced, and a crowd of notes of one pattern."""
    folder = tmp_path_factory.mktemp("loading") / "memory"
    with Hippocampus.open(folder) as memory:
        memory.remember("The lighthouse keeper is called Morwenna")
        old = memory.remember("The ferry lies in the western harbour", kind="semantic")
        memory.update_fact(old.memory_id, "The ferry lies in the eastern harbour")
        notes = [
            f"Note {n}: the lamp in hall {n % 13} was replaced by worker {n}" for n in range(600)
        ]
        memory.remember_many([WriteRequest(text=note, force_new=True) for note in notes])
    return folder


@pytest.mark.parametrize("question", QUESTIONS)
def test_asking_loads_neither_numpy_nor_what_only_writing_needs(folder, question):
    out = subprocess.run(
        [sys.executable, "-c", ASK, folder, question], check=True, capture_output=True, text=True
    )
    loaded = out.stdout.split()
    assert all(find_spec(f"realmemory.{part}") for part in FOR_WRITING)
    assert "realmemory.flows.recall" in loaded
    assert [part for part in FOR_WRITING if f"realmemory.{part}" in loaded] == []
    assert "numpy" not in loaded
