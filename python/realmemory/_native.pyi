"""The compiled engine. Only `realmemory.core` imports it.

Arguments marked ``_Buffer`` are C-contiguous, little-endian buffers of the element type named in
the docstring; results are ``bytes`` of packed elements.
"""

from array import array
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from typing import Any, Self, TypeAlias, final

from numpy.typing import NDArray

ANALYSIS_VERSION: int
__version__: str

# Anything with the buffer protocol; the stubs of numpy know that protocol only from 3.12 on.
_Buffer: TypeAlias = bytes | bytearray | memoryview[Any] | array[Any] | NDArray[Any]
_Attributes: TypeAlias = tuple[
    _Buffer, _Buffer, _Buffer, _Buffer, _Buffer, _Buffer, _Buffer, _Buffer, _Buffer
]
_PackedScan: TypeAlias = tuple[
    bytes, bytes, bytes, bytes, tuple[int, float, float], tuple[int, int, int, int, int]
]
_PackedRows: TypeAlias = tuple[bytes, bytes, tuple[int, float, float], int]
_Filter: TypeAlias = tuple[
    _Buffer | None,
    int,
    int,
    float,
    float,
    tuple[float, float, float],
    float,
    float | None,
    float | None,
    float | None,
    _Buffer | None,
]

def simd_paths() -> list[str]:
    """Names of the SIMD paths of this machine, best first."""

@final
class MemoryIndex:
    """Rows, vectors and keywords of one memory. Safe to share between threads.

    Attributes travel as one tuple of buffers: scope u32, kind u8, status u8, flags u8, base f64,
    last f64, valid_from f64, valid_until f64, observed_at f64. A filter travels as one tuple:
    scopes u32 buffer or None, kind mask, status mask, least retention, three time constants, now,
    as_of, since, until, ids i64 buffer or None.
    """

    def __new__(cls, dim: int) -> Self: ...
    def __len__(self) -> int: ...
    def __contains__(self, row_id: int, /) -> bool: ...
    @property
    def dim(self) -> int:
        """Values per vector."""
    @property
    def simd(self) -> str:
        """Name of the SIMD path in use."""
    def set_simd(self, name: str) -> None:
        """Use another of :func:`simd_paths`; no result changes."""
    @property
    def threads(self) -> int:
        """Most threads of a scan."""
    def set_threads(self, threads: int) -> None:
        """Use at most this many threads for a scan; no result changes."""
    def upsert(
        self,
        ids: _Buffer,
        has_vector: _Buffer,
        vectors: _Buffer,
        texts: Sequence[str],
        attributes: _Attributes,
    ) -> None:
        """Insert or replace rows: ids i64, has_vector u8, vectors f32 of the rows that have one."""
    def update(self, ids: _Buffer, attributes: _Attributes) -> None:
        """Change attributes of rows, i64 ids; unknown ids are skipped."""
    def remove(self, ids: _Buffer) -> int:
        """Take rows out, i64 ids, and return how many were there."""
    @staticmethod
    def open(path: str | PathLike[str], identity: bytes, dim: int) -> tuple[MemoryIndex, int]:
        """Map a snapshot of this 32-byte identity; raise OSError where it cannot be used."""
    def save(self, path: str | PathLike[str], identity: bytes, rev: int) -> None:
        """Write a snapshot to a new file; raise OSError where that fails."""
    @property
    def fit_due(self) -> bool:
        """Whether the index has outgrown the fit of its codes, so that :meth:`optimize` pays."""
    def optimize(self) -> None:
        """Fit the codes of the scan to the present vectors; no result changes."""
    def topk(
        self, query: _Buffer, k: int, by_cosine: bool, min_cosine: float, chosen: _Filter
    ) -> _PackedScan:
        """Return ids i64, cosines f32, scores f32, retentions f64; null statistics; work done."""
    def topk_many(
        self, queries: _Buffer, k: int, by_cosine: bool, min_cosine: float, chosen: _Filter
    ) -> list[_PackedScan]:
        """Return one result of :meth:`topk` for each query, queries being f32 one after another."""
    def gather(
        self,
        text: str,
        k: int,
        query: _Buffer,
        scan_k: int,
        by_cosine: bool,
        chosen: _Filter,
        *,
        fuzzy: bool,
    ) -> _PackedRows:
        """Return the best rows by vector and by words, described by both, in order of ids.

        Packed ids i64; f64 columns one after the other: cosine (not below zero), retention, bm25,
        coverage, coverage when words that resemble those of the text count, matched words, the
        last coverage again and zeros, where late interaction goes; null statistics; rows bounded.
        """
    def gather_ahead(
        self,
        beside: MemoryIndex,
        ids: _Buffer,
        has_vector: _Buffer,
        vectors: _Buffer,
        texts: Sequence[str],
        attributes: _Attributes,
        scanned: Sequence[Sequence[int]],
        chosen: Sequence[_Filter],
        k: int,
    ) -> list[list[tuple[int, float, int]]]:
        """Return id, cosine and matched words of what is best for each row, in order of ids."""
    def describe(self, text: str, query: _Buffer, ids: _Buffer, chosen: _Filter) -> _PackedRows:
        """Return those of the ids that pass the filter, described as by :meth:`gather`."""
    def cosines(self, query: _Buffer, ids: _Buffer) -> bytes:
        """Return the canonical cosine f32 of each id i64, NaN without row or vector."""
    def retentions(self, ids: _Buffer, chosen: _Filter) -> bytes:
        """Return the retention f64 of each id i64, NaN if absent or filtered out."""
    def search_terms(
        self, text: str, k: int, chosen: _Filter, *, fuzzy: bool = False
    ) -> tuple[bytes, bytes]:
        """Return ids i64 and matches: bm25, coverage and matched words, f32 each."""
    def lexical(
        self, text: str, ids: _Buffer, scopes: _Buffer | None, *, fuzzy: bool = False
    ) -> bytes:
        """Return the matches of ids i64 with the statistics of scopes u32."""
    def bridged(
        self, texts: Sequence[str], without: str, k: int, ids: _Buffer, chosen: _Filter
    ) -> list[tuple[bytes, bytes]]:
        """Return, a text, ids i64 of rows that share its rare words, and what those are worth, f32."""

