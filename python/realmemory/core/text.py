"""Text analysis: the same terms for writing, querying and the full-text table."""

from __future__ import annotations

from realmemory import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet


def analyze(text: str) -> list[str]:
    """Return the terms of a document.

    Args:
        text: Any text; hostile input costs time linear in its length.

    Returns:
        Terms in reading order, with repetitions and function words: stems, identifiers whole and
        split, pairs of characters for scripts without spaces. No term holds white space.
    """
    return _native.analyze(text)


def analyze_query(text: str) -> list[str]:
    """Return the terms of a query, each once, without function words.

    A query made of function words alone has no term and so finds nothing.
    """
    return [forms[0] for forms in _native.analyze_query(text)]


def query_forms(text: str) -> list[list[str]]:
    """Return, for each word of a query, the terms of which any one answers it.

    The first form is that of :func:`analyze_query`; the others are stems that only documents in
    other languages hold.
    """
    return _native.analyze_query(text)


def count_query_words(text: str) -> int:
    """Return how many words :func:`query_forms` finds."""
    return _native.count_query_words(text)


def count_beyond(texts: Sequence[str], known: AbstractSet[str], most: int) -> list[int]:
    """Return how many different words each text says beyond what is known, up to ``most``.

    Function words do not count. Of a long text only the beginning is looked at, 64 characters for
    each word that may count.

    Args:
        texts: Documents.
        known: Terms, as of :func:`analyze` and :func:`query_forms`; a word is known by any of its own.
        most: Where counting ends.
    """
    return _native.count_beyond(texts, known, most)


def fts_terms(text: str) -> str:
    """Return a document's terms as one string for an FTS5 table.

    Terms are separated by spaces and spelled so that the builtin ``unicode61`` tokenizer takes
    each for exactly one token: characters that it would cut at are moved to the private use
    area. Query terms must go through :func:`fts_term`.
    """
    return _native.fts_terms(text)


def fts_term(term: str) -> str:
    """Return one term in the spelling of :func:`fts_terms`; it is still to be quoted."""
    return _native.fts_term(term)
