"""Spans for OpenTelemetry: off unless ``REALMEMORY_TRACING`` is switched on.

Needs ``opentelemetry-api``; where spans go is for the program that configures its SDK. Nothing that
anybody wrote or asked is in a span unless ``REALMEMORY_TRACING_CONTENT`` is on as well.
"""

from __future__ import annotations

import functools
import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from realmemory.switches import is_on

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Attributes = Mapping[str, str | bool | int | float]

_P = ParamSpec("_P")
_R = TypeVar("_R")

ENABLED = "REALMEMORY_TRACING"
CONTENT = "REALMEMORY_TRACING_CONTENT"


def traced(
    name: str,
    outcome: Callable[[Any], Attributes],
    content: Callable[..., str] | None = None,
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Give each call of a function a span.

    Args:
        name: The span is ``realmemory.<name>``.
        outcome: Numbers and verdicts of a result, without any text of the user.
        content: The text that a call is about, for those who ask for content.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def call(*arguments: _P.args, **options: _P.kwargs) -> _R:
            tracer = _tracer() if is_on(ENABLED) else None
            if tracer is None:
                return function(*arguments, **options)
            # An exception is recorded by its type: messages quote what was given.
            with tracer.start_as_current_span(
                f"realmemory.{name}", record_exception=False, set_status_on_exception=False
            ) as span:
                if content is not None and is_on(CONTENT):
                    span.set_attribute("realmemory.content", content(*arguments, **options))
                try:
                    result = function(*arguments, **options)
                except BaseException as error:
                    span.set_attribute("error.type", type(error).__qualname__)
                    raise
                for key, value in outcome(result).items():
                    span.set_attribute(f"realmemory.{key}", value)
                return result

        return call

    return decorate


@cache
def _tracer() -> Any:  # noqa: ANN401 - the package may be missing
    """Return the tracer of the API package, or ``None`` when it is not installed."""
    try:
        trace = importlib.import_module("opentelemetry.trace")
    except ImportError:
        return None
    return trace.get_tracer("realmemory")