def shortlist(table: _Buffer, size: int) -> list[int]:
    """Return the positions of the candidates of a table (f64) that come first."""

def compared(table: _Buffer, chosen: Sequence[int], mean: _Buffer, weakest: _Buffer) -> bytes:
    """Return the f64 table with the late interaction (f32) of the candidates at some positions."""

def joined(first: _Buffer, second: _Buffer, order: Sequence[int]) -> bytes:
    """Return the f64 table of the candidates of two tables, these first, in a given order."""

def tagged(*values: str | float | bytes | None) -> bytes:
    """Return values one after the other, each behind a byte that tells its type."""

def own_logits(
    table: _Buffer,
    asked: tuple[float, float, float],
    null: tuple[float, float, float],
    prior: tuple[float, float, float],
    weights: Sequence[float],
    bias: float,
) -> bytes:
    """Return the f64 log-odds of relevance of each candidate."""

def scores(table: _Buffer, logits: _Buffer, floor: float) -> tuple[bytes, bytes]:
    """Return confidence and score f64 of each candidate behind log-odds f64."""

def undropped(table: _Buffer, confidences: _Buffer, scores: _Buffer) -> bytes:
    """Return the f64 scores, and for dropped candidates what theirs would be."""

def hops(
    confidences: _Buffer,
    scores: _Buffer,
    undropped: _Buffer,
    is_turn: Sequence[bool],
    seeds: Sequence[int],
    shared: Sequence[Sequence[tuple[int, float]]],
    near: Sequence[Sequence[tuple[int, float]]],
    worth: tuple[float, float, float, float, float, float],
) -> list[bytes]:
    """Return bridge, nearby, held and the score that follows, f64, of each candidate."""

