"""`bench`: the benchmarks of recall, through the public API."""

from realmemory.eval.__main__ import main as bench

__all__ = ["bench"]
