"""Install into coding agents and out of them again, file by file and byte by byte."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from realmemory.agents.edits import WholeFile
from realmemory.agents.files import replace_file
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.agents.edits import Edit
    from realmemory.agents.hosts import Commands, Host, Places

_KEPT_MODE = 0o777


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file: its content before and after; ``None`` means no file.

    ``original`` is what an untouched file goes back to at uninstall.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    original: bytes | None

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff; empty when there is none."""
        if not self.changes:
            return ""
        old, new = (
            (content or b"").decode("utf-8", "replace").splitlines(keepends=True)
            for content in (self.before, self.after)
        )
        lines = difflib.unified_diff(
            old,
            new,
            "/dev/null" if self.before is None else str(self.path),
            "/dev/null" if self.after is None else str(self.path),
        )
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


class Installer:
    """Plans and makes the changes for one user.

    Args:
        places: Where the hosts keep their files.
        data: Directory of the memory; receipts and backups live below it.
        commands: What the hosts are told to run.
    """

    def __init__(self, places: Places, data: Path, commands: Commands) -> None:
        self._places = places
        self._receipts = data / "agents"
        self._commands = commands

    def plan_install(self, host: Host) -> list[FileChange]:
        """Return the changes that install into ``host``; none when it is installed already.

        Raises:
            ConfigurationError: A file cannot be read or parsed, or holds a foreign entry of our
                name. Nothing was changed.
        """
        receipt = self._receipt(host)
        changes = []
        for path, edits in host.edits(self._places, self._commands).items():
            before = _content(path)
            known = receipt.get(str(path))
            if known and _digest(before) == known["after"]:
                original = self._backup(known)
            else:
                original = _reverted(path, before, edits) if known else before
            text = _applied(path, _text(path, original) or "", edits)
            changes.append(FileChange(path, before, text.encode(), original))
        return changes

    def plan_uninstall(self, host: Host) -> list[FileChange]:
        """Return the changes that take us out of ``host`` again.

        A file that nobody touched since goes back to its old bytes; from any other only our
        entries go.

        Raises:
            ConfigurationError: A file cannot be read or parsed. Nothing was changed.
        """
        receipt = self._receipt(host)
        edits_of = host.edits(self._places, self._commands)
        paths = dict.fromkeys([*map(Path, receipt), *edits_of])
        changes = []
        for path in paths:
            before = _content(path)
            known = receipt.get(str(path))
            if known and _digest(before) == known["after"]:
                after = self._backup(known)
            else:
                after = self._without_us(path, before, edits_of.get(path, ()), known)
            changes.append(FileChange(path, before, after, after))
        return changes

    def install(self, host: Host, changes: Iterable[FileChange]) -> None:
        """Make planned changes, with a backup of each file and a receipt.

        Raises:
            ConfigurationError: A file changed since it was planned, or cannot be written.
        """
        planned = list(changes)
        if not any(change.changes for change in planned):
            return
        earlier = self._receipt(host)
        own = _make_folders(self._receipts / "backups")
        files: dict[str, Any] = {}
        for change in planned:
            made = {*own, *_make_folders(change.path.parent)}
            made.update(earlier.get(str(change.path), {}).get("folders", ()))
            files[str(change.path)] = {
                "before": None if change.original is None else self._keep(change),
                "after": _digest(change.after),
                "folders": sorted(made),
            }
        content = {"version": 1, "host": host.name, "files": files}
        replace_file(self._receipt_path(host), json.dumps(content, indent=1).encode() + b"\n")
        for change in planned:
            _write(change)
        _drop_backups(self._receipts, earlier, keep=files)

    def uninstall(self, host: Host, changes: Iterable[FileChange]) -> None:
        """Make planned changes and drop the receipt, the backups and folders that are now empty.

        Raises:
            ConfigurationError: A file changed since it was planned, or cannot be written.
        """
        receipt = self._receipt(host)
        for change in changes:
            _write(change)
        _drop_backups(self._receipts, receipt, keep={})
        self._receipt_path(host).unlink(missing_ok=True)
        made = {folder for entry in receipt.values() for folder in entry["folders"]}
        self._remove_folders(made)

    def _remove_folders(self, made: set[str]) -> None:
        """Remove folders that installing made, as far as they are empty.

        One that another host still uses is kept in mind until the last one goes.
        """
        memo = self._receipts / ".folders"
        with suppress(OSError, ValueError):
            made.update(json.loads(memo.read_bytes()))
        others = any(self._receipts.glob("*.json"))
        if not others:
            memo.unlink(missing_ok=True)
        own = {str(self._receipts / "backups"), str(self._receipts)}
        for folder in sorted(made | own, key=len, reverse=True):
            with suppress(OSError):  # not empty: somebody else's files are in it
                os.rmdir(folder)  # noqa: PTH106 - as the line above says
        left = sorted(folder for folder in made if Path(folder).exists())
        if others and left:
            replace_file(memo, json.dumps(left).encode())

    def _without_us(
        self,
        path: Path,
        before: bytes | None,
        edits: Iterable[Edit],
        known: dict[str, Any] | None,
    ) -> bytes | None:
        """Return what is left of a file that somebody else wrote to after us."""
        own = [edit for edit in edits if isinstance(edit, WholeFile)]
        if own:
            ours = known is not None or before == own[0].body.encode()
            return self._backup(known) if known else None if ours else before
        after = _reverted(path, before, edits)
        created = known is not None and known["before"] is None
        return None if created and _holds_nothing(after) else after

    def installed(self, host: Host) -> bool:
        """Whether a receipt says that we are installed into ``host``."""
        return bool(self._receipt(host))

    def _receipt_path(self, host: Host) -> Path:
        return self._receipts / f"{host.name}.json"

    def _receipt(self, host: Host) -> dict[str, Any]:
        try:
            loaded = json.loads(self._receipt_path(host).read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"the receipt {self._receipt_path(host)} cannot be read: {error}. Nothing was "
                "changed. Move it away to continue without it."
            ) from error
        files: dict[str, Any] = loaded["files"]
        return files

    def _keep(self, change: FileChange) -> str:
        """Store the original beside the receipt, named by place and content."""
        original = change.original or b""
        place = hashlib.sha256(os.fsencode(change.path)).hexdigest()[:12]
        name = f"backups/{place}-{_digest(original)}-{change.path.name}"
        replace_file(self._receipts / name, original)
        return name

    def _backup(self, known: dict[str, Any]) -> bytes | None:
        if known["before"] is None:
            return None
        path: Path = self._receipts / known["before"]
        try:
            return path.read_bytes()
        except OSError as error:
            raise ConfigurationError(
                f"the backup {path} cannot be read: {error}. Nothing was changed."
            ) from error


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}. Nothing was changed.") from error


