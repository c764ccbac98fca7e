"""A client inside an agent: tools to register, and recall injected into a function."""

from __future__ import annotations

import functools
import inspect
import logging
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError, RealMemoryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from realmemory.client.memory_client import MemoryClient

logger = logging.getLogger(__name__)

_MARK = "_realmemory_tools"


def register_tools(client: MemoryClient, agent: Any) -> None:  # noqa: ANN401 - any framework's agent
    """Give an agent the tools ``memory_store``, ``_recall``, ``_forget`` and ``_search``.

    Args:
        client: The memory behind the tools.
        agent: Anything with ``register_tool(name, function)`` or a decorator ``tool()``.

    Raises:
        InvalidInputError: ``tools_registered``; the agent has them already.
        TypeError: The agent has neither way to take a tool.
    """
    if getattr(agent, _MARK, False):
        raise InvalidInputError(
            "this agent has the memory's tools already; nothing was registered again",
            code="tools_registered",
        )
    register = getattr(agent, "register_tool", None)
    decorate = getattr(agent, "tool", None)
    for name, function in _tools(client).items():
        if callable(register):
            register(name, function)
        elif callable(decorate):
            decorate()(function)
        else:
            kind = type(agent).__name__
            raise TypeError(f"{kind} has neither register_tool(name, fn) nor tool()")
    setattr(agent, _MARK, True)


def _tools(client: MemoryClient) -> dict[str, Callable[..., Awaitable[Any]]]:
    async def memory_store(content: str, tags: list[str] | None = None) -> dict[str, Any]:
        """Remember a conclusion for later sessions; what is known already is strengthened."""
        return await client.store(content, tags or [])

    async def memory_recall(query: str, limit: int = 10) -> list[dict[str, Any]]:
        """Recall what earlier sessions concluded; an empty list means: not known."""
        return await client.recall(query, limit)

    async def memory_forget(memory_id: int) -> dict[str, Any]:
        """Take a memory that is wrong or unwanted out of recall."""
        return await client.forget(memory_id)

    async def memory_search(tags: list[str] | None = None, limit: int = 50) -> list[dict[str, Any]]:
        """List memories by tags, newest first."""
        return await client.search(tags or [], limit=limit)

    tools = (memory_store, memory_recall, memory_forget, memory_search)
    return {tool.__name__: tool for tool in tools}


def auto_recall(
    client: MemoryClient, query_from: str, limit: int = 10, min_score: float = 0.0
) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Return a decorator that hands an async function what is known about one of its arguments.

    The hits arrive as the keyword argument ``recalled_memories``. When recalling fails the
    function runs with none, and the failure is logged: memory helps, it never stops an agent.

    Args:
        client: The memory.
        query_from: Name of the argument that is the question.
        limit: Most hits.
        min_score: Least confidence.
    """

    def decorate(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        signature = inspect.signature(function)
        _check_signature(signature, query_from)

        @functools.wraps(function)
        async def recalling(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - passed through
            bound = signature.bind_partial(*arguments, **named)
            bound.apply_defaults()
            query = bound.arguments.get(query_from)
            named["recalled_memories"] = await _recalled(client, query, limit, min_score)
            return await function(*arguments, **named)

        return recalling

    return decorate


def _check_signature(signature: inspect.Signature, query_from: str) -> None:
    parameters = signature.parameters
    takes_any = any(item.kind is item.VAR_KEYWORD for item in parameters.values())
    receiver = parameters.get("recalled_memories")
    if receiver is None and not takes_any:
        raise TypeError("the function needs a keyword argument recalled_memories")
    if receiver is not None and receiver.kind is receiver.POSITIONAL_ONLY:
        raise TypeError("recalled_memories must be a keyword argument")
    if query_from not in parameters:
        raise TypeError(f"the function has no argument {query_from!r} to take the question from")


async def _recalled(
    client: MemoryClient, query: object, limit: int, min_score: float
) -> list[dict[str, Any]]:
    if not isinstance(query, str):
        return []
    try:
        return await client.recall(query, limit, min_score=min_score)
    except RealMemoryError as error:
        logger.warning("recalled nothing for the agent: %s", error)
        return []
