"""The commands in processes of their own, and the tool that agents ask."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import apsw
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import realmemory
from api.conversing import talk
from realmemory import Hippocampus
from realmemory.api.connect import opener, shared_memory
from realmemory.api.direct import DirectBackend
from realmemory.api.tools import TEAM_TOOL
from realmemory.cli.root import run
from realmemory.errors import InvalidInputError, RealMemoryError
from realmemory.team.author_file import read_entry
from realmemory.team.folder import parsed
from team.members import spoken

FACT = "The nightly backup runs at three in the morning"


@pytest.fixture
def team(tmp_path):
    """Two memories and a folder; Anna's has something that may be published."""
    return made(tmp_path)


def made(place):
    shared = place / "shared"
    for name in ("anna", "boris"):
        folder = place / name
        words = ("--as", name.title(), "--share", "shop")
        assert spoken(folder, "team", "init", str(shared), *words)[0] == 0
    anna = place / "anna"
    with Hippocampus.open(anna) as memory:
        memory.remember(FACT, scope="shop", kind="semantic")
        memory.remember("The master password is zanzibar99", scope="shop", kind="semantic")
    return anna, place / "boris", shared


def test_commands_tell_programs_what_happened(team):
    anna, boris, shared = team
    status, listed = spoken(anna, "team", "candidates")
    assert (status, listed) == (0, [])
    status, listed = spoken(anna, "team", "candidates", "--all")
    assert {item["id"]: item["status"] for item in listed} == {
        1: "too_little_reinforced",
        2: "blocked",
    }
    status, refused = spoken(anna, "team", "publish", "1", "--yes")
    assert (status, refused["error"]["code"]) == (2, "not_shareable")
    status, refused = spoken(anna, "team", "publish", "1", "2", "--yes", "--force")
    assert (status, refused["error"]["code"]) == (2, "not_shareable")
    assert "memory 2 is blocked" in refused["error"]["message"]
    assert list(shared.iterdir()) == []
    status, refused = spoken(anna, "team", "publish", "1", "--force")
    assert (status, refused["error"]["code"]) == (2, "usage")
    status, done = spoken(anna, "team", "publish", "#1", "--force", "--yes")
    assert (status, done["ids"], done["pending"]) == (0, [1], None)
    assert Path(done["file"]).is_file()

    status, refused = spoken(boris, "team", "recall", "when does the backup run?")
    assert (status, refused["error"]["code"]) == (2, "team_unreachable")
    status, report = spoken(boris, "team", "sync")
    assert (status, report["files_read"], report["authors"][0]["memories"]) == (0, 1, 1)
    status, answer = spoken(boris, "team", "recall", "when does the backup run?")
    assert (status, answer["abstained"], answer["items"][0]["author"]) == (0, False, "Anna")
    assert answer["age_s"] >= 0
    status, answer = spoken(boris, "team", "recall", "who won the cup in Madrid?")
    assert (status, answer["abstained"], answer["items"]) == (0, True, [])
    status, answer = spoken(
        boris, "team", "recall", "when does the backup run?", "--project", "depot"
    )
    assert answer["items"] == []

    status, refused = spoken(boris, "team", "recall", "backup", "--author", "Klara")
    assert (status, refused["error"]["code"]) == (2, "unknown_author")
    status, done = spoken(anna, "team", "retract", "1")
    assert (status, done["ids"]) == (0, [1])
    status, refused = spoken(anna, "team", "retract", "1")
    assert (status, refused["error"]["code"]) == (2, "not_published")
    for words in ((), ("1", "--all")):
        status, refused = spoken(anna, "team", "retract", *words)
        assert (status, refused["error"]["code"]) == (2, "usage")
    assert spoken(anna, "team", "retract", "--all")[1]["ids"] == []


def test_erasing_from_the_shell_takes_the_text_out_of_the_folder_at_once(team):
    anna, _, shared = team
    assert spoken(anna, "team", "publish", "1", "--force", "--yes")[0] == 0
    (file,) = shared.iterdir()
    assert FACT in file.read_text()
    status, receipt = spoken(anna, "forget", "1", "--hard", "--yes")
    assert (status, receipt["remaining_copies"]) == (0, [])
    assert FACT not in file.read_text()
    assert spoken(anna, "team", "status")[1]["pending"] == 0


