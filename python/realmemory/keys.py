"""The keys of encrypted memories: where they come from, and how they are kept from sight.

A key is 32 random bytes, used as they are: a password would have to be stretched at every start of
a hook. It comes from the caller, from ``REALMEMORY_KEY`` (64 hexadecimal digits), or from a file
that ``REALMEMORY_KEY_FILE`` names. Hooks import this module, so it loads nothing that is large.
"""

from __future__ import annotations

import os
import stat
import sys

from realmemory.errors import ConfigurationError, StoreRefusedError
from realmemory.places import FILE_VARIABLE, named_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn, Self

SIZE = 32
"""Bytes of a key."""
_MOST_BYTES = 64 * 1024
_NOTE = "# The key of a memory of realMemory. Whoever has this file can read it; without it nobody can.\n"


class Key:
    """One key. It shows itself to nobody but the caller of :meth:`hex`, and cannot be pickled.

    Args:
        secret: 32 bytes.
        source: The file that it was read from, if any.

    Raises:
        ConfigurationError: ``invalid_key``.
    """

    __slots__ = ("_secret", "source")

    def __init__(self, secret: bytes, *, source: str = "") -> None:
        if not isinstance(secret, bytes) or len(secret) != SIZE:
            raise invalid("the key")
        self._secret = secret
        self.source = source

    @classmethod
    def generate(cls) -> Self:
        """Return a new key, as random as the system can make it."""
        return cls(os.urandom(SIZE))

    @classmethod
    def parse(cls, text: str, *, source: str = "") -> Self:
        """Return the key that 64 hexadecimal digits stand for.

        Raises:
            ConfigurationError: ``invalid_key``; the message does not repeat the text.
        """
        try:
            digits = text.strip()
            secret = bytes.fromhex(digits) if len(digits) == 2 * SIZE else b""
        except (ValueError, AttributeError):
            secret = b""
        if len(secret) != SIZE:
            raise invalid(source or "the key")
        return cls(secret, source=source)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Return the key in a file, the first one of several.

        Raises:
            StoreRefusedError: ``encrypted``; there is no such file.
            ConfigurationError: ``unsafe_key`` or ``invalid_key``; others can read it, or it is none.
        """
        first = read(os.fspath(path))[0]
        return cls.parse(first.hex(), source=first.source)

    def hex(self) -> str:
        """Return the key itself, as 64 hexadecimal digits."""
        return self._secret.hex()

    @property
    def identity(self) -> str:
        """What tells this key from others and says nothing about it."""
        # Not from hashlib, which loads OpenSSL.
        from _blake2 import blake2b  # noqa: PLC0415 - only encrypted memories need it

        return blake2b(self._secret, digest_size=8, person=b"realmemory key").hexdigest()

    def __repr__(self) -> str:
        return f"Key(identity={self.identity!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._secret == other._secret

    def __hash__(self) -> int:
        return hash(self.identity)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not to be written down: give it to each process by itself")


def invalid(where: str) -> ConfigurationError:
    """Return the error of what is no key; it does not repeat what was given."""
    return ConfigurationError(
        f"{where} is no key: 64 hexadecimal digits (32 bytes) are; nothing was read or written. "
        "`realmemory encrypt` makes one.",
        code="invalid_key",
    )


def stated(given: Key | str | None, environ: Mapping[str, str] | None = None) -> tuple[Key, ...]:
    """Return the keys that a caller, else the environment, names; the likeliest first.

    Args:
        given: A key or its digits; the empty text for none, whatever the environment says.
        environ: The environment; the process's own by default.

    Raises:
        StoreRefusedError: ``encrypted``; the file that is named is not there.
        ConfigurationError: ``unsafe_key`` or ``invalid_key``.
    """
    if given is not None:
        if isinstance(given, Key):
            # While a key is being changed, its file holds the old one as well.
            return tuple(dict.fromkeys((given, *_beside(given))))
        return (Key.parse(given),) if given != "" else ()
    digits, path = named_key(environ)
    if digits:
        return (Key.parse(digits),)
    return read(path) if path else ()


def _beside(key: Key) -> tuple[Key, ...]:
    return read(key.source) if key.source and os.path.exists(key.source) else ()


def read(path: str) -> tuple[Key, ...]:
    """Return the keys in a file, one a line; several stand there while the key is changed.

    Raises:
        StoreRefusedError: ``encrypted``; there is no such file, or it cannot be read.
        ConfigurationError: ``unsafe_key`` or ``invalid_key``; others can read it, or it holds none.
    """
    path = os.path.abspath(path)
    try:
        with open(path, "rb") as file:
            _refuse_public(path, os.fstat(file.fileno()))
            lines = file.read(_MOST_BYTES).decode("ascii", "replace").splitlines()
    except OSError as error:
        raise StoreRefusedError(
            f"the key file {path} cannot be read ({error.strerror or error}); nothing was read or "
            f"written. Put it back, or name another one in {FILE_VARIABLE}.",
            code="encrypted",
        ) from error
    texts = [line.strip() for line in lines]
    found = tuple(Key.parse(text, source=path) for text in texts if text and text[0] != "#")
    if not found:
        raise invalid(path)
    return found


def _refuse_public(path: str, found: os.stat_result) -> None:
    if sys.platform == "win32":
        return
    foreign = found.st_uid not in {0, os.geteuid()} and os.geteuid() != 0
    if found.st_mode & 0o077 or foreign or not stat.S_ISREG(found.st_mode):
        raise ConfigurationError(
            f"the key file {path} can be read by others, belongs to another user or is no file; "
            "nothing was read or written. Only its owner may read it: `chmod 600` it.",
            code="unsafe_key",
        )


def written(keys: tuple[Key, ...]) -> bytes:
    """Return what a file of these keys holds; :func:`read` reads it."""
    return (_NOTE + "".join(f"{key.hex()}\n" for key in keys)).encode("ascii")
