"""Files to import, and what became of them."""

from __future__ import annotations

import json

INSTRUCTIONS = """\
# Project

Use pnpm, never npm.

## Testing
- Run `make check` before every commit
  and read its output
- [ ] Keep tests under 100 ms

```sh
pnpm install

pnpm test
```
"""
NOTE = """\
---
title: Search
tags: [engine, bm25]
---
# Search

- [decision] Rank by bm25 before vectors #ranking
- relates_to [[Indexing]]

Plain paragraph about stop words.
"""


def written(tmp_path, name, content):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def by_text(memory, start, **filters):
    (trace,) = [
        trace
        for trace in memory.list(all_scopes=True, limit=100, **filters)
        if trace.text.startswith(start)
    ]
    return trace
