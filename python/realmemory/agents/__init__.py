"""realMemory inside coding agents: project identity, hooks and installers."""
