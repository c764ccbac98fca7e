"""Whom and which thing a question and a fact are about."""
