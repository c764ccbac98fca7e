"""Lines of an author's file as they should be, to be changed by whoever writes wrong ones."""

from __future__ import annotations

import hashlib
import json

from team.members import NOW

FACT = "The nightly backup runs at three in the morning"


def sealed(**changes):
    """A publication as an author's file states it, with the hash that fits."""
    entry = {
        "uid": "018bcfe5-6800-7000-8000-000000000001",
        "revision": 1,
        "project": "shop",
        "kind": "semantic",
        "text": FACT,
        "when": NOW,
        "until": None,
        "published_at": NOW,
    } | changes
    plain = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        digest = hashlib.sha256(plain.encode()).hexdigest()
    except UnicodeEncodeError:
        digest = ""
    return {"type": "publication", **entry, "sha256": digest}


def gone(**changes):
    return {
        "type": "retraction",
        "uid": "018bcfe5-6800-7000-8000-000000000001",
        "revision": 1,
        "retracted_at": NOW,
    } | changes


def number(count):
    return f"018bcfe5-6800-7000-8000-{count:012d}"
