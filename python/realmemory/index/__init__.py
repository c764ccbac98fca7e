"""Keeps the kernels in step with the store."""
