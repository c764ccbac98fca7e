"""The names of projects and the evidence they are recognised by: ``projects.json``."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager

from realmemory.agents.files import replace_file
from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.scopes import GLOBAL_SCOPE, scope_key, validate_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FILE = "projects.json"
_EVIDENCE_KEPT = 12


class ProjectRegistry:
    """Names of projects beside the memory they belong to.

    Args:
        directory: The memory's directory. It is created at the first :meth:`claim`.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.path = os.path.join(directory, _FILE)

    def projects(self) -> dict[str, list[str]]:
        """Return the evidence of each name; empty when the file is missing or damaged."""
        try:
            with open(self.path, "rb") as file:
                loaded = json.load(file)
        except (OSError, ValueError):
            return {}
        found = loaded.get("projects") if isinstance(loaded, dict) else None
        if not isinstance(found, dict):
            return {}
        return {
            name: [item for item in evidence if isinstance(item, str)]
            for name, evidence in found.items()
            if isinstance(evidence, list)
        }

    def name_of(self, evidence: Sequence[str]) -> str | None:
        """Return the name that this evidence belongs to, the strongest evidence first."""
        return _name_of(self.projects(), evidence)

    def free_name(self, base: str, evidence: Sequence[str]) -> str:
        """Return ``base``, or ``base-<digest>`` when another project holds that spelling."""
        return _free_name(self.projects(), base, evidence)

    def claim(self, name: str, evidence: Sequence[str]) -> str:
        """Remember that ``evidence`` belongs to ``name``; return the name it ends up with."""
        with self._edit() as projects:
            settled = _name_of(projects, evidence) or _free_name(projects, name, evidence)
            held = projects.setdefault(settled, [])
            held[:] = [*evidence, *(item for item in held if item not in evidence)][:_EVIDENCE_KEPT]
        return settled

    def rename(self, old: str, new: str) -> None:
        """Give a project another name.

        Raises:
            NotFoundError: ``old`` is unknown; the message names the nearest.
            InvalidInputError: ``new`` is invalid, or another project's name.
        """
        new = validate_scope(new)
        with self._edit() as projects:
            found = _spelling(projects, old)
            if found is None:
                raise unknown_project(old, projects)
            holder = _spelling(projects, new)
            if scope_key(new) == GLOBAL_SCOPE or (holder is not None and holder != found):
                raise InvalidInputError(
                    f"{new!r} is already taken; nothing was changed. "
                    "Merge the two projects instead, or choose another name.",
                    code="invalid_scope",
                )
            projects[new] = projects.pop(found)

    def merge(self, source: str, target: str) -> None:
        """Let everything that named ``source`` name ``target``.

        Raises:
            NotFoundError: One of them is unknown.
        """
        with self._edit() as projects:
            names = [_spelling(projects, name) for name in (source, target)]
            for given, found in zip((source, target), names, strict=True):
                if found is None:
                    raise unknown_project(given, projects)
            old, new = str(names[0]), str(names[1])
            if old != new:
                moved = projects.pop(old)
                projects[new] += [item for item in moved if item not in projects[new]]

    @contextmanager
    def _edit(self) -> Iterator[dict[str, list[str]]]:
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        with _locked(self.path + ".lock"):
            projects = self.projects()
            before = json.dumps(projects)
            yield projects
            if json.dumps(projects) != before:
                replace_file(self.path, _encoded(projects))


def nearest_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that ``name`` may have meant, the likeliest first."""
    import difflib  # noqa: PLC0415 - only a miss needs it

    by_key = {scope_key(item): item for item in sorted(known)}
    close = difflib.get_close_matches(scope_key(name), by_key, n=3, cutoff=0.6)
    return [by_key[key] for key in close]


def unknown_project(name: str, known: Iterable[str]) -> NotFoundError:
    """Return the error for a project that nothing is known about."""
    close = nearest_names(name, known)
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    return NotFoundError(
        f"no memory belongs to a project {name!r}.{hint} "
        "Leave the project out for the current one, or list them with `realmemory projects list`.",
        code="unknown_project",
    )


def _name_of(projects: dict[str, list[str]], evidence: Sequence[str]) -> str | None:
    for item in evidence:
        for name, held in projects.items():
            if item in held and not _contradicts(item, evidence, held):
                return name
    return None


def _contradicts(item: str, evidence: Sequence[str], held: list[str]) -> bool:
    """A place proves nothing once either side is known better: another clone may live there now."""
    if not item.startswith("path:"):
        return False
    return any(
        any(one.startswith(kind) for one in evidence) or any(one.startswith(kind) for one in held)
        for kind in ("id:", "remote:")
    )


def _free_name(projects: dict[str, list[str]], base: str, evidence: Sequence[str]) -> str:
    taken = {scope_key(name) for name in projects} | {GLOBAL_SCOPE}
    if scope_key(base) not in taken:
        return base
    import hashlib  # noqa: PLC0415 - only a clash of names needs it

    # The weakest evidence, because the id is not yet written when a name is first proposed.
    digest = hashlib.sha256(evidence[-1].encode()).hexdigest()[:6]
    return f"{base}-{digest}"


def _spelling(projects: dict[str, list[str]], name: str) -> str | None:
    key = scope_key(name)
    return next((known for known in projects if scope_key(known) == key), None)


def _encoded(projects: dict[str, list[str]]) -> bytes:
    content = {"version": 1, "projects": projects}
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


@contextmanager
def _locked(path: str) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - does not exist on Windows

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
