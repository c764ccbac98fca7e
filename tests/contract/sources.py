"""Our own source files as the contract tests see them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "realmemory"


@dataclass(frozen=True, slots=True)
class Module:
    """One Python module of the package: where it is, and its syntax tree."""

    path: Path
    tree: ast.Module

    @property
    def place(self) -> str:
        """The path below the package, with forward slashes."""
        return self.path.relative_to(PACKAGE).as_posix()

    @property
    def part(self) -> str:
        """The top-level package or module that it belongs to."""
        return self.place.split("/")[0].removesuffix(".py")


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, parsed."""
    return tuple(
        Module(path, ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
    )


def imported_names(module: Module) -> list[tuple[int, str]]:
    """Return (line, dotted name) of every import, those inside functions included."""
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module.place}:{node.lineno} imports relatively"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found
