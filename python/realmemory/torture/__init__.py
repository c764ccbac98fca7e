"""Proof by abuse: processes that are killed while they use a memory, and what must still hold."""
