"""What a screening finds, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MASK = "[secret:"
"""How what stands in the place of a secret begins; its kind and a bracket follow."""


class Family(StrEnum):
    """What sort of thing was found; decides what happens to it."""

    SECRET = "secret"  # noqa: S105 - the name of a family, not a secret
    PERSONAL = "personal"
    INSTRUCTION = "instruction"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One place in a text: ``text[start:end]`` is a ``kind`` of ``family``."""

    start: int
    end: int
    family: Family
    kind: str

    @property
    def flag(self) -> str:
        """The stable name under which it is stored and reported."""
        return f"{self.family.value}:{self.kind}"


def without_overlap(findings: list[Finding]) -> list[Finding]:
    """Return the findings in order; of overlapping ones the earliest and longest stays."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda item: (item.start, -item.end)):
        if kept and finding.start < kept[-1].end:
            continue
        kept.append(finding)
    return kept
