"""Who publishes: a name for people, a random id for machines, and the one file of both."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import unicodedata
from typing import TYPE_CHECKING

from realmemory.errors import ConfigurationError, InvalidInputError
from realmemory.safety import masked_name
from realmemory.scopes import look_alike_key

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME_VARIABLE = "REALMEMORY_IDENTITY"
MAX_NAME = 64
"""Longest name of an author, characters."""
SUFFIX = ".jsonl"
_ID = re.compile(r"[0-9a-f]{32}")
_ID_SHOWN = 12
_UNSAFE = re.compile(r"[^a-z0-9]+")
_GIT_WAIT_S = 5.0


def new_author_id() -> str:
    """Return a random id, 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_author_id(value: object) -> bool:
    """Say whether a value can be the id of an author."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def chosen_name(stated: str | None, environ: Mapping[str, str] | None = None) -> str:
    """Return the name to publish under: as stated, ``REALMEMORY_IDENTITY``, git's ``user.name``.

    Raises:
        ConfigurationError: ``no_author``; none of them says one.
        InvalidInputError: ``invalid_author``; it cannot be the name of an author.
    """
    environ = os.environ if environ is None else environ
    given = environ.get(NAME_VARIABLE, "").strip() if stated is None else stated
    name = given if given or stated is not None else _git_name()
    if not name and stated is None:
        raise ConfigurationError(
            f"nothing says who publishes; nothing was made. Name yourself with --as, in "
            f"{NAME_VARIABLE}, or with `git config user.name`.",
            code="no_author",
        )
    return checked_name(name)


def checked_name(name: object) -> str:
    """Return the name of an author in canonical form (NFC, no surrounding white space).

    Raises:
        InvalidInputError: ``invalid_author``; no text, blank, too long, or with invisible
            characters or a secret.
    """
    plain = unicodedata.normalize("NFC", name).strip() if isinstance(name, str) else ""
    hidden = any(unicodedata.category(char).startswith(("C", "Zl", "Zp")) for char in plain)
    if not plain or len(plain) > MAX_NAME or hidden or masked_name(plain) != plain:
        raise InvalidInputError(
            f"an author is named by 1 to {MAX_NAME} visible characters, got {name!r:.100}; nothing "
            "was changed",
            code="invalid_author",
        )
    return plain


def name_key(name: str) -> str:
    """Return what two names have in common that a reader could take for one."""
    return look_alike_key(name)


def file_name(name: str, author_id: str) -> str:
    """Return the name of an author's file: safe on every system, readable, and nobody else's."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    stem = _UNSAFE.sub("-", plain.encode("ascii", "ignore").decode()).strip("-")[:40]
    return f"{stem or 'author'}-{author_id[:_ID_SHOWN]}{SUFFIX}"


def _git_name() -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed question to the git of this user
            [git, "config", "user.name"],
            capture_output=True,
            timeout=_GIT_WAIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()
