"""Which memories their owner lets a team read, and why another one stays here.

Nothing is shareable unless the owner named its project. The order of the rules is fixed, so that a
memory that may never leave is called that, whatever else holds of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from realmemory.scopes import scope_key
from realmemory.types import Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from realmemory.types import Trace


class Shareability(StrEnum):
    """What the policy says of one memory."""

    ELIGIBLE = "eligible"
    BLOCKED = "blocked"
    NOT_SHAREABLE_PROJECT = "not_shareable_project"
    NOT_ACTIVE = "not_active"
    NOT_SHAREABLE_KIND = "not_shareable_kind"
    TOO_LITTLE_REINFORCED = "too_little_reinforced"


WITHDRAWING = frozenset(
    {Shareability.BLOCKED, Shareability.NOT_SHAREABLE_PROJECT, Shareability.NOT_ACTIVE}
)
"""What takes back something that was published; what it took to be published may change since."""


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """A project whose memories may be shared; ``None`` means as the policy says for all."""

    name: str
    kinds: tuple[Kind, ...] | None = None
    min_reinforcements: int | None = None


@dataclass(frozen=True, slots=True)
class SharingPolicy:
    """What an owner lets a team read.

    Attributes:
        projects: Whose memories may be shared; without any, nothing is.
        default_kinds: Kinds that are shared where a project names none.
        min_reinforcements: How often a memory must have been told again.
        never_tags: Tags, its own or those in its metadata, that keep a memory here.
        never_patterns: Regular expressions, in any case of letters, that keep a text here.
    """

    projects: tuple[ProjectRule, ...] = ()
    default_kinds: tuple[Kind, ...] = (Kind.SEMANTIC,)
    min_reinforcements: int = 2
    never_tags: tuple[str, ...] = ("private", "secret", "credentials")
    never_patterns: tuple[str, ...] = ()

    def rule_of(self, project: str) -> ProjectRule | None:
        """Return the rule of a project, however its name is spelt."""
        wanted = scope_key(project)
        return next((rule for rule in self.projects if scope_key(rule.name) == wanted), None)


class Verdict(NamedTuple):
    """What the policy says of a memory, and why in words."""

    status: Shareability
    reason: str


def classify(policy: SharingPolicy, trace: Trace, findings: Collection[str], now: float) -> Verdict:
    """Say whether a memory may be shared.

    Args:
        policy: What the owner lets the team read.
        trace: The memory.
        findings: What the screen finds in its text, by name such as ``personal:email``.
        now: Epoch seconds.
    """
    if blocked := _blocked(policy, trace, findings):
        return Verdict(Shareability.BLOCKED, blocked)
    rule = policy.rule_of(trace.scope)
    if rule is None:
        told = f"the project {trace.scope!r} is not listed in team.json"
        return Verdict(Shareability.NOT_SHAREABLE_PROJECT, told)
    if inactive := _inactive(trace, now):
        return Verdict(Shareability.NOT_ACTIVE, inactive)
    kinds = policy.default_kinds if rule.kinds is None else rule.kinds
    if trace.kind is Kind.TURN or trace.kind not in kinds:
        told = f"{trace.kind} is none of the kinds shared of it ({', '.join(kinds) or 'none'})"
        return Verdict(Shareability.NOT_SHAREABLE_KIND, told)
    least = rule.min_reinforcements
    least = policy.min_reinforcements if least is None else least
    if trace.reinforced_count < least:
        told = f"it was reinforced {trace.reinforced_count} times, {least} are asked for"
        return Verdict(Shareability.TOO_LITTLE_REINFORCED, told)
    return Verdict(Shareability.ELIGIBLE, "it may be published")


def _blocked(policy: SharingPolicy, trace: Trace, findings: Collection[str]) -> str | None:
    never = {tag.strip().casefold() for tag in policy.never_tags}
    if tags := sorted({tag for tag in _tags(trace) if tag.strip().casefold() in never}):
        return f"it carries the tag {tags[0]!r}"
    for pattern in policy.never_patterns:
        if re.search(pattern, trace.text, re.IGNORECASE):
            return f"its text fits the pattern {pattern!r}"
    if findings:
        return f"its text holds {', '.join(sorted(findings))}"
    if trace.origin is Origin.PEER:
        return "somebody else published it"
    return None


def _tags(trace: Trace) -> Iterator[str]:
    yield from trace.tags
    stated = trace.meta.get("tags")
    if isinstance(stated, str):
        yield stated
    elif isinstance(stated, (list, tuple)):
        yield from (tag for tag in stated if isinstance(tag, str))


def _inactive(trace: Trace, now: float) -> str | None:
    if trace.status is not Status.ACTIVE:
        return f"it is {trace.status}"
    if trace.valid_to is not None and trace.valid_to <= now:
        return "it no longer holds"
    if trace.expires_at is not None and trace.expires_at <= now:
        return "it has expired"
    # A reader would take the memory for one from a clock that runs ahead.
    if max(trace.valid_from, trace.observed_at) > now:
        return "it does not hold yet"
    return None
