"""Our own values as JSON and back, by their type hints."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from realmemory.types import DecisionAction

_NAMES = {
    "Mapping": Mapping,
    "Sequence": Sequence,
    "Any": Any,
    "DecisionAction": DecisionAction,
}
"""What the hints of the value types name without importing it at run time."""


def to_wire(value: object) -> Any:  # noqa: ANN401 - JSON is any of six types
    """Return a value as JSON types: dataclasses by field, enumerations by value."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_wire(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_wire(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_wire(item) for item in value]
    return value


def from_wire(hint: Any, value: Any) -> Any:  # noqa: ANN401 - any hint, any JSON
    """Return the value of type ``hint`` that :func:`to_wire` made ``value`` of."""
    kind = get_origin(hint)
    if kind in {Union, types.UnionType}:
        if value is None:
            return None
        (rest,) = [part for part in get_args(hint) if part is not types.NoneType]
        return from_wire(rest, value)
    if kind in {tuple, list}:
        return kind(from_wire(get_args(hint)[0], item) for item in value)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints(hint)
        return hint(**{name: from_wire(hints[name], item) for name, item in value.items()})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    return float(value) if hint is float else value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns=_NAMES)
