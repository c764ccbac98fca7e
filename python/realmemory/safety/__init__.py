"""Screening of texts: secrets, personal data, instruction-like content."""

from realmemory.safety.findings import MASK, Family, Finding
from realmemory.safety.screening import (
    Screening,
    masked_name,
    masked_values,
    refuse_secret_scope,
    screen,
    should_quarantine,
)

__all__ = [
    "MASK",
    "Family",
    "Finding",
    "Screening",
    "masked_name",
    "masked_values",
    "refuse_secret_scope",
    "screen",
    "should_quarantine",
]
