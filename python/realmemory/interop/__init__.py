"""Bringing memories in and taking them out: documented formats, streamed."""