def best(values: _Buffer, size: int) -> list[int]:
    """Return the positions of the best positive values (f64), ties by position."""

def chance(
    table: _Buffer,
    confidences: _Buffer,
    asked: tuple[float, float, float],
    about: Sequence[float],
    null: tuple[float, float, float],
    prior: tuple[float, float, float],
    weights: Sequence[float],
    bias: float,
) -> float:
    """Return the probability that one of the candidates answers, given confidences f64.

    ``about`` is what ``StaticEncoder.about`` says of the question.
    """

def analyze(text: str) -> list[str]:
    """Return the terms of a document, in reading order, with repetitions."""

def analyze_query(text: str) -> list[list[str]]:
    """Return the words of a query without function words: for each, the forms that answer it."""

def count_query_words(text: str) -> int:
    """Return the number of words of a query, function words left out."""

def count_beyond(texts: Sequence[str], known: AbstractSet[str], most: int) -> list[int]:
    """Return how many words each document says beyond known terms, function words left out."""

def count_words(text: str) -> int:
    """Return the number of words of a document, which is its length for bm25."""

def fts_terms(text: str) -> str:
    """Return the terms of a document, space-separated, each one token for FTS5's ``unicode61``."""

def fts_term(term: str) -> str:
    """Return one term in the spelling of ``fts_terms``."""

def hashing_features(text: str) -> list[tuple[int, int, float]]:
    """Return (kind, key, weight) of every feature that ``HashingEncoder`` hashes."""

@final
class Literals:
    """Texts that others are searched for, all of them in one pass."""

    def __new__(cls, words: Sequence[str]) -> Literals: ...
    def any_in(self, text: str) -> bool:
        """Whether a text holds one of them."""
    def found_in(self, text: str) -> list[int]:
        """Places of those that a text holds, ascending."""

@final
class HashingEncoder:
    """Feature hashing of words and character 3-grams."""

    def __new__(cls, dim: int, seed: int) -> HashingEncoder: ...
    def encode(self, texts: Sequence[str]) -> bytes:
        """Return one f32 row of ``dim`` a text: of unit length, or zeros."""

def static_words(text: str) -> list[str]:
    """Return the folded words that ``StaticEncoder`` cuts into pieces."""

@final
class StaticEncoder:
    """A static token table over the bytes of its file."""

    def __new__(cls, data: bytes) -> StaticEncoder: ...
    @staticmethod
    def map(path: str | PathLike[str]) -> StaticEncoder:
        """Map the file of a table, so that processes share its pages; OSError if it is not there."""
    @property
    def dim(self) -> int:
        """Components of a vector."""
    @property
    def name(self) -> str:
        """The identity of the space."""
    @property
    def pieces(self) -> int:
        """Number of pieces."""
    def encode(self, texts: Sequence[str]) -> bytes:
        """Return one f32 row of ``dim`` a text: of unit length, or zeros."""
    def tokenize(self, text: str) -> bytes:
        """Return the u32 ids of a text's pieces."""
    def token_rows(self, tokens: Sequence[int]) -> bytes:
        """Return the f32 unit rows of pieces; an unknown id gives zeros."""
    def weights(self, tokens: Sequence[int]) -> bytes:
        """Return the f32 weights of pieces; an unknown id gives zero."""
    def interact(self, query: str, texts: Sequence[str]) -> tuple[int, float, bytes, bytes]:
        """Return the query's words, letters per piece, and f32 mean and weakest cosine a text."""
    def nearest_words(self, query: str, text: str) -> list[tuple[str, float, float]]:
        """Return each content word of a query with its weight and largest cosine with a text's."""
    def about(self, text: str, world: _Buffer) -> tuple[float, float, float, float]:
        """Return coherence, and largest, mean and deviation of cosines with f32 unit rows."""

