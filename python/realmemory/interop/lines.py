"""JSON Lines and large JSON arrays, read strictly and in little memory."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from realmemory import strict_json
from realmemory.errors import InvalidInputError

if TYPE_CHECKING:
    import json
    from collections.abc import Iterator

MAX_LINE = 16 * 1024 * 1024
"""Longest line that is read, bytes."""
_CHUNK = 256 * 1024
_SPACE = " \t\r\n"


def read_lines(
    stream: IO[bytes], most: int = MAX_LINE
) -> Iterator[tuple[int, bytes | InvalidInputError]]:
    """Yield (line number, line) of every line that is not blank; one too long is an error."""
    number = 0
    while line := stream.readline(most + 1):
        number += 1
        if len(line) > most:
            while line and not line.endswith(b"\n"):
                line = stream.readline(most)
            yield (
                number,
                InvalidInputError(
                    f"the line is longer than {most / 2**20:g} MiB", code="line_too_long"
                ),
            )
        elif line.strip():
            yield number, line


def read_array(stream: IO[str]) -> Iterator[Any]:
    """Yield the elements of one large JSON array, each parsed when it is reached.

    Raises:
        InvalidInputError: ``invalid_json``; the file is not an array, or breaks off.
    """
    decoder = strict_json.decoder()
    buffer = stream.read(_CHUNK).lstrip("\ufeff" + _SPACE)
    if not buffer.startswith("["):
        raise InvalidInputError("the file is not a JSON array", code="invalid_json")
    buffer = buffer[1:]
    while True:
        buffer = buffer.lstrip(_SPACE + ",")
        if buffer.startswith("]"):
            return
        element, buffer = _next_element(decoder, stream, buffer)
        yield element


def _next_element(decoder: json.JSONDecoder, stream: IO[str], buffer: str) -> tuple[Any, str]:
    want = _CHUNK
    while True:
        try:
            element, end = decoder.raw_decode(buffer)
            # A number at the very end of the buffer may go on in the next chunk.
            if end < len(buffer):
                return element, buffer[end:]
        except InvalidInputError:
            raise
        except (ValueError, RecursionError) as error:
            failure: Exception = error
        else:
            failure = ValueError("the array is not closed")
        more = stream.read(want)
        if not more:
            raise InvalidInputError(
                f"the JSON array breaks off or is damaged: {failure}", code="invalid_json"
            ) from failure
        # Doubling keeps the repeated attempts linear in the size of the element.
        want = max(want, len(buffer))
        buffer = (buffer + more).lstrip(_SPACE + ",")
