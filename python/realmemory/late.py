"""What is made when something of it is first asked for: modules, patterns and loggers.

A process that recalls once would pay more for importing numpy, or for compiling the rules of dates,
than for the whole recall, which needs neither. A module that needs numpy elsewhere names it thus::

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = late_module("numpy")
"""

from __future__ import annotations

import re
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from collections.abc import Callable
    from typing import Any


if TYPE_CHECKING:
    from functools import cached_property

    once = cached_property
else:

    class once:  # noqa: N801 - used as a decorator
        """An attribute that is made when it is first asked for.

        As ``functools.cached_property``, without the lock that this takes before Python 3.12: who
        shares the object between threads must not mind that it may be made twice.
        """

        def __init__(self, make: Callable[[Any], object]) -> None:
            self._make = make
            self._name = make.__name__
            self.__doc__ = make.__doc__

        def __get__(self, owner: object, kind: object = None) -> object:
            if owner is None:
                return self
            found = owner.__dict__[self._name] = self._make(owner)
            return found


class Late:
    """Stands for an object and passes on what is asked of it. Safe to share between threads.

    Args:
        make: Returns the object.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - an attribute may be anything
        value = getattr(self._make(), name)
        # The next time it is found without coming here.
        setattr(self, name, value)
        return value


def late_module(name: str) -> Any:  # noqa: ANN401 - a module has any attribute
    """Return a stand-in for a module, which is imported when it is first used."""
    return Late(lambda: import_module(name))


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a stand-in for a compiled pattern, which is compiled when it is first used."""
    stand_in: Any = Late(lambda: re.compile(pattern, flags))
    compiled: re.Pattern[str] = stand_in
    return compiled


def late_logger(name: str) -> logging.Logger:
    """Return a stand-in for a logger, which is made when there is something to say."""
    stand_in: Any = Late(lambda: import_module("logging").getLogger(name))
    logger: logging.Logger = stand_in
    return logger
