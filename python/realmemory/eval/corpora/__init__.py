"""What the benchmarks ask about: our own corpus, generated ones, and readers of public ones."""
