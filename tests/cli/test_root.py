"""The command line before any command runs: overview, usage errors, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from realmemory import errors
from realmemory.cli import exits, registry
from realmemory.cli.root import root, run


def realmemory(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "realmemory", *words],
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )


def test_the_overview_names_every_command_and_exit_code(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in registry.names():
        assert f"  {name} " in shown
    for code, meaning in exits.MEANINGS.items():
        assert f"  {code:<3}  {meaning}\n" in shown


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"]])
def test_the_overview_is_the_same_with_and_without_click(words, capsys):
    assert run(["--help"]) == 0
    assert realmemory(*words).stdout.decode() == capsys.readouterr().out


@pytest.mark.parametrize("name", registry.names())
def test_every_command_explains_itself(name, capsys):
    assert run([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: realmemory {name}")
    command = root.get_command(None, name)
    assert command.help
    unexplained = [
        parameter.opts[0]
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert unexplained == []


@pytest.mark.parametrize("alias", registry.ALIASES)
def test_an_alias_leads_to_its_command(alias, capsys):
    assert run([alias, "--help"]) == 0
    assert capsys.readouterr().out


def test_a_mistyped_command_names_the_nearest(capsys):
    assert run(["recal", "x"]) == exits.INPUT
    assert "Did you mean `recall`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["recall"], ["recall", "x", "--k", "abc"], ["recall", "x", "--wrong"], ["-x"], ["list", "y"]],
)
def test_wrong_usage_leaves_with_two_and_no_traceback(words, capsys):
    assert run(words) == exits.INPUT
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_wrong_usage_is_json_where_json_was_asked_for(capsys):
    assert run(["recall", "x", "--k", "abc", "--json"]) == exits.INPUT
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "1 OR 1=1", "9" * 20, "１２"])
def test_what_is_no_id_is_refused_before_a_store_is_opened(value, tmp_path, capsys):
    assert run(["--path", str(tmp_path / "none"), "show", "--json", "--", value]) == exits.INPUT
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "invalid_id"
    assert not (tmp_path / "none").exists()


def test_every_error_class_leaves_with_a_documented_code():
    def below(kind):
        return [kind, *(deeper for child in kind.__subclasses__() for deeper in below(child))]

    for kind in below(errors.RealMemoryError):
        assert exits.exit_code_of(kind("x")) in exits.MEANINGS


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_output_is_utf8_whatever_the_environment_says(encoding):
    shown = realmemory(
        "show", "тест", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    )
    assert shown.returncode == exits.INPUT
    assert "'тест' is not the id" in shown.stderr.decode()


def test_an_argument_that_is_no_text_is_refused():
    shown = realmemory("show", b"\xff\xfe", env={"LC_ALL": "C.UTF-8"})
    assert shown.returncode == exits.INPUT
    assert b"Traceback" not in shown.stderr


def test_closed_streams_are_survived():
    command = f'"{sys.executable}" -m realmemory --version <&- >&- 2>&-'
    assert subprocess.run(command, shell=True, timeout=60, check=False).returncode == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell, capsys):
    assert run(["completion", shell]) == 0
    assert "_REALMEMORY_COMPLETE" in capsys.readouterr().out
