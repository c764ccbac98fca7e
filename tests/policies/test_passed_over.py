"""The gate passes over texts unread only when a comparison would find them far away."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import RowAttributes
from realmemory.policies.gate.reading import fact_signature
from realmemory.policies.gate.signature import compare, far_apart, least_shared

WORDS = (
    *("the", "deploy", "deploys", "runs", "on", "Friday", "Monday", "at", "16:00", "5", "pm"),
    *("must", "not", "never", "Redis", "cache", "keeps", "stores", "one", "two", "ten", "minutes"),
    *("ERR-4042", "v1.2", "сервер", "серверы", "база", "базы", "переезд", "не", "Berlin", "moved"),
    *("-5", "C++", "C#", "5M", "€5", "½", ">=", ".NET", "✅", "+3", "O-"),
)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@st.composite
def pairs(draw):
    """Two texts, the second often the first with a few changes."""
    first = draw(TEXTS)
    words = first.split()
    for _ in range(draw(st.integers(0, 3))):
        words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
    return first, draw(st.sampled_from([" ".join(words), draw(TEXTS)]))


def shared_words(stored, draft):
    index, zero = MemoryIndex(2), np.zeros(1)
    names = ("scopes", "kinds", "statuses", "flags", "base", "last", "valid_from")
    columns = dict.fromkeys((*names, "valid_until", "observed_at"), zero)
    index.upsert([1], np.ones((1, 2), np.float32), [stored], RowAttributes.of(**columns))
    return index.lexical(draft, [1]).matched[0]


@given(pairs())
@example(("O- O- O-", "O- O- O-"))
def test_what_is_the_same_or_contradicts_is_never_passed_over(texts):
    draft, stored = texts
    signature = fact_signature(draft)
    found = compare(fact_signature(stored), signature)
    if not found.differences or found.contradicts:
        assert shared_words(stored, draft) >= least_shared(signature)


@given(pairs())
def test_a_glance_finds_far_only_what_neither_is_the_same_nor_contradicts(texts):
    first, second = map(fact_signature, texts)
    found = compare(first, second)
    if not found.differences or found.contradicts:
        assert not far_apart(first, second)


def test_what_shares_a_few_words_by_chance_is_far():
    first = fact_signature("The harbour master opens the northern lock every winter morning")
    second = fact_signature("Every winter the northern road is closed for a week by the snow")
    assert far_apart(first, second)


def test_what_shares_hardly_a_word_is_passed_over():
    draft = "The harbour master opens the northern lock every winter morning"
    stored = "Every invoice above the limit needs a second signature"
    assert shared_words(stored, draft) < least_shared(fact_signature(draft))
