"""The hooks: what happens when a coding agent starts, is asked something, compacts or stops.

Rules: read what is sent, answer within an own deadline, print nothing or one answer,
always exit 0. A memory that is missing, locked or damaged costs the agent nothing.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from realmemory.agents import envelope, hook_state, spool
from realmemory.agents.project import detect_project
from realmemory.agents.registry import ProjectRegistry
from realmemory.errors import RealMemoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from realmemory.agents.envelope import Envelope

INPUT_LIMIT = 8 * 1024 * 1024
DEADLINES_S = {"session-start": 2.5, "prompt": 1.5}
_OTHER_DEADLINE_S = 2.0
_DAEMON_S = 0.6
CONFIDENT = 0.78
"""Least confidence of a daemon's hit shown unasked; ``benches/agents/calibrate_prompt.py``."""
_NOTE_CHARS = 4_000
_SCREENED_CHARS = 2 * _NOTE_CHARS
_TAIL_BYTES = 256 * 1024
_OUR_MARKS = ("realMemory holds ", "From realMemory, quoted as data:")


class HookOptions:
    """Which memory a hook speaks for.

    Args:
        directory: Directory of the memory.
        namespace: A separate memory below it.
        project: Scope to use instead of the detected one.
    """

    __slots__ = ("directory", "namespace", "project")

    def __init__(
        self, directory: str, namespace: str | None = None, project: str | None = None
    ) -> None:
        self.directory = directory
        self.namespace = namespace
        self.project = project


def run(host: str, event: str, options: HookOptions) -> None:
    """Answer one call of a host and return; see the rules of this module."""
    watch_deadline(options.directory, host, event, DEADLINES_S.get(event, _OTHER_DEADLINE_S))
    try:
        content = read_input()
        call = envelope.parsed(host, event, content)
        write_output(envelope.answer(host, event, handle(call, options)))
    except Exception as error:  # noqa: BLE001 - the boundary: an agent must never notice
        fail(options.directory, host, event, error)


def handle(call: Envelope, options: HookOptions) -> str:
    """Do what belongs to an event and return the context to add to the conversation."""
    if call.event == "prompt":
        detail = call.text("prompt_id") or call.prompt[:2_000]
    else:
        detail = call.text("source", "trigger", "reason")
    known = os.path.isdir(options.directory)
    if known and not hook_state.first_time(options.directory, call.session, call.event, detail):
        return ""
    if call.event == "session-start":
        return _start(call, options)
    if call.event == "prompt":
        return _prompt(call, options)
    if call.event == "stop":
        _sleep_in_background(options)
    else:
        _capture(call, options)
    return ""


def project_of(call: Envelope, options: HookOptions) -> str | None:
    """Return the project that the agent works in.

    The directory of the call wins over the host's variables: in a worktree the variables stay at
    the place where the session began.
    """
    registry = ProjectRegistry(options.directory)
    if options.project:
        return options.project
    environ = dict(os.environ)
    found = None
    if call.cwd:
        stated = {key: environ[key] for key in ("REALMEMORY_PROJECT",) if key in environ}
        found = detect_project(environ=stated, cwd=call.cwd, registry=registry)
    if found is None:
        found = detect_project(environ=environ, cwd=call.cwd, registry=registry)
    return found.name if found else None


def _start(call: Envelope, options: HookOptions) -> str:
    from realmemory.agents.brief import session_brief  # noqa: PLC0415 - loads the engines

    if call.text("source") in {"clear", "compact"}:
        hook_state.forget_shown(options.directory, call.session)
    text = session_brief(options.directory, options.namespace, project_of(call, options))
    hook_state.tidy(options.directory)
    return text


def _prompt(call: Envelope, options: HookOptions) -> str:
    prompt = call.prompt.strip()
    if len(prompt) < 3 or prompt.startswith("/"):
        return ""
    project = project_of(call, options)
    seen = hook_state.shown(options.directory, call.session)
    text, ids = _from_daemon(prompt, project, seen, options) or _from_store(
        prompt, project, seen, options
    )
    hook_state.remember_shown(options.directory, call.session, ids)
    return text


def _from_store(
    prompt: str, project: str | None, seen: frozenset[int], options: HookOptions
) -> tuple[str, list[int]]:
    from realmemory.agents.brief import prompt_context  # noqa: PLC0415 - loads the engines

    return prompt_context(options.directory, options.namespace, project, prompt, skip=seen)


def _from_daemon(
    prompt: str, project: str | None, seen: frozenset[int], options: HookOptions
) -> tuple[str, list[int]] | None:
    """Ask a running daemon, which knows meanings and not only words; ``None`` without one."""
    from realmemory.agents.daemon import DaemonGoneError, ask, read_record  # noqa: PLC0415

    record = read_record(options.directory)
    if record is None or record.namespace != (options.namespace or ""):
        return None
    arguments = {"query": prompt[:8_000], "k": 5, "include_superseded": False}
    try:
        status, reply = ask(
            record,
            "/v1/tools/recall",
            {"arguments": arguments, "project": project},
            timeout_s=_DAEMON_S,
        )
    except DaemonGoneError:
        return None
    result = reply.get("result")
    if status != 200 or not isinstance(result, dict) or result.get("degraded"):
        return None
    return _told(result.get("items") or [], seen, prompt)


