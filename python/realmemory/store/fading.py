"""How alive a trace is, in SQL, and when it falls below the recall floor, a column that every write keeps.

Sleep finds what has faded by an index on it, whatever the size of the store. The column is
derived from the row and the stored configuration, so no row hash covers it.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from realmemory.config import MemoryConfig
    from realmemory.store.session import Value


def _fades_at(mark: str) -> str:
    tau = f"""(CASE {mark}kind
      WHEN 'episodic' THEN :tau_episodic WHEN 'semantic' THEN :tau_semantic ELSE :tau_turn
    END)"""
    return f"""
  CASE
    WHEN {mark}pinned OR {tau} IS NULL THEN NULL
    ELSE {mark}last_reinforced_at
      + {tau} * max(0.0, ln(max({mark}base_strength, 1e-300) / :floor))
  END
"""


FADES_AT = _fades_at("")
"""``last + tau * ln(base / floor)``, NULL for what never fades; see :func:`parameters`."""
RETENTION = """
  CASE WHEN t.pinned THEN t.base_strength
  ELSE t.base_strength * exp(min(0.0, t.last_reinforced_at - :now) / :tau) END
"""
"""What ``policies/retention.py`` says of a row ``t`` whose kind fades with ``:tau``: to rank thousands."""
LIVELINESS = "retention * (1.0 + ln(1.0 + reinforced))"
"""Retention, and how often an episode was confirmed."""
NEW_FADES_AT = _fades_at(":")
"""As :data:`FADES_AT`, of a row whose columns are parameters."""


def parameters(config: MemoryConfig) -> dict[str, Value]:
    """Return the named parameters of :data:`FADES_AT`, in its order; NULL is an endless tau."""
    taus = {
        "episodic": config.tau_episodic,
        "semantic": config.tau_semantic,
        "turn": config.tau_turn,
    }
    ends: dict[str, Value] = {
        f"tau_{kind}": None if math.isinf(tau) else float(tau) for kind, tau in taus.items()
    }
    # Without a floor nothing leaves recall; the smallest positive one says nearly that.
    return {**ends, "floor": max(float(config.min_retention_recall), 1e-9)}
