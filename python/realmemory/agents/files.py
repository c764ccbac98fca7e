"""Files that are replaced in one step."""

from __future__ import annotations

import os


def replace_file(path: str | os.PathLike[str], content: bytes, mode: int = 0o600) -> None:
    """Put ``content`` at ``path`` so that a reader sees the old file or the new, never a part.

    A symbolic link stays one: the file that it points to is replaced.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            if hasattr(os, "fchmod"):  # the umask must not take away what the old file had
                os.fchmod(handle, mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
