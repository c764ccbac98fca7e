"""The static embedder equals its twin, and refuses what is not a table."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.core.reference import static_table as twin
from realmemory.core.static_table import StaticEncoder, words
from realmemory.core.text import analyze_query

ALPHABET = "абвhelo012京"
PIECES = st.lists(
    st.tuples(st.sampled_from(["", "##"]), st.text(ALPHABET, min_size=1, max_size=4)).map("".join),
    min_size=1,
    max_size=30,
    unique=True,
)


def build(pieces, dim, bits, seed, name="test-1"):
    random = np.random.default_rng(seed)
    blob = "".join(pieces).encode()
    ends = np.cumsum([len(piece.encode()) for piece in pieces]).astype("<u4")
    weights, scales = random.random((2, len(pieces))).astype("<f4")
    codes = random.integers(0, 256, len(pieces) * dim * bits // 8, dtype=np.uint8)
    parts = (name.encode(), ends, blob, weights, scales, codes)
    body = b"".join(bytes(part) for part in parts)
    sizes = (1, bits, len(pieces), dim, len(name), len(blob), twin.checksum(body))
    return struct.pack("<8s6IQ", b"RMSTATIC", *sizes) + body


@given(
    PIECES,
    st.integers(1, 20),
    st.sampled_from([4, 8]),
    st.lists(st.text(ALPHABET + " .-É", max_size=40), max_size=4),
    st.integers(0, 9),
)
def test_equals_its_twin(pieces, half_dim, bits, texts, seed):
    data = build(pieces, 2 * half_dim, bits, seed)
    encoder, table = StaticEncoder(data), twin.parse(data)
    assert (encoder.name, encoder.pieces) == ("test-1", len(pieces))
    rows = encoder.encode(texts)
    for row, text in zip(rows, texts, strict=True):
        tokens = twin.tokenize(table, words(text))
        assert encoder.tokenize(text).tolist() == tokens
        np.testing.assert_allclose(row, twin.encode(table, tokens), atol=1e-5)
        unit, weights = encoder.token_rows(text)
        assert weights.tobytes() == table.weights[tokens].tobytes()
        np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-5)


@given(PIECES, st.sampled_from([4, 8]), st.text(ALPHABET + " É", max_size=40), st.data())
def test_late_interaction_equals_its_twin(pieces, bits, query, data):
    table_file = build(pieces, 8, bits, 1)
    texts = data.draw(st.lists(st.text(ALPHABET + " .-É", max_size=40), max_size=4))
    found = StaticEncoder(table_file).interact(query, texts)
    table = twin.parse(table_file)
    content = [word for word in words(query) if analyze_query(word)][:32]
    for at, text in enumerate(texts):
        count, letters, mean, weakest = twin.interact(table, content, words(text))
        assert found.words == count
        np.testing.assert_allclose(
            [found.letters_per_piece, found.mean[at], found.weakest[at]],
            [letters, mean, weakest],
            atol=1e-4,
        )


@given(PIECES, st.text(ALPHABET + " É", max_size=40), st.text(ALPHABET + " .-É", max_size=40))
def test_single_words_make_up_the_late_interaction(pieces, query, text):
    encoder = StaticEncoder(build(pieces, 8, 4, 1))
    found = encoder.nearest_words(query, text)
    whole = encoder.interact(query, [text])
    assert len(found) == whole.words
    asked = [word for word in dict.fromkeys(words(query)) if analyze_query(word)]
    assert [word.word for word in found] == [w for w in asked if w in {f.word for f in found}]
    if found:
        total = sum(word.weight * word.cosine for word in found)
        weights = sum(word.weight for word in found)
        np.testing.assert_allclose(total / weights, whole.mean[0], atol=1e-5)
        assert min(word.cosine for word in found) == whole.weakest[0]


@given(PIECES, st.text(ALPHABET + " .-É", max_size=40), st.integers(0, 6), st.integers(0, 9))
def test_what_a_text_is_about_equals_its_twin(pieces, text, directions, seed):
    data = build(pieces, 8, 4, seed)
    world = np.random.default_rng(seed).normal(size=(directions, 8)).astype("<f4")
    world /= np.linalg.norm(world, axis=1, keepdims=True)
    table = twin.parse(data)
    expected = twin.about(table, twin.tokenize(table, words(text)), world)
    np.testing.assert_allclose(
        StaticEncoder(data).about(text, world.tobytes()), expected, atol=1e-4
    )


@given(st.binary(max_size=200))
def test_foreign_bytes_are_refused(data):
    with pytest.raises(ValueError, match="static table refused"):
        StaticEncoder(data)


@given(st.data())
def test_damage_is_refused(data):
    good = build(["a", "##b", "cd"], 4, 4, 0)
    at = data.draw(st.integers(0, len(good) - 1))
    damaged = bytearray(good)
    damaged[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError, match="static table refused"):
        StaticEncoder(bytes(damaged))
