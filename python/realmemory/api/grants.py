"""Tokens for the daemon: each reaches some scopes and nothing else. Only digests are kept."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from realmemory.agents.files import replace_file
from realmemory.errors import ConfigurationError, NotFoundError
from realmemory.scopes import GLOBAL_SCOPE, scope_key, validate_scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_log = logging.getLogger(__name__)

OWNER_ID = "owner"
"""Id of the grant of the user who runs the daemon; no other grant has it."""

_PREFIX = "rm_"
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Grant:
    """What one token may do.

    ``scopes`` are read and written; ``global`` is always read, because every project sees it, and
    written only with ``writes_global``. No scopes at all means everything.
    """

    id: str
    label: str
    digest: str
    scopes: tuple[str, ...] | None
    writes_global: bool
    created_at: float

    @property
    def reach(self) -> frozenset[str] | None:
        """Keys of the scopes that may be read; ``None`` is everything."""
        if self.scopes is None:
            return None
        return frozenset({GLOBAL_SCOPE, *map(scope_key, self.scopes)})

    @property
    def writes(self) -> frozenset[str] | None:
        """Keys of the scopes that may be written; ``None`` is everything."""
        if self.scopes is None:
            return None
        return frozenset(map(scope_key, self.scopes)) | (
            {GLOBAL_SCOPE} if self.writes_global else frozenset()
        )


def owner_grant(token: str) -> Grant:
    """Return the grant of the user who runs the daemon: everything."""
    return Grant(OWNER_ID, "owner", digest_of(token), None, writes_global=True, created_at=0.0)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return _PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class GrantBook:
    """The grants of one memory, in ``grants.json`` beside it.

    Args:
        directory: Directory of the memory.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / "grants.json"
        self._seen: tuple[int, int] | None = None
        self._grants: tuple[Grant, ...] = ()

    def all(self) -> tuple[Grant, ...]:
        """Return every grant; read anew when the file has changed.

        Raises:
            ConfigurationError: The file cannot be read; nobody is let in by it.
        """
        try:
            status = self._path.stat()
            seen = (status.st_mtime_ns, status.st_size)
            if seen != self._seen:
                loaded = json.loads(self._path.read_bytes())
                self._grants = tuple(_grant(entry) for entry in loaded["grants"])
                self._seen = seen
        except FileNotFoundError:
            self._grants, self._seen = (), None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{self._path} cannot be read ({type(error).__name__}); no token is accepted. "
                "Restore it, or delete it and mint new tokens."
            ) from error
        return self._grants

    def mint(
        self, scopes: Sequence[str] | None, *, label: str = "", writes_global: bool = False
    ) -> tuple[Grant, str]:
        """Make a token and return its grant and the token itself, which is not kept.

        Args:
            scopes: What it reaches; ``None`` for everything.
            label: What it is for.
            writes_global: Whether it may write to ``global`` too.

        Raises:
            InvalidInputError: A scope is invalid.
        """
        token = new_token()
        named = None if scopes is None else tuple(map(validate_scope, scopes))
        grant = Grant(
            id=secrets.token_hex(4),
            label=label[:80],
            digest=digest_of(token),
            scopes=named,
            writes_global=writes_global or named is None,
            created_at=time.time(),
        )
        self._write((*self.all(), grant))
        return grant, token

    def revoke(self, grant_id: str) -> Grant:
        """Take a grant back; a running daemon notices at the next request.

        Raises:
            NotFoundError: No grant has this id.
        """
        grants = self.all()
        found = next((grant for grant in grants if grant.id == grant_id), None)
        if found is None:
            raise NotFoundError(
                f"no token has the id {grant_id[:40]!r}; nothing was changed. "
                "See `realmemory token list`."
            )
        self._write(tuple(grant for grant in grants if grant is not found))
        return found

    def match(self, token: str, owner: Grant | None = None) -> Grant | None:
        """Return the grant of a token; every grant is compared, so that time tells nothing.

        A damaged file lets nobody in but the owner.
        """
        if len(token) > _LONGEST:
            return None
        digest = digest_of(token)
        try:
            grants = self.all()
        except ConfigurationError as error:
            _log.error("%s", error)
            grants = ()
        found = None
        for grant in (*grants, *((owner,) if owner else ())):
            if hmac.compare_digest(grant.digest, digest):
                found = grant
        return found

    def _write(self, grants: tuple[Grant, ...]) -> None:
        os.makedirs(self._path.parent, mode=0o700, exist_ok=True)  # noqa: PTH103 - sets the mode
        content = {"version": 1, "grants": [asdict(grant) for grant in grants]}
        replace_file(self._path, json.dumps(content, indent=1).encode() + b"\n")
        self._seen = None


def _grant(entry: dict[str, object]) -> Grant:
    scopes = entry["scopes"]
    return Grant(
        id=str(entry["id"]),
        label=str(entry.get("label", "")),
        digest=str(entry["digest"]),
        scopes=None if scopes is None else tuple(map(str, scopes)),  # type: ignore[call-overload]
        writes_global=bool(entry.get("writes_global")),
        created_at=float(str(entry.get("created_at", 0))),
    )
