"""``team.json`` beside the memory: the shared folder, who publishes, and what may be shared."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from realmemory import strict_json
from realmemory.errors import ConfigurationError, RealMemoryError
from realmemory.policies.sharing import ProjectRule, SharingPolicy
from realmemory.scopes import validate_scope
from realmemory.store.directory import make_private, write_atomically
from realmemory.store.failures import translated
from realmemory.team.identity import checked_name, is_author_id
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG = "team.json"
_DEFAULTS = SharingPolicy()
_SHAREABLE = (Kind.EPISODIC, Kind.SEMANTIC)


@dataclass(frozen=True, slots=True)
class TeamSettings:
    """What the owner of a memory said about the team.

    Attributes:
        path: Where it is said.
        folder: The shared folder; nothing is shared without one.
        author: Who publishes.
        author_id: The id of that author's file, made once.
        store: A memory of somebody else's that is only read, as a folder.
        policy: What may be shared.
        stated: Everything that stands in the file, with what is unknown here.
    """

    path: Path
    folder: Path | None = None
    author: str = ""
    author_id: str = ""
    store: Path | None = None
    policy: SharingPolicy = _DEFAULTS
    stated: Mapping[str, Any] = field(default_factory=dict)


def load(directory: str | Path) -> TeamSettings:
    """Return what ``team.json`` in a folder says; a missing file says nothing.

    Raises:
        ConfigurationError: It cannot be read; nothing is shared.
    """
    path = Path(directory) / CONFIG
    try:
        stated = strict_json.parse(path.read_bytes())
        if not isinstance(stated, dict):
            raise _wrong("it", "an object", stated)
        return _settings(path, stated)
    except FileNotFoundError:
        return TeamSettings(path)
    except (OSError, RealMemoryError) as error:
        told = error.message if isinstance(error, RealMemoryError) else type(error).__name__
        raise ConfigurationError(
            f"{path} cannot be read ({told}); nothing is shared. Mend it, or make it anew with "
            "`realmemory team init FOLDER`."
        ) from error


def save(settings: TeamSettings, changes: Mapping[str, Any]) -> TeamSettings:
    """Write ``team.json`` with some keys changed and return what it says; other keys stay.

    Raises:
        StoreError: It cannot be written.
    """
    stated = {**settings.stated, **changes}
    content = json.dumps(stated, ensure_ascii=False, indent=2) + "\n"
    with translated(settings.path):
        make_private(settings.path.parent)
        write_atomically(settings.path, content.encode(), durable=True)
    return _settings(settings.path, stated)


def as_stated(policy: SharingPolicy) -> dict[str, Any]:
    """Return a policy as ``team.json`` says it, of its projects the names."""
    return {
        "projects": [rule.name for rule in policy.projects],
        "default_kinds": [str(kind) for kind in policy.default_kinds],
        "min_reinforcements": policy.min_reinforcements,
        "never": {"tags": list(policy.never_tags), "patterns": list(policy.never_patterns)},
    }


def _settings(path: Path, stated: Mapping[str, Any]) -> TeamSettings:
    author, author_id = stated.get("author"), stated.get("author_id")
    if author_id is not None and not is_author_id(author_id):
        raise _wrong("author_id", "32 hexadecimal digits, as `team init` makes them", author_id)
    never = stated.get("never", {})
    if not isinstance(never, dict):
        raise _wrong("never", "an object with tags and patterns", never)
    return TeamSettings(
        path=path,
        folder=_folder(stated, "folder", path),
        author="" if author is None else checked_name(author),
        author_id=author_id or "",
        store=_folder(stated, "store", path),
        policy=SharingPolicy(
            projects=tuple(_rule(item) for item in _list(stated, "projects")),
            default_kinds=_kinds(stated.get("default_kinds"), _DEFAULTS.default_kinds),
            min_reinforcements=_count(
                stated.get("min_reinforcements"), _DEFAULTS.min_reinforcements
            ),
            never_tags=_texts(never, "tags", _DEFAULTS.never_tags),
            never_patterns=_patterns(_texts(never, "patterns", ())),
        ),
        stated=stated,
    )


def _folder(stated: Mapping[str, Any], key: str, path: Path) -> Path | None:
    given = stated.get(key)
    if given is None:
        return None
    if not isinstance(given, str) or not given.strip() or "\0" in given:
        raise _wrong(key, "the path of a folder", given)
    return path.parent / Path(given).expanduser()


def _rule(item: object) -> ProjectRule:
    if isinstance(item, str):
        return ProjectRule(validate_scope(item))
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        raise _wrong("projects", "a list of names, or of objects with a name", item)
    least = item.get("min_reinforcements")
    kinds = item.get("kinds")
    return ProjectRule(
        validate_scope(item["name"]),
        None if kinds is None else _kinds(kinds, ()),
        None if least is None else _count(least, 0),
    )


def _list(stated: Mapping[str, Any], key: str) -> list[Any]:
    given = stated.get(key)
    if given is None:
        return []
    if not isinstance(given, list):
        raise _wrong(key, "a list", given)
    return given


def _kinds(given: object, default: tuple[Kind, ...]) -> tuple[Kind, ...]:
    if given is None:
        return default
    if not isinstance(given, list) or any(kind not in _SHAREABLE for kind in given):
        raise _wrong("kinds", f"a list of {' and '.join(_SHAREABLE)}", given)
    return tuple(Kind(kind) for kind in given)


def _count(given: object, default: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise _wrong("min_reinforcements", "a whole number of at least 0", given)
    return given


def _texts(stated: Mapping[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
    if stated.get(key) is None:
        return default
    given = _list(stated, key)
    if any(not isinstance(text, str) or not text.strip() for text in given):
        raise _wrong(f"never.{key}", "a list of texts", given)
    return tuple(given)


def _patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise _wrong("never.patterns", f"regular expressions ({error})", pattern) from error
    return patterns


def _wrong(key: str, wanted: str, given: object) -> ConfigurationError:
    return ConfigurationError(f"{key} should be {wanted}, got {given!r:.100}")