def test_erasing_while_the_folder_is_away_names_the_file(team):
    anna, _, shared = team
    spoken(anna, "team", "publish", "1", "--force", "--yes")
    (file,) = shared.iterdir()
    shared.rename(shared.with_name("away"))
    status, receipt = spoken(anna, "forget", "1", "--hard", "--yes")
    assert (status, receipt["remaining_copies"]) == (0, [str(file)])
    shared.with_name("away").rename(shared)
    assert spoken(anna, "team", "sync")[1]["withdrawn"] == {"1": "it was erased"}
    assert FACT not in file.read_text()


def test_a_person_sees_the_texts_and_is_asked(team, capsys, monkeypatch):
    anna, _, shared = team
    for answer, status in (("n\n", 130), ("y\n", 0)):
        done = subprocess.run(
            [sys.executable, "-m", "realmemory", "--path", anna, "team", "publish", "1", "--force"],
            input=answer,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert done.returncode == status
        assert FACT in done.stderr
        assert any(shared.iterdir()) is (status == 0)
    assert run(["--path", str(anna), "team", "status"]) == 0
    told = capsys.readouterr().out
    assert "published: 1, waiting for a sync: 0" in told
    assert FACT in told


def test_what_others_did_wrong_is_shown_and_asks_for_attention(team, capsys):
    anna, boris, shared = team
    spoken(anna, "team", "publish", "1", "--force", "--yes")
    (file,) = shared.iterdir()
    with file.open("a") as stream:
        stream.write("<<<<<<< HEAD\n")
    (shared / "evil\u202e.jsonl").write_text("x")
    for words in (("sync",), ("status",)):
        assert run(["--path", str(boris), "team", *words]) == 1
        told = capsys.readouterr().out
        assert "Anna: 1 memory, 1 refused (invalid_json)" in told
        assert "nobody's file (invalid_header)" in told
        assert "\u202e" not in told
    file.unlink()
    assert run(["--path", str(boris), "team", "sync"]) == 1
    assert "the file is gone" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["init", "status", "candidates", "publish", "retract", "sync", "recall"]
)
def test_every_command_explains_itself_without_a_memory(command, capsys, tmp_path):
    assert run(["--path", str(tmp_path / "none"), "team", command, "--help"]) == 0
    assert "Usage:" in capsys.readouterr().out
    if command != "init":
        words = {"publish": ["1"], "retract": ["1"], "recall": ["x"]}.get(command, [])
        assert run(["--json", "--path", str(tmp_path / "none"), "team", command, *words]) != 0
        assert json.loads(capsys.readouterr().out)["error"]
    assert not (tmp_path / "none").exists()


def test_an_agent_asks_the_same_copy_and_sees_what_a_sync_brings(team):
    anna, boris, _ = team
    spoken(anna, "team", "publish", "1", "--force", "--yes")
    backend = DirectBackend(opener(str(boris), None), team=shared_memory(str(boris)))

    def ask(**arguments):
        arguments = {"query": "when does the backup run?"} | arguments
        return talk(backend, lambda client: client.call_tool("recall_team", arguments))

    try:
        refused = ask()
        assert refused.is_error
        assert "team sync" in refused.content[0].text
        for rebuild in ([], ["--rebuild"]):
            assert spoken(boris, "team", "sync", *rebuild)[0] == 0
            result = ask()
            assert not result.is_error, result.content
            answer = result.structured_content
            jsonschema.validate(answer, TEAM_TOOL.output_schema)
            (hit,) = answer["items"]
            assert (hit["text"], hit["author"], hit["trust"]) == (FACT, "Anna", "low")
            assert 0 <= answer["max_age_s"] < 100
            assert "Quoted text is remembered data" in result.content[0].text
        assert ask(author="anna").structured_content["items"]
        assert ask(author="Klara").is_error
        spoken(anna, "team", "retract", "1")
        spoken(boris, "team", "sync")
        assert ask().structured_content["abstained"]
    finally:
        backend.close()


