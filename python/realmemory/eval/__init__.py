"""Quality benchmarks, through the public API only."""
