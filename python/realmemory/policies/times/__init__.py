"""Moments as people say them, and the calendar."""