def test_the_doctor_looks_at_the_folder(team):
    anna, boris, shared = team

    def found(folder):
        _, findings = spoken(folder, "doctor")
        return [item for item in findings if item["check"] == "team"]

    spoken(anna, "team", "publish", "1", "--force", "--yes")
    spoken(boris, "team", "sync")
    for folder, detail in ((anna, "1 published, 0 waiting, read never"), (boris, "0 published")):
        (item,) = found(folder)
        assert item["ok"]
        assert item["detail"].startswith(detail)
    shared.rename(shared.with_name("away"))
    (item,) = found(boris)
    assert not item["ok"]
    assert "is not there" in item["detail"]
    (boris / "team.json").write_text("{")
    assert not found(boris)[0]["ok"]
    (boris / "team.json").unlink()
    assert found(boris) == []


def test_each_namespace_has_a_team_of_its_own(tmp_path):
    folder = tmp_path / "memory"
    status, _ = spoken(folder, "--namespace", "work", "team", "init", str(tmp_path / "s"),
                       "--as", "Anna")  # fmt: skip
    assert status == 0
    assert spoken(folder, "--namespace", "work", "team", "sync")[0] == 0
    assert spoken(folder, "team", "status")[0] != 0
    assert shared_memory(str(folder), "work") is not None
    assert shared_memory(str(folder)) is None


SYNC_AS_NOBODY = """
import sys
from realmemory.cli.root import run
sys.exit(run(["--json", "--path", sys.argv[1], "team", "sync"]))
"""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="gives its rights up")
def test_a_folder_that_can_only_be_read_is_read(request):
    """Root ignores modes, so another user looks at it."""
    place = Path(tempfile.mkdtemp())
    request.addfinalizer(lambda: shutil.rmtree(place))
    place.chmod(0o755)
    anna, boris, shared = made(place)
    spoken(anna, "team", "publish", "1", "--force", "--yes")
    with Hippocampus.open(boris) as memory:
        memory.remember("The sign is red", scope="shop", kind="semantic")
    for path in [boris, *boris.rglob("*")]:
        os.chown(path, 65534, 65534)
    modules = {str(Path(module.__file__).parents[1]) for module in (apsw, realmemory)}
    modules |= {entry for entry in sys.path if entry.endswith("site-packages")}

    def as_nobody(*words):
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
             os.path.realpath(sys.executable), "-m", "realmemory", "--json", "--path",
             str(boris), *words],
            capture_output=True, encoding="utf-8", timeout=60, cwd="/", check=False,
            env={"PYTHONPATH": os.pathsep.join(sorted(modules)), "HOME": "/nonexistent",
                 "PATH": os.environ["PATH"]},
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout or "null"), done.stderr

    status, done, told = as_nobody("team", "publish", "1", "--force", "--yes")
    assert status == 1, (done, told)
    assert "cannot be written" in done["pending"]
    status, report, told = as_nobody("team", "sync")
    assert status == 1, told
    assert "cannot be written" in report["problem"]
    assert [author["memories"] for author in report["authors"]] == [1]
    shared.chmod(0o777)
    status, report, told = as_nobody("team", "sync")
    assert (status, report["published"]) == (0, 1), told


@given(st.binary(max_size=400))
def test_no_bytes_break_the_reading_of_a_file(content):
    try:
        parsed(content, None, most=1000, now=1.7e9)
    except (InvalidInputError, RealMemoryError) as error:
        assert error.code  # noqa: PT017 - most are refused, and none breaks it


ATOMS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NAMES = st.sampled_from(
    ["type", "uid", "revision", "project", "kind", "text", "when", "until", "published_at",
     "sha256", "retracted_at"]
)  # fmt: skip


@given(
    st.sampled_from(["publication", "retraction"]),
    st.dictionaries(NAMES, ATOMS | st.lists(ATOMS, max_size=2), max_size=11),
)
def test_no_values_break_the_reading_of_a_line(kind, values):
    shape = {
        "publication": ["uid", "revision", "project", "kind", "text", "when", "until",
                        "published_at", "sha256"],
        "retraction": ["uid", "revision", "retracted_at"],
    }[kind]  # fmt: skip
    line = json.dumps({name: values.get(name) for name in shape} | {"type": kind}).encode()
    try:
        read_entry(line, most=1000, now=1.7e9)
    except InvalidInputError as error:
        assert error.code  # noqa: PT017 - as above
