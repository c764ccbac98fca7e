"""Namespaces of the client, mapped onto scopes.

========================  ===========================  ==============================
namespace                 scope that it writes         what it recalls
========================  ===========================  ==============================
``project:<name>``        ``<name>``                   that project and ``global``
``default``, ``global``   ``global``                   ``global``
``user:local``            ``global``                   ``global``
``user:<name>``           ``user:<name>``              that user and ``global``
``team:<name>``           ``team:<name>``              that team and ``global``
``org:<name>``            ``org:<name>``               that organisation and ``global``
========================  ===========================  ==============================

All namespaces of one directory live in one database; names may be any valid scope.
"""

from __future__ import annotations

from realmemory.errors import InvalidInputError
from realmemory.scopes import GLOBAL_SCOPE, validate_scope


def scope_of(namespace: str) -> str:
    """Return the scope of a namespace, by the table of this module.

    Raises:
        InvalidInputError: ``invalid_scope``; it is none of the forms in the table.
    """
    if namespace in {"default", "global", "user:local"}:
        return GLOBAL_SCOPE
    sort, separator, name = str(namespace).partition(":")
    if not separator or sort not in {"project", "user", "team", "org"} or not name.strip():
        raise InvalidInputError(
            f"{str(namespace)[:80]!r} is not a namespace; nothing was read or written. Use "
            "project:<name>, user:<name>, team:<name>, org:<name>, global or default.",
            code="invalid_scope",
        )
    return validate_scope(name if sort == "project" else namespace)
