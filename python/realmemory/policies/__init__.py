"""The formulas: pure functions of values."""
