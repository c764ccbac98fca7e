"""JSON by the letter of the standard, for everything that comes from outside.

Python's own reader keeps the last of two equal keys and takes NaN, infinity and numbers without
bounds, so that two readers of one document may see different things.
"""

from __future__ import annotations

import json
import math
from typing import Any

from realmemory.errors import InvalidInputError

_INT64 = 2**63
_SHOWN = 60


def parse(document: str | bytes) -> Any:  # noqa: ANN401 - JSON is any of six types
    """Parse one JSON document; bytes have to be UTF-8 without a byte order mark.

    Raises:
        InvalidInputError: ``invalid_utf8``, ``invalid_json``, ``duplicate_key``, ``too_deep``, or
            ``invalid_number`` (NaN, infinity, or beyond 64 bits); the message names the place.
    """
    try:
        text = document if isinstance(document, str) else document.decode("utf-8")
        return decoder().decode(text)
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"not UTF-8 at byte {error.start}", code="invalid_utf8") from error
    except RecursionError as error:
        raise InvalidInputError("nested too deeply", code="too_deep") from error
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError(f"not strict JSON: {error}", code="invalid_json") from error


def decoder() -> json.JSONDecoder:
    """Return a decoder with the same rules, for documents that are read piece by piece."""
    return json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_constant=_refuse,
        parse_int=_whole,
        parse_float=_finite,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidInputError(f"the key {twice[:_SHOWN]!r} is repeated", code="duplicate_key")
    return value


def _refuse(constant: str) -> None:
    raise InvalidInputError(f"{constant} is not a JSON number", code="invalid_number")


def _whole(digits: str) -> int:
    # Twenty characters hold every whole number of 64 bits; longer ones are slow to convert.
    value = int(digits) if len(digits) <= 20 else _INT64
    if not -_INT64 <= value < _INT64:
        raise InvalidInputError(
            f"{digits[:_SHOWN]} is a whole number beyond 64 bits", code="invalid_number"
        )
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InvalidInputError(f"{digits[:_SHOWN]} is beyond a double", code="invalid_number")
    return value
