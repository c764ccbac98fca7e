"""`python -m realmemory` is the `realmemory` command."""

from realmemory.cli import main

main()