def _text(path: Path, content: bytes | None) -> str | None:
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"{path} is not UTF-8 text. It was left as it is; add the entry by hand."
        ) from error


def _applied(path: Path, text: str, edits: Iterable[Edit]) -> str:
    try:
        for edit in edits:
            text = edit.apply(text)
    except ValueError as error:
        raise _refusal(path, error) from error
    return text


def _reverted(path: Path, content: bytes | None, edits: Iterable[Edit]) -> bytes | None:
    text = _text(path, content)
    if text is None:
        return None
    try:
        for edit in reversed(tuple(edits)):
            text = edit.revert(text)
    except ValueError as error:
        raise _refusal(path, error) from error
    return text.encode()


def _refusal(path: Path, error: ValueError) -> ConfigurationError:
    return ConfigurationError(
        f"{path}: {error}. The file was left as it is; repair it, or add the entry by hand.",
        code="unreadable_host_config",
    )


def _holds_nothing(content: bytes | None) -> bool:
    return content is None or b"".join(content.split()) in {b"", b"{}"}


def _drop_backups(folder: Path, receipt: dict[str, Any], keep: dict[str, Any]) -> None:
    kept = {entry["before"] for entry in keep.values()}
    for entry in receipt.values():
        if entry["before"] and entry["before"] not in kept:
            (folder / entry["before"]).unlink(missing_ok=True)


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()[:32]


def _make_folders(folder: Path) -> list[str]:
    """Create ``folder`` and return those that did not exist, so that they can go again."""
    missing = [item for item in (folder, *folder.parents) if not item.exists()]
    for item in reversed(missing):
        item.mkdir(mode=0o700, exist_ok=True)
    return [str(item) for item in missing]


def _write(change: FileChange) -> None:
    if not change.changes:
        return
    if _content(change.path) != change.before:
        raise ConfigurationError(
            f"{change.path} was changed by another program in the meantime. It was left as it "
            "is; run the command again.",
            code="host_config_changed",
        )
    try:
        if change.after is None:
            change.path.unlink()
            return
        mode = change.path.stat().st_mode & _KEPT_MODE if change.before is not None else 0o600
        replace_file(change.path, change.after, mode)
    except OSError as error:
        raise ConfigurationError(f"{change.path} cannot be written: {error}") from error
