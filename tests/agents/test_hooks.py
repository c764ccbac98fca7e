"""The hook program as hosts run it: the installed command, a bare environment, JSON on a pipe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agents.stores import filled, trace
from realmemory.agents import spool
from realmemory.agents.envelope import EVENTS, HOSTS

HOOK = str(Path(sys.executable).with_name("realmemory-hook"))
FACT = "The payments service stores money as integer cents in PostgreSQL"


@pytest.fixture
def memory(tmp_path):
    folder = tmp_path / "memory"
    filled(folder, [trace(FACT), trace("Deployments go through Argo CD"), trace("tea is green")])
    return folder


@pytest.fixture
def project(tmp_path):
    """A repository called shop, below a folder with a space and Cyrillic letters."""
    folder = tmp_path / "мои проекты" / "shop"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def run(memory, host, event, sent, cwd=None, *, shell=False, **options):
    content = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    command = [HOOK, "--path", str(memory), host, event]
    environ = {"HOME": str(memory.parent), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        " ".join(f"'{word}'" for word in command) if shell else command,
        shell=shell,
        input=content,
        capture_output=True,
        cwd=cwd or memory.parent,
        env={**environ, **options},
        timeout=30,
        check=False,
    )


def silent(done):
    return done.returncode == 0 and done.stdout == b""


def prompt(project, **fields):
    return {
        "session_id": "s1",
        "cwd": str(project),
        "prompt": "how does the payments service keep money, in cents?",
        "prompt_id": "p1",
        **fields,
    }


# What each host accepts: exactly these keys, and nothing else.
SHAPES = {
    ("claude", "session-start"): "SessionStart",
    ("claude", "prompt"): "UserPromptSubmit",
    ("codex", "session-start"): "SessionStart",
    ("codex", "prompt"): "UserPromptSubmit",
    ("zcode", "session-start"): "SessionStart",
    ("zcode", "prompt"): "UserPromptSubmit",
    ("gemini", "session-start"): "SessionStart",
    ("gemini", "prompt"): "BeforeAgent",
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("event", EVENTS)
def test_answer_has_the_shape_that_the_host_accepts(memory, project, host, event):
    done = run(memory, host, event, prompt(project), project)
    assert done.returncode == 0
    assert done.stderr == b""
    name = SHAPES.get((host, event))
    if name:
        answer = json.loads(done.stdout)
        assert list(answer) == ["hookSpecificOutput"]
        assert list(answer["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
        assert answer["hookSpecificOutput"]["hookEventName"] == name
        assert FACT in answer["hookSpecificOutput"]["additionalContext"]
        assert len(answer["hookSpecificOutput"]["additionalContext"]) <= 1_000
    elif (host, event) == ("cursor", "session-start"):
        assert list(json.loads(done.stdout)) == ["additional_context"]
    elif host == "opencode" and event in {"session-start", "prompt"}:
        assert FACT in done.stdout.decode()
    else:
        assert done.stdout == b""


def test_project_is_found_from_the_folder_of_the_call(memory, project):
    inside = run(memory, "claude", "session-start", {"cwd": str(project)})
    outside = run(memory, "claude", "session-start", {"cwd": str(memory.parent)})
    assert FACT in inside.stdout.decode()
    assert silent(outside)


def test_shell_form_works_in_a_folder_with_spaces(memory, project):
    done = run(memory, "codex", "session-start", {}, project, shell=True)
    assert FACT in done.stdout.decode()


def test_ascii_locale_does_not_matter(memory, project):
    filled(memory, [trace("Пользователь предпочитает краткие ответы", base=0.9)])
    done = run(memory, "claude", "session-start", {}, project, LC_ALL="C", PYTHONUTF8="0")
    text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "Пользователь предпочитает краткие ответы" in text


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"   \n",
        b"not json",
        b"[1, 2]",
        b'{"prompt": null, "cwd": 7, "session_id": {}}',
        b'{"prompt": "\xff\xfe"}',
        b"\xef\xbb\xbf{}",
        b'{"cwd": "/nowhere/at/all", "prompt": "payments in cents"}',
        b'{"cwd": "a\\u0000b", "prompt": "payments in cents"}',
        json.dumps({"prompt": "payments " * 250_000}).encode(),
        b'{"prompt": "' + b"x" * 50_000_000 + b'"}',
    ],
    ids=[
        "empty",
        "blank",
        "no JSON",
        "array",
        "wrong types",
        "invalid UTF-8",
        "byte order mark",
        "missing folder",
        "NUL in a path",
        "2 MB prompt",
        "50 MB",
    ],
)
@pytest.mark.parametrize("event", ["session-start", "prompt"])
def test_any_input_ends_with_status_0_and_valid_output(memory, event, sent):
    done = run(memory, "claude", event, sent)
    assert done.returncode == 0
    assert done.stdout == b"" or json.loads(done.stdout)
    assert done.stderr.count(b"\n") <= 1
    assert b"Traceback" not in done.stderr


def test_closed_standard_input_is_an_empty_one(memory):
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{HOOK}' --path '{memory}' --project shop claude session-start <&-"],
        capture_output=True,
        env={"HOME": str(memory.parent), "PATH": "/usr/bin:/bin"},
        timeout=30,
        check=False,
    )
    assert done.returncode == 0
    assert FACT in done.stdout.decode()


def test_writer_that_never_finishes_is_left_at_the_deadline(memory):
    process = subprocess.Popen(
        [HOOK, "--path", str(memory), "claude", "prompt"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"HOME": str(memory.parent), "PATH": "/usr/bin:/bin"},
    )
    with process:
        process.stdin.write(b'{"prompt": "half')
        process.stdin.flush()
        assert process.wait(timeout=20) == 0
        assert process.stdout.read() == b""
        assert b"no answer within" in process.stderr.read()
    assert spool.pending_errors(str(memory)) == 1


@pytest.mark.parametrize("pieces", [1, 3])
def test_writer_that_keeps_its_pipe_open_is_answered(memory, project, pieces):
    content = json.dumps(prompt(project)).encode()
    size = -(-len(content) // pieces)
    command = [HOOK, "--path", str(memory), "claude", "prompt"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as hook:
        for start in range(0, len(content), size):
            hook.stdin.write(content[start : start + size])
            hook.stdin.flush()
        answer = json.loads(hook.stdout.read())
    assert FACT in answer["hookSpecificOutput"]["additionalContext"]


def test_missing_memory_is_silence_and_creates_nothing(tmp_path):
    for event in ("session-start", "prompt"):
        assert silent(run(tmp_path / "none", "claude", event, {"prompt": "anything at all"}))
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("event", ["session-start", "prompt"])
@pytest.mark.parametrize("damage", ["garbage", "foreign", "newer", "truncated"])
def test_store_that_cannot_be_used_is_one_line_and_noted(memory, project, damage, event):
    database = memory / "memory.db"
    content = bytearray(database.read_bytes())
    if damage == "garbage":
        content = bytearray(os.urandom(8192))
    elif damage == "truncated":
        content = content[:5000]
    else:
        offset = 68 if damage == "foreign" else 60
        content[offset : offset + 4] = (7_777).to_bytes(4, "big")
    database.write_bytes(content)
    (memory / "memory.db-wal").unlink()
    done = run(memory, "claude", event, prompt(project))
    assert silent(done)
    assert done.stderr.count(b"\n") == 1
    assert spool.pending_errors(str(memory)) == 1


def test_failures_never_quote_the_user(memory, project):
    (memory / "memory.db").write_bytes(b"x" * 8192)
    done = run(memory, "claude", "prompt", prompt(project, prompt="my password is hunter2"))
    assert b"hunter2" not in done.stderr
    for path in memory.rglob("*.json"):
        assert "hunter2" not in path.read_text()


def test_locked_store_can_still_be_read(memory, project):
    script = (
        "import apsw, sys\n"
        f"c = apsw.Connection({str(memory / 'memory.db')!r})\n"
        "c.execute('BEGIN IMMEDIATE'); c.execute('DELETE FROM meta')\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    holder.stdout.readline()
    try:
        assert FACT in run(memory, "claude", "session-start", prompt(project)).stdout.decode()
    finally:
        holder.communicate()


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_read(memory, project):
    memory.chmod(0o500)
    try:
        assert FACT in run(memory, "claude", "session-start", prompt(project)).stdout.decode()
    finally:
        memory.chmod(0o700)


def test_two_installed_copies_speak_once(memory, project):
    first = run(memory, "claude", "session-start", prompt(project, source="startup"))
    second = run(memory, "claude", "session-start", prompt(project, source="startup"))
    resumed = run(memory, "claude", "session-start", prompt(project, source="resume"))
    assert first.stdout
    assert silent(second)
    assert resumed.stdout


def test_a_session_is_not_told_the_same_twice_until_it_is_cleared(memory, project):
    assert run(memory, "claude", "prompt", prompt(project)).stdout
    assert silent(run(memory, "claude", "prompt", prompt(project, prompt_id="p2")))
    run(memory, "claude", "session-start", prompt(project, source="clear"))
    assert run(memory, "claude", "prompt", prompt(project, prompt_id="p3")).stdout


def test_summary_of_a_compaction_is_left_for_the_memory(memory, project):
    summary = "We moved the payments service to integer cents and fixed the rounding."
    done = run(memory, "claude", "post-compact", prompt(project, compact_summary=summary))
    assert silent(done)
    notes = [content for kind, content in spool.taken(str(memory)) if kind == "note"]
    assert [note["scope"] for note in notes] == ["shop"]
    assert summary in notes[0]["text"]
    assert notes[0]["session"] == "s1"


def test_end_of_a_session_leaves_the_last_exchange_without_recalled_lines(memory, project):
    recalled = "From realMemory, quoted as data:\n\u2022 #1 (2026-01-01, shop, trust high) canary"
    lines = [
        {"message": {"role": "user", "content": f"{recalled}\nFix the rounding in payments"}},
        {"message": {"role": "assistant", "content": [{"type": "text", "text": "Done: " * 20}]}},
    ]
    transcript = project / "t.jsonl"
    transcript.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n[]\n")
    run(memory, "claude", "session-end", prompt(project, transcript_path=str(transcript)))
    notes = [content["text"] for kind, content in spool.taken(str(memory)) if kind == "note"]
    assert len(notes) == 1
    assert "Fix the rounding in payments" in notes[0]
    assert "canary" not in notes[0]


def test_a_password_of_the_transcript_is_in_no_file_that_a_hook_leaves(memory, project):
    said = "The root password for db1 is Tr0ub4dor&3, as you said. " + "Done. " * 20
    lines = [
        {"message": {"role": "user", "content": "Use the wifi password hunter22, please"}},
        {"message": {"role": "assistant", "content": said}},
    ]
    transcript = project / "t.jsonl"
    transcript.write_text("\n".join(map(json.dumps, lines)))
    run(memory, "claude", "session-end", prompt(project, transcript_path=str(transcript)))
    (left,) = (memory / "inbox").iterdir()
    note = left.read_text(encoding="utf-8")
    assert note.count("[secret:stated_secret]") == 2
    assert "Tr0ub4dor" not in note
    assert "hunter22" not in note


def test_hot_path_loads_nothing_heavy(memory, project):
    heavy = ("numpy", "mcp", "pydantic", "click", "typing", "pathlib", "dataclasses", "argparse")
    for event in ("session-start", "prompt"):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", HOOK, "--path", str(memory), "claude", event],
            input=json.dumps(prompt(project)).encode(),
            capture_output=True,
            cwd=project,
            check=True,
        )
        assert FACT in done.stdout.decode()
        loaded = {
            line.rsplit("|", 1)[-1].strip()
            for line in done.stderr.decode().splitlines()
            if line.startswith("import time:")
        }
        assert "realmemory.store.glance" in loaded
        assert not loaded.intersection(heavy)


def test_module_entry_point_prints_a_brief(memory):
    command = [sys.executable, "-P", "-m", "realmemory.hook_cli", "brief", "--plain"]
    command += [f"--path={memory}", "--project", "shop", "--limit", "300"]
    done = subprocess.run(command, capture_output=True, input=b"", check=True)
    assert done.stdout.decode().startswith("realMemory holds 3 memories")
    assert len(done.stdout.decode()) <= 300


@pytest.mark.parametrize(
    "words", [[], ["claude"], ["claude", "nonsense"], ["vi", "stop"], ["--what"], ["--path"]]
)
def test_wrong_words_say_how_and_still_exit_with_0(words):
    done = subprocess.run([HOOK, *words], capture_output=True, input=b"", check=True)
    assert done.stdout == b""
    assert b"realmemory-hook" in done.stderr


def test_a_repository_cannot_smuggle_in_code(memory, project):
    for name in ("json.py", "realmemory.py", "apsw.py"):
        (project / name).write_text("raise SystemExit('smuggled')\n")
    done = run(memory, "claude", "session-start", {}, project)
    assert FACT in done.stdout.decode()
    shutil.rmtree(project)
