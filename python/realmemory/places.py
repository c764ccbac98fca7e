"""Where realMemory keeps its files, found without loading anything.

Hooks run this on every prompt: ``pathlib``, ``typing`` and ``platformdirs`` would each cost as much
as the interpreter itself, so paths are strings here.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PATH_VARIABLE = "REALMEMORY_PATH"
KEY_VARIABLE = "REALMEMORY_KEY"
FILE_VARIABLE = "REALMEMORY_KEY_FILE"
SEAL = "encryption.json"
"""In the folder of an encrypted store: which key opens it, and where that is kept."""


def data_directory(
    explicit: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> str:
    """Return the directory of the memory: ``explicit``, ``REALMEMORY_PATH``, or the user's own.

    The last one is what ``platformdirs.user_data_dir("realmemory", appauthor=False)`` names.

    Raises:
        ConfigurationError: ``no_home``; it lies below a home directory that nothing names.
    """
    environ = os.environ if environ is None else environ
    chosen = os.fspath(explicit) if explicit is not None else environ.get(PATH_VARIABLE, "").strip()
    if chosen:
        chosen = os.path.expanduser(chosen)
        if chosen.startswith(("~/", "~\\")) or chosen == "~":
            raise _homeless()
        return os.path.abspath(chosen)
    return os.path.join(_user_data(environ), "realmemory")


def names_key(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the environment names a key for memories."""
    return any(named_key(environ))


def named_key(environ: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Return the digits of a key and the file of one, as the environment names them; else empty."""
    environ = os.environ if environ is None else environ
    digits, path = (environ.get(name, "").strip() for name in (KEY_VARIABLE, FILE_VARIABLE))
    return digits, os.path.expanduser(path)


def key_file(environ: Mapping[str, str] | None = None) -> str:
    """Return where the key of encrypted memories is kept when nobody names another place.

    Where the system keeps settings, and never in the folder of a memory.

    Raises:
        ConfigurationError: ``no_home``; it lies below a home directory that nothing names.
    """
    environ = os.environ if environ is None else environ
    if sys.platform in {"darwin", "win32"}:
        # Settings lie beside the data there.
        return os.path.join(_user_data(environ), "realmemory-keys", "memory.key")
    stated = environ.get("XDG_CONFIG_HOME", "").strip()
    settings = stated or os.path.join(home_directory(environ), ".config")
    return os.path.join(settings, "realmemory", "memory.key")


def checked_path(given: object) -> str:
    """Return the path of a folder as it was given, if it can be the path of a memory.

    Raises:
        InvalidInputError: ``invalid_path``; no path, an empty one, or one that is no UTF-8.
    """
    try:
        path = os.fspath(given)  # type: ignore[call-overload]  # which refuses what is no path
        if isinstance(path, str) and path and "\0" not in path and path.encode():
            return path
    except (TypeError, UnicodeEncodeError):
        pass
    from realmemory.errors import InvalidInputError  # noqa: PLC0415 - a hook hardly ever needs it

    raise InvalidInputError(
        f"the path of a memory is the name of a folder in UTF-8, got {given!r:.120}; nothing was "
        "read or made. Give another path.",
        code="invalid_path",
    )


def refuse_inside(target: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Refuse a file to write that lies in the folder of a memory, whose own files stand there.

    Raises:
        InvalidInputError: ``inside_memory``.
    """
    place, within = (os.path.normcase(os.path.realpath(path)) for path in (target, folder))
    if place != within and not place.startswith(os.path.join(within, "")):
        return
    from realmemory.errors import InvalidInputError  # noqa: PLC0415 - a hook hardly ever needs it

    raise InvalidInputError(
        f"{os.fspath(target)} lies in the folder of the memory itself, {within}, and could replace "
        "what it consists of; nothing was written. Name a file elsewhere.",
        code="inside_memory",
    )


def home_directory(environ: Mapping[str, str] | None = None) -> str:
    """Return the user's home as the environment says it, else as the system does.

    Raises:
        ConfigurationError: ``no_home``; neither names one.
    """
    environ = os.environ if environ is None else environ
    named = environ.get("USERPROFILE" if sys.platform == "win32" else "HOME", "")
    home = named or _account_home()
    if not home or home.startswith("~"):
        # What could not be expanded would become a folder of that name wherever one stands.
        raise _homeless()
    return home


def _account_home() -> str:
    """Return the home of the account; an empty variable says no more of it than none."""
    if sys.platform == "win32" or os.environ.get("HOME") != "":
        return os.path.expanduser("~")
    import pwd  # noqa: PLC0415 - hardly ever needed

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _homeless() -> Exception:
    from realmemory.errors import ConfigurationError  # noqa: PLC0415 - hardly ever needed

    return ConfigurationError(
        "this user has no home directory, so there is no place for a memory; nothing was read or "
        f"made. Set {PATH_VARIABLE}, or name a folder with --path.",
        code="no_home",
    )


def _user_data(environ: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return os.path.join(home_directory(environ), "Library", "Application Support")
    if sys.platform == "win32":
        stated, below = environ.get("LOCALAPPDATA", ""), ("AppData", "Local")
    else:
        stated, below = environ.get("XDG_DATA_HOME", "").strip(), (".local", "share")
    return stated or os.path.join(home_directory(environ), *below)
