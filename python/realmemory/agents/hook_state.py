"""What hooks must remember between two calls: what ran, what was shown, when it slept.

Small files below the memory's directory; losing them costs a repetition and nothing else.
"""

from __future__ import annotations

import json
import os
import time

from realmemory.agents.files import replace_file

_FOLDER = "hooks"
_TWICE_S = 10.0
_KEPT_S = 2 * 86_400.0
_SHOWN_KEPT = 200
SLEEP_EVERY_S = 600.0


def first_time(directory: str, session: str, event: str, detail: str = "") -> bool:
    """Return whether this call is the first of its kind in the last seconds.

    A plugin and a settings file may both install the hook, and then it runs twice at once. Only
    one of the two may speak.
    """
    if not session:
        return True
    name = _name(session, event, detail)
    now = time.time()
    bucket = int(now // _TWICE_S)
    before = os.path.join(directory, _FOLDER, f"{name}.{bucket - 1}")
    try:
        if now - os.path.getmtime(before) < _TWICE_S:
            return False
    except OSError:
        pass
    try:
        os.close(
            os.open(
                os.path.join(_folder(directory), f"{name}.{bucket}"),
                os.O_CREAT | os.O_EXCL | os.O_WRONLY,
                0o600,
            )
        )
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def shown(directory: str, session: str) -> frozenset[int]:
    """Return the ids that this session has been shown."""
    try:
        with open(_shown_path(directory, session), "rb") as file:
            return frozenset(int(item) for item in json.load(file))
    except (OSError, ValueError, TypeError):
        return frozenset()


def remember_shown(directory: str, session: str, ids: list[int]) -> None:
    """Add ids to what this session has been shown."""
    if not session or not ids:
        return
    kept = [*shown(directory, session), *ids][-_SHOWN_KEPT:]
    _folder(directory)
    replace_file(_shown_path(directory, session), json.dumps(kept).encode())


def forget_shown(directory: str, session: str) -> None:
    """Let a session be shown everything again, because its context was cleared."""
    try:
        os.unlink(_shown_path(directory, session))
    except OSError:
        return


def may_sleep(directory: str) -> bool:
    """Return whether the last sleep is long enough ago, and take note of this one."""
    path = os.path.join(directory, _FOLDER, "last-sleep")
    try:
        if 0 <= time.time() - os.path.getmtime(path) < SLEEP_EVERY_S:
            return False
    except OSError:
        pass
    _folder(directory)
    replace_file(path, b"")
    return True


def tidy(directory: str) -> None:
    """Drop what is older than two days."""
    folder = os.path.join(directory, _FOLDER)
    limit = time.time() - _KEPT_S
    try:
        for entry in os.scandir(folder):
            if entry.stat().st_mtime < limit:
                os.unlink(entry.path)
    except OSError:
        return


def _folder(directory: str) -> str:
    folder = os.path.join(directory, _FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _shown_path(directory: str, session: str) -> str:
    return os.path.join(directory, _FOLDER, f"{_name(session, 'shown', '')}.json")


def _name(session: str, event: str, detail: str) -> str:
    import hashlib  # noqa: PLC0415 - loads OpenSSL; only when a session is known

    key = f"{session}\0{event}\0{detail}".encode("utf-8", "replace")
    return hashlib.blake2b(key, digest_size=12).hexdigest()
