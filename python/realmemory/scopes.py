"""Scopes: who should see a memory. A scope is data, never a path."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from realmemory.errors import InvalidInputError

GLOBAL_SCOPE = "global"
"""The scope that every project sees."""

_MAX_BYTES = 200
_LATIN_LOOKS = str.maketrans("авеікмнорстухјѕԁүԛԝαειοκρντυχ01", "abeikmhopctyxjsdyqwaeiokpvtuxol")
"""Cyrillic and Greek letters, and digits, that a reader takes for Latin ones."""
_SEPARATORS = re.compile(r"[._\-\s]+")


def validate_scope(scope: str) -> str:
    """Return ``scope`` in canonical form: NFC, no surrounding white space.

    Spelling variants are not merged here; :func:`scope_key` says which of them are the same.

    Raises:
        InvalidInputError: Not a string, empty, longer than 200 bytes, or holding control
            characters, separators of paths, or wildcards.
    """
    if not isinstance(scope, str):
        raise InvalidInputError(
            f"a scope is a project name or {GLOBAL_SCOPE!r}, got {scope!r}", code="invalid_scope"
        )
    return _canonical(scope)


@lru_cache(maxsize=256)
def _canonical(scope: str) -> str:
    name = unicodedata.normalize("NFC", scope).strip()
    problem = _problem(name)
    if problem:
        raise InvalidInputError(
            f"the scope {scope[:80]!r} {problem}; nothing was read or written. "
            f"Use a project name such as 'my-project', or {GLOBAL_SCOPE!r}.",
            code="invalid_scope",
        )
    return name


@lru_cache(maxsize=256)
def scope_key(scope: str) -> str:
    """Return the key under which spellings of one scope meet: ``My-App`` and ``my_app`` agree."""
    return _SEPARATORS.sub(".", unicodedata.normalize("NFC", scope).casefold())


def look_alike_key(name: str) -> str:
    """Return what names that look the same to a reader have in common; nothing is merged by it."""
    plain = scope_key(unicodedata.normalize("NFKC", name))
    return plain.translate(_LATIN_LOOKS)


def _problem(name: str) -> str | None:
    if not name:
        return "is empty"
    try:
        encoded = name.encode()
    except UnicodeEncodeError:
        return "holds a lone surrogate"
    if len(encoded) > _MAX_BYTES:
        return f"is longer than {_MAX_BYTES} bytes"
    if any(unicodedata.category(char).startswith("C") for char in name):
        return "holds control or invisible characters"
    if set(name) & set("/\\*?"):
        return "holds a path separator or a wildcard"
    if not name.strip("."):
        return "consists of dots"
    return None