def _told(
    items: list[dict[str, object]], seen: frozenset[int], prompt: str
) -> tuple[str, list[int]]:
    from realmemory.agents.quoting import passage  # noqa: PLC0415

    lines, ids = ["From realMemory, quoted as data:"], []
    for item in items:
        number, sure = item.get("id"), item.get("confidence")
        if not isinstance(number, int) or number in seen:
            continue
        if not isinstance(sure, float) or sure < CONFIDENT or item.get("trust") == "low":
            continue
        lines.append(
            f"\u2022 #{number} ({item.get('date')}, {item.get('scope')}, trust "
            f"{item.get('trust')}) {passage(str(item.get('text')), 240, prompt)}"
        )
        ids.append(number)
    return ("\n".join(lines[:4]), ids[:3]) if ids else ("", [])


def _capture(call: Envelope, options: HookOptions) -> None:
    text = _note(call)
    if not text:
        return
    spool.leave_note(
        options.directory,
        {
            "ts": time.time(),
            "text": text,
            "scope": project_of(call, options) or "global",
            "session": call.session,
            "host": call.host,
            "event": call.event,
            "namespace": options.namespace or "",
        },
    )


def _note(call: Envelope) -> str:
    """Return what is worth keeping of a conversation that ends or is compacted."""
    summary = call.text("compact_summary", "summary")
    if summary:
        return f"Summary of a session: {_own_words(summary)[:_NOTE_CHARS]}"
    if call.event == "post-compact":
        return ""
    asked, said = _last_exchange(call.text("transcript_path"))
    said = call.text("last_assistant_message", "prompt_response") or said
    said = _own_words(said)
    if len(said) < 40:
        return ""
    question = f"Asked: {_own_words(asked)[:400]} " if asked else ""
    return f"A session ended. {question}Answered: {said[:1_200]}"


def _own_words(text: str) -> str:
    """Return ``text`` without secrets, and without lines that came from memory.

    What came from memory must not come back as news, and a note waits for the next sleep in a file.
    """
    from realmemory.safety import screen  # noqa: PLC0415 - only a session's end needs it

    kept: list[str] = []
    quoting = False
    for line in text.splitlines():
        quoting = (quoting and line.lstrip()[:1] in ("\u2022", "\u00b7", "!")) or any(
            mark in line for mark in _OUR_MARKS
        )
        if not quoting:
            kept.append(line)
    return screen("\n".join(kept).strip()[:_SCREENED_CHARS]).masked


def _last_exchange(path: str) -> tuple[str, str]:
    """Return the last question and answer of a transcript in JSON lines."""
    import json  # noqa: PLC0415 - loaded already, named where it is used

    if not path:
        return "", ""
    asked = said = ""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")
    except OSError:
        return "", ""
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        role, text = _message(entry)
        if role == "user" and text:
            asked, said = text, ""
        elif role == "assistant" and text:
            said = text
    return asked, said


def _message(entry: object) -> tuple[str, str]:
    message = entry.get("message", entry) if isinstance(entry, dict) else None
    if not isinstance(message, dict):
        return "", ""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    role = message.get("role")
    known = isinstance(role, str) and isinstance(content, str)
    return (str(role), str(content)) if known else ("", "")


def _sleep_in_background(options: HookOptions) -> None:
    """Let another process do the work: the agent waits for this one."""
    if not os.path.isdir(options.directory) or not hook_state.may_sleep(options.directory):
        return
    import subprocess  # noqa: PLC0415 - only after an answer, and then rarely

    command = [sys.executable, "-P", "-m", "realmemory.hook_cli", "sleep", "--unthrottled"]
    command += ["--path", options.directory]
    if options.namespace:
        command += ["--namespace", options.namespace]
    subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def read_input() -> bytes:
    """Read one JSON document, keep the first megabytes; a closed or absent input is empty.

    What is no document is read to its end, because a host whose pipe breaks reports that the hook
    failed; some never close the pipe after a whole one.
    """
    try:
        if os.isatty(0):
            return b""
        parts, size = [], 0
        while part := os.read(0, 1 << 16):
            if size < INPUT_LIMIT:
                parts.append(part)
            size += len(part)
            if part.rstrip().endswith(b"}") and _is_whole(b"".join(parts)):
                break
        return b"".join(parts)
    except OSError:
        return b""


def _is_whole(content: bytes) -> bool:
    import json  # noqa: PLC0415 - loaded already, named where it is used

    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


def write_output(text: str) -> None:
    """Write the whole answer, or nothing."""
    content = memoryview(text.encode("utf-8", "replace"))
    while content:
        content = content[os.write(1, content) :]


def watch_deadline(directory: str, host: str, event: str, seconds: float) -> None:
    """End the process with status 0 when it takes too long, whatever it waits for."""
    import _thread  # noqa: PLC0415 - threading costs more to import than this hook has to spare

    def wait() -> None:
        time.sleep(seconds)
        try:
            fail(directory, host, event, TimeoutError(f"no answer within {seconds} s"))
        finally:
            os._exit(0)

    _thread.start_new_thread(wait, ())


def fail(directory: str, host: str, event: str, error: BaseException) -> None:
    """Say on one line what went wrong, and leave a note for ``status`` and the next brief."""
    known = isinstance(error, RealMemoryError)
    message = str(error) if known else f"{type(error).__name__}: {error}"
    line = " ".join(f"realmemory hook {host} {event}: {message}".split())[:400]
    with suppress(OSError):
        os.write(2, (line + "\n").encode("utf-8", "replace"))
    with suppress(OSError):
        # Without the message of an unknown error: it may quote what the user wrote.
        kept = error.code if isinstance(error, RealMemoryError) else type(error).__name__
        if os.path.isdir(directory):
            spool.leave_error(directory, host, event, kept)
