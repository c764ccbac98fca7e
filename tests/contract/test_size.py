"""Small pieces: no file and no function outgrows what a reader takes in at once."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from contract.sources import ROOT, modules

if TYPE_CHECKING:
    from pathlib import Path

FILE_USUAL, FILE_LIMIT, TEST_FILE_LIMIT = 450, 700, 900
FUNCTION_USUAL, FUNCTION_LIMIT = 35, 80
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "misc"}
RUST_FUNCTION = re.compile(r"^(?P<indent>\s*)(pub(\([^)]*\))? )?(const |unsafe )*fn (?P<name>\w+)")


def source_files() -> list[Path]:
    return [
        *sorted((ROOT / "python").rglob("*.py")),
        *sorted((ROOT / "rust").rglob("*.rs")),
        *sorted((ROOT / "tests").rglob("*.py")),
        *sorted((ROOT / "benches").rglob("*.py")),
    ]


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def python_functions() -> list[tuple[str, int]]:
    found = []
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                found.append((f"{module.place}:{node.lineno} {node.name}", length))
    return found


def rust_functions() -> list[tuple[str, int]]:
    """Function lengths in formatted Rust: the body ends at the brace under its `fn`."""
    found = []
    for path in sorted((ROOT / "rust").rglob("*.rs")):
        lines = lines_of(path)
        for number, line in enumerate(lines):
            start = RUST_FUNCTION.match(line)
            if start is None:
                continue
            closing = start["indent"] + "}"
            end = next((n for n in range(number, len(lines)) if lines[n] == closing), number)
            name = f"{path.relative_to(ROOT)}:{number + 1} {start['name']}"
            found.append((name, end - number + 1))
    return found


def report(title: str, over: list[tuple[str, int]]) -> None:
    for name, length in sorted(over, key=lambda item: -item[1]):
        sys.stdout.write(f"{title}: {length:4} {name}\n")


def test_no_file_outgrows_its_budget():
    sizes = [(str(path.relative_to(ROOT)), len(lines_of(path))) for path in source_files()]
    assert len(sizes) > 20, "the walk found no sources"
    report("long file", [item for item in sizes if item[1] > FILE_USUAL])
    limit = {name: TEST_FILE_LIMIT if name.startswith("tests") else FILE_LIMIT for name, _ in sizes}
    assert [item for item in sizes if item[1] > limit[item[0]]] == []


def test_no_function_outgrows_its_budget():
    functions = python_functions() + rust_functions()
    assert len(functions) > 50, "the walk found no functions"
    report("long function", [item for item in functions if item[1] > FUNCTION_USUAL])
    assert [item for item in functions if item[1] > FUNCTION_LIMIT] == []


def test_every_file_has_the_name_of_its_matter():
    named = [path for path in source_files() if path.stem.removeprefix("test_") in FORBIDDEN_NAMES]
    assert named == []
