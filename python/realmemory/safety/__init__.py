"""Screening of texts: secrets, personal data, instruction-like content."""
