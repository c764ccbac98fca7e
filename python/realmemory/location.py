"""Where a memory lives on this machine when the caller does not say."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

from realmemory.errors import ConfigurationError

PATH_VARIABLE = "REALMEMORY_PATH"
"""Environment variable that names the directory of the memory; empty means unset."""


def default_directory() -> Path:
    """Return the directory that the command line, the servers and the hooks share.

    That is ``REALMEMORY_PATH`` when it is set, otherwise the user's data directory of the
    operating system.

    Raises:
        ConfigurationError: The variable starts with ``~`` of an unknown user.
    """
    stated = os.environ.get(PATH_VARIABLE, "").strip()
    if not stated:
        return user_data_path("realmemory", appauthor=False)
    try:
        return Path(stated).expanduser()
    except RuntimeError as error:
        raise ConfigurationError(
            f"{PATH_VARIABLE}={stated!r} cannot be resolved: {error}. Give an absolute path."
        ) from error