@final
class KeywordIndex:
    """bm25 over analysed texts, addressed by slot."""

    def __new__(cls) -> KeywordIndex: ...
    def __len__(self) -> int: ...
    def upsert(self, slots: Sequence[int], scopes: Sequence[int], texts: Sequence[str]) -> None:
        """Index texts under their slots, in place of what was there."""
    def remove(self, slots: Sequence[int]) -> None:
        """Forget rows."""
    @staticmethod
    def open(data: bytes) -> KeywordIndex:
        """Return an index over what ``to_bytes`` wrote, read in place."""

    def to_bytes(self) -> bytes:
        """Return the index as one block of bytes."""

    def search(
        self, query: str, k: int, scopes: Sequence[int] | None = None, *, fuzzy: bool = False
    ) -> tuple[bytes, bytes]:
        """Return u32 slots, best first, and three f32 a hit: bm25, coverage, matched words."""

    def score(self, query: str, slots: Sequence[int], scopes: Sequence[int] | None = None) -> bytes:
        """Return three f32 for each given row: bm25, coverage, matched words."""

@final
class PlasticGraph:
    """Directed, weighted edges between traces. Safe to share between threads.

    Edges travel as buffers: src i64, dst i64, weight f64, at f64 (the time the weight held).
    """

    def __new__(
        cls,
        tau_eligibility: float,
        tau_stable: float,
        min_weight: float,
        max_out_degree: int,
        max_out_weight: float,
    ) -> PlasticGraph: ...
    def __len__(self) -> int: ...
    def put(self, src: _Buffer, dst: _Buffer, weight: _Buffer, at: _Buffer) -> None:
        """Take edges over as stored; weight zero removes."""
    def commit(
        self, src: _Buffer, dst: _Buffer, strength: _Buffer, at: _Buffer, now: float
    ) -> tuple[bytes, bytes, bytes, bytes]:
        """Turn binds into weight; return the changed edges, weight zero for those that went."""
    def prune(self, now: float) -> tuple[bytes, bytes]:
        """Remove faded edges; return their ends."""
    def hide(self, ids: _Buffer) -> None:
        """Keep nodes out of spreading."""
    def show(self, ids: _Buffer) -> None:
        """Let hidden nodes take part again."""
    def weight(self, src: int, dst: int, now: float) -> float:
        """Return the weight of an edge now; zero where there is none."""
    def edges(self) -> tuple[bytes, bytes, bytes, bytes]:
        """Return every edge as stored, by source and end."""
    def spread(
        self,
        seeds: _Buffer,
        activations: _Buffer,
        now: float,
        hops: int,
        alpha: float,
        top_m: int,
        eps: float,
    ) -> tuple[bytes, bytes]:
        """Return i64 ids and f64 activations that spreading reached, strongest first."""

def stdp_pairs(
    ids: _Buffer,
    times: _Buffer,
    strength: float,
    a_plus: float,
    a_minus: float,
    tau_plus: float,
    tau_minus: float,
) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the binds of traces that were used together."""

@final
class SdrEncoder:
    """The ``k`` strongest of ``units`` units of a seeded projection."""

    def __new__(cls, dim: int, units: int, k: int, seed: int) -> SdrEncoder: ...
    def encode(self, vectors: _Buffer) -> bytes:
        """Return ``k`` ascending u32 units for each f32 vector; zero vectors give 2**32 - 1."""

@final
class VotingIndex:
    """Rows found by the units they share with a query. Safe to share between threads."""

    def __new__(cls, units: int, cap: int) -> VotingIndex: ...
    def __len__(self) -> int: ...
    def upsert(self, ids: _Buffer, codes: _Buffer, k: int) -> None:
        """Write rows (i64) with ``k`` u32 units each, in place of those with the same ids."""
    def remove(self, ids: _Buffer) -> int:
        """Take rows out; return how many there were."""
    def query(self, code: _Buffer, k: int, *, weighted: bool = False) -> tuple[bytes, bytes]:
        """Return i64 ids and u32 votes of the rows with most votes, ties by id."""
    def heap_bytes(self) -> int:
        """Return the bytes it holds on the heap, about."""
