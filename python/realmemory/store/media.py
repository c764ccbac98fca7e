"""What a folder lies on: a write-ahead log needs memory that every process of the store shares."""

from __future__ import annotations

import re
from pathlib import Path

from realmemory.errors import StoreRefusedError

_MOUNTS = Path("/proc/self/mountinfo")
_SHARED_BY_MACHINES = frozenset(
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "fuse.sshfs", "ncpfs"]
)
_OCTAL = re.compile(rb"\\([0-7]{3})")


def check_local(folder: Path, mounts: Path = _MOUNTS) -> None:
    """Refuse a folder that several machines may write to at once.

    Processes of two machines have no memory in common, so each would read pages that the other
    has replaced. Systems without a list of mounts are not checked.

    Raises:
        StoreRefusedError: ``network_filesystem``.
    """
    kind = kind_of(folder, mounts)
    if kind in _SHARED_BY_MACHINES:
        raise StoreRefusedError(
            f"{folder} lies on a network file system ({kind}), where the write-ahead log of a "
            "store is not safe; nothing was made there. Keep the memory on a local disk and share "
            "it through `realmemory serve`, or carry it over with `realmemory export`.",
            code="network_filesystem",
        )


def kind_of(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the type of the file system that a folder lies on, or will, if that is known."""
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return None
    real = folder.resolve()
    best, kind = -1, None
    for line in lines:
        mount, separator, source = line.partition(b" - ")
        fields = mount.split()
        if not separator or len(fields) < 5:
            continue
        point = Path(_OCTAL.sub(_byte, fields[4]).decode(errors="surrogateescape"))
        # Of two mounts at one place the later one is seen.
        if len(point.parts) >= best and real.is_relative_to(point):
            best, kind = len(point.parts), source.split()[0].decode(errors="replace")
    return kind


def _byte(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])
