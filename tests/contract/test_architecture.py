"""The shape of the code base: who may import whom, and who may touch what."""

from __future__ import annotations

import ast
import re

import pytest

from contract.sources import Module, imported_names, modules

LAYERS = (
    {
        "types",
        "outcomes",
        "config",
        "errors",
        "clock",
        "scopes",
        "instants",
        "places",
        "strict_json",
        "switches",
        "tracing",
        "worker",
        "keys",
        "late",
        "tuples",
    },
    {"core", "encoding"},
    {"store"},
    {"index", "policies", "safety"},
    {"flows"},
    {"upkeep", "curation", "hippocampus", "client"},
    {
        "cli",
        "api",
        "agents",
        "team",
        "interop",
        "eval",
        "report",
        "torture",
        "hook_cli",
        "__main__",
    },
)
NEIGHBOURS = {
    # encoders run kernels; everything else on one layer knows nothing of its neighbours
    ("encoding", "core"),
    ("index", "policies"),
    ("client", "hippocampus"),
    ("curation", "upkeep"),
    ("hippocampus", "curation"),
    ("agents", "team"),
    ("api", "agents"),
    ("hook_cli", "agents"),
    ("api", "team"),
    ("team", "interop"),  # what others publish comes in as an import does
    ("report", "cli"),  # `python -m realmemory.report` is the command
}
ENVIRONMENT_READERS = {
    "switches.py",  # any switch, by one table of truth
    "places.py",  # REALMEMORY_PATH and the user's directories
    "encoding/remote.py",  # where a server is, its key, and whether texts may go in the clear
    "encoding/local.py",  # REALMEMORY_OFFLINE, HF_HUB_OFFLINE and the model folder
}
ENVIRONMENT_PARTS = {"agents", "api", "team"}
SQL = re.compile(
    r"^\s*(SELECT\b.+\bFROM\b|INSERT\s+(OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b"
    r"|CREATE\s+(VIRTUAL\s+)?TABLE\b|PRAGMA\s+\w+|BEGIN\s+IMMEDIATE\b)",
    re.DOTALL,
)

BENCHMARK = re.compile(r"\b(locomo|xquad|hotpot_?qa|longmemeval|BEAM)\b", re.IGNORECASE)


def layer_of(part: str) -> int:
    for number, layer in enumerate(LAYERS):
        if part in layer:
            return number
    pytest.fail(f"{part!r} has no place in the layers; DESIGN names them, this test lists them")


def our_imports(module: Module) -> list[tuple[int, str]]:
    return [
        (line, name.split(".")[1])
        for line, name in imported_names(module)
        if name.startswith("realmemory.")
    ]


# The package itself resolves its names lazily, from everywhere.
LAYERED = [module for module in modules() if module.place != "__init__.py"]


@pytest.mark.parametrize("module", LAYERED, ids=lambda module: module.place)
def test_imports_point_down_the_layers(module):
    own = layer_of(module.part)
    for line, part in our_imports(module):
        if part in {module.part, "__version__", "_native"}:
            continue
        other = layer_of(part)
        top = own == other == len(LAYERS) - 1 and module.part in {"cli", "__main__"}
        allowed = other < own or own == other == 0 or top or (module.part, part) in NEIGHBOURS
        assert allowed, f"{module.place}:{line} must not import realmemory.{part}"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.place)
def test_only_core_touches_the_native_module(module):
    touching = [line for line, name in imported_names(module) if name.endswith("._native")]
    assert not touching or module.part == "core", f"{module.place}:{touching} imports _native"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.place)
def test_only_the_store_speaks_sql(module):
    if module.part == "store" or module.place.startswith("team/"):
        return
    drivers = [
        (line, name)
        for line, name in imported_names(module)
        if name.split(".")[0] in {"apsw", "sqlite3"}
    ]
    assert not drivers, f"{module.place} imports the driver: {drivers}"
    statements = [
        node.lineno
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
    ]
    assert not statements, f"{module.place} holds SQL in lines {statements}"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.place)
def test_the_environment_is_read_in_few_places(module):
    readers = [
        node.lineno
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in {"environ", "getenv", "environb"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    ]
    allowed = module.place in ENVIRONMENT_READERS or module.part in ENVIRONMENT_PARTS
    assert not readers or allowed, f"{module.place} reads the environment in lines {readers}"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.place)
def test_the_code_does_not_know_that_tests_exist(module):
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert "PYTEST_" not in node.value, f"{module.place}:{node.lineno}"
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("is_test"), f"{module.place}:{node.lineno}"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.place)
def test_only_the_evaluation_knows_a_benchmark(module):
    named = BENCHMARK.findall(module.path.read_text(encoding="utf-8"))
    assert not named or module.part == "eval", f"{module.place} names {named}"
