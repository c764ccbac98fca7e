"""Every constant of the memory's behaviour, validated and stored with the database."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from realmemory.clock import DAY
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping


RANKINGS = ("calibrated", "classic")
"""Presets of scores and abstention."""
RERANKERS = ("local", "download")
"""How the name of a re-ranker begins: it is at hand, or may be fetched from a model hub."""
_WORDS = ("ranking", "reranker")


def named_reranker(name: str) -> tuple[str, str]:
    """Return which of :data:`RERANKERS` a name states, and the model.

    Raises:
        ConfigurationError: It has no known form.
    """
    way, _, model = name.partition(":")
    if way not in RERANKERS or not model.strip():
        raise ConfigurationError(
            "reranker is local:FOLDER, local:MODEL or download:MODEL, or empty for none; got "
            f"{name[:80]!r}"
        )
    return way, model.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """How a memory behaves. Times are seconds, cosines and strengths lie in [0, 1].

    The values are stored with the database at its first open and restored at every later one;
    opening with other values changes nothing until ``Hippocampus.reconfigure`` is called.
    """

    # Encoding
    dim: int = 2048
    """Dimension of the default hashing embedder; other embedders bring their own."""
    n_units: int = 2048
    """Units of the sparse code."""
    k_sparse: int = 64
    """Active units of one code."""
    sdr_seed: int = 29
    """Seed of the projection behind the sparse code."""

    # Novelty gate; an embedder's profile overrides the two thresholds.
    theta_reinforce: float = 0.45
    """Cosine from which the same fact reinforces its trace though they share one word only."""
    theta_link: float = 0.22
    """Cosine from which a new trace is linked to the one it resembles."""
    theta_rephrase: float = 1.01
    """Cosine from which other words in another frame say the same; above 1 never."""
    gate_neighbours: int = 5
    """Traces that the gate looks at, the best included."""

    # Recall
    ranking: str = "calibrated"
    """Preset of scores and abstention: ``calibrated`` or ``classic``."""
    reranker: str = ""
    """Model that reads the best hits again with the question: ``local:FOLDER``, ``local:MODEL`` (as
    fastembed names it, never fetched) or ``download:MODEL``; empty switches it off."""
    reranker_weight: float = 0.5
    """Log-odds that one deviation of what it says counts; its own best weight is printed by
    ``python -m realmemory.eval.calibrate_reranker``."""
    cos_min_recall: float = 0.12
    """Cosine floor of the direct channel."""
    cos_min_strong_recall: float = 0.0
    """Flat-noise floor for the best cosine; 0 switches the rule off."""
    abstain_spread_cos: float = 0.20
    """Flat noise: the spread of the kept cosines below which the floor applies."""
    exact_abstain_rel_margin: float = 0.0
    """Distance of the best cosine from the null median that is required; 0 switches it off."""
    min_retention_recall: float = 0.05
    """Retention below which a trace counts as faded: marked in answers, never shown unasked, archived
    after its grace. Strength below which feedback takes it out of recall."""
    recall_oversample: int = 6
    """Keyword candidates per requested hit."""
    hop_weight: float = 1.0
    """Factor on what the first hits lead to, their rare words and their surroundings; 0 is off."""
    w_keyword: float = 0.65
    """Weight of the keyword channel."""
    assoc_confidence_penalty: float = 0.8
    """Factor on the confidence of associated hits."""
    confidence_scale: float = 1.0
    """Exponent on the odds of a hit's confidence; ``realmemory calibrate`` fits it."""
    confidence_factor: float = 1.0
    """Factor on the odds of a hit's confidence; ``realmemory calibrate`` fits it."""
    exact_scan_max_traces: int = 5_000_000
    """Traces and passages above which recall asks the voting index instead of scanning exactly; it
    may miss a near trace, and its packets say so."""

    # Trace dynamics
    tau_episodic: float = 30 * DAY
    """Time constant of episodic retention."""
    tau_semantic: float = 365 * DAY
    """Time constant of semantic retention."""
    tau_turn: float = math.inf
    """Time constant of verbatim turns; evidence does not fade by default."""
    initial_strength: float = 0.5
    """Base strength of a new trace."""
    reinforce_bump: float = 1.25
    """Factor on the base strength at each reinforcement."""
    strength_cap: float = 1.0
    """Ceiling of the base strength."""
    tau_spacing: float = DAY
    """Gap between two reinforcements at which the later one counts nearly in full."""
    massed_weight: float = 0.25
    """Weight of a reinforcement that follows the one before at once."""
    preserve_share: float = 0.5
    """Share of a new timer that a trace gets when another hit of its packet was rewarded."""
    promote_after_reinforcements: int = 5
    """Days with a reinforcement that make an episode a candidate for promotion."""
    promote_min_age_s: float = 60 * DAY
    """Age that an episode must have to be promoted."""
    archive_grace_s: float = 14 * DAY
    """Time below the retention floor after which sleep archives a trace."""
    archive_max_share: float = 0.2
    """Largest share of the active traces that one sleep archives, once a day; one always may go."""
    purge_archive_after_days: float = 0.0
    """Days without an answer that showed it after which sleep deletes an archived trace; 0 keeps it."""

    # Plastic graph
    tau_eligibility: float = 14 * DAY
    """Decay of a bind that is not yet committed."""
    tau_edge_stable: float = 90 * DAY
    """Decay of a committed edge."""
    edge_min_weight: float = 0.02
    """Weight below which sleep prunes an edge."""
    max_out_degree: int = 32
    """Outgoing edges that a trace keeps."""
    spread_depth: int = 2
    """Hops of spreading activation."""
    spread_alpha: float = 0.5
    """Activation passed on at each hop."""
    spread_top_m: int = 32
    """Frontier of each hop."""
    spread_eps: float = 0.01
    """Activation below which nothing is passed on."""

    # Housekeeping
    sleep_min_interval_s: float = 300.0
    """Least time between two sleeps that run by themselves; an explicit one always runs."""
    backups_keep: int = 10
    """Backups kept, the newest and some by day and week; 0 makes none at sleep."""
    backup_min_interval_s: float = 6 * 3600.0
    """Least wall-clock time between two backups at sleep; 0 backs up at every sleep."""
    journal_max_events: int = 200_000
    """Events kept in the journal; 0 keeps all."""
    max_text_bytes: int = 64 * 1024
    """Largest accepted text, UTF-8 bytes."""

    def __post_init__(self) -> None:
        self.validate()

    @classmethod
    def dev(cls) -> Self:
        """Return the defaults."""
        return cls()

    def validate(self) -> None:
        """Check every rule between the values.

        Raises:
            ConfigurationError: A value is out of range; the message names it.
        """
        if self.ranking not in RANKINGS:
            raise ConfigurationError(
                f"ranking must be one of {', '.join(RANKINGS)}, got {self.ranking!r}"
            )
        if self.reranker:
            named_reranker(self.reranker)
        for item in fields(self):
            if item.name not in _WORDS:
                _check_number(item.name, getattr(self, item.name), whole=item.type == "int")
        for rule, holds in self._rules():
            if not holds:
                raise ConfigurationError(f"the configuration breaks the rule: {rule}")

    def _rules(self) -> tuple[tuple[str, bool], ...]:
        return (
            ("dim, n_units and k_sparse are positive", min(self.dim, self.n_units) > 0),
            ("0 < k_sparse <= n_units", 0 < self.k_sparse <= self.n_units),
            ("theta_reinforce <= theta_rephrase", self.theta_reinforce <= self.theta_rephrase),
            ("theta_link < theta_reinforce <= 1", self.theta_link < self.theta_reinforce <= 1),
            ("cos_min_recall < theta_link", self.cos_min_recall < self.theta_link),
            (
                "cos_min_strong_recall is 0 or at least cos_min_recall",
                self.cos_min_strong_recall == 0
                or self.cos_min_recall <= self.cos_min_strong_recall <= 1,
            ),
            ("abstain_spread_cos > 0", self.abstain_spread_cos > 0),
            ("0 < tau_episodic < tau_semantic", 0 < self.tau_episodic < self.tau_semantic),
            ("every tau is positive", self._taus_positive()),
            (
                "0 < initial_strength <= strength_cap <= 1",
                0 < self.initial_strength <= self.strength_cap <= 1,
            ),
            ("reinforce_bump >= 1", self.reinforce_bump >= 1),
            (
                "massed_weight, preserve_share and archive_max_share are at most 1",
                max(self.massed_weight, self.preserve_share, self.archive_max_share) <= 1,
            ),
            ("min_retention_recall < initial_strength", self._floor_below_start()),
            ("0 < w_keyword <= 1", 0 < self.w_keyword <= 1),
            ("0 < assoc_confidence_penalty <= 1", 0 < self.assoc_confidence_penalty <= 1),
            (
                "confidence_scale and confidence_factor are positive",
                min(self.confidence_scale, self.confidence_factor) > 0,
            ),
            ("0 < spread_alpha <= 1", 0 < self.spread_alpha <= 1),
            (
                "gate_neighbours, recall_oversample, max_out_degree and max_text_bytes are >= 1",
                min(
                    self.gate_neighbours,
                    self.recall_oversample,
                    self.max_out_degree,
                    self.max_text_bytes,
                )
                >= 1,
            ),
        )

    def _taus_positive(self) -> bool:
        taus = (self.tau_turn, self.tau_eligibility, self.tau_edge_stable, self.tau_spacing)
        return min(taus) > 0

    def _floor_below_start(self) -> bool:
        return self.min_retention_recall < self.initial_strength

    def snapshot_fields(self) -> dict[str, float | str]:
        """Return all values by name, ready for JSON (infinity as a string)."""
        return {
            name: str(value) if value == math.inf else value for name, value in asdict(self).items()
        }

    @classmethod
    def from_snapshot(cls, snapshot: Mapping[str, Any]) -> Self:
        """Rebuild a configuration from :meth:`snapshot_fields`, ignoring unknown names.

        Raises:
            ConfigurationError: A stored value breaks a rule.
        """
        known = {item.name for item in fields(cls)}
        values: dict[str, Any] = {
            name: math.inf if value == "inf" else value
            for name, value in snapshot.items()
            if name in known
        }
        return cls(**values)


def _check_number(name: str, value: object, *, whole: bool) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigurationError(f"{name} must be a number, got {value!r}")
    if math.isnan(value) or value < 0:
        raise ConfigurationError(f"{name} must be a number >= 0, got {value!r}")
    if whole and not isinstance(value, int):
        raise ConfigurationError(f"{name} must be a whole number, got {value!r}")
    if math.isinf(value) and not name.startswith("tau_"):
        raise ConfigurationError(f"{name} must be finite, got {value!r}")
