"""``NamedTuple`` for modules that hooks import: loading ``typing`` would cost them more than their work.

Written and checked like :class:`typing.NamedTuple`, in modules with ``from __future__ import
annotations``; what an annotation says is not looked at.
"""

from __future__ import annotations

from collections import namedtuple

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple
else:

    class _Named(type):
        def __new__(
            cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **more: object
        ) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body, **more)
            fields = list(body.get("__annotations__", ()))
            defaults = [body.pop(field) for field in fields if field in body]
            plain = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024 - typed by the other branch
            return type(name, (plain,), {"__slots__": (), **body}, **more)

    class NamedTuple(metaclass=_Named):
        """Makes a named tuple of the class that derives from it."""
