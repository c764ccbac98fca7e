"""The compiled engine. Only `realmemory.core` imports it.

Arguments marked ``Buffer`` are C-contiguous, little-endian buffers of the element type named in
the docstring; results are ``bytes`` of packed elements.
"""

__version__: str
