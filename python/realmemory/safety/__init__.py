"""Screening of texts: secrets, personal data, instruction-like content."""

from realmemory.safety.findings import Family, Finding
from realmemory.safety.screening import Screening, masked_values, screen, should_quarantine

__all__ = ["Family", "Finding", "Screening", "masked_values", "screen", "should_quarantine"]
