"""Screening of texts: secrets, personal data, instruction-like content."""

from realmemory.safety.findings import Family, Finding
from realmemory.safety.screening import Screening, screen, should_quarantine

__all__ = ["Family", "Finding", "Screening", "screen", "should_quarantine"]
