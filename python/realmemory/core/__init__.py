"""Typed wrappers of the native kernels, and their pure-numpy twins. Knows no store."""
