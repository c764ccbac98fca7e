"""The shipped table: what the model card says it is, and what the engine makes of it."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from realmemory.core.reference import static_table as twin
from realmemory.core.static_table import words
from realmemory.encoding.protocol import EmbeddingProvider
from realmemory.encoding.shipped import table_path, world_path
from realmemory.encoding.static import StaticEmbedder, about

CARD = Path(__file__).parents[2] / "benches" / "static_model" / "MODEL_CARD.md"
LARGEST = 6_000_000
TEXTS = [
    "The invoices live in PostgreSQL 16.",
    "Счета хранятся в PostgreSQL 16.",
    "Élodie's straße, naïve CAFÉ — 1,234.5 ms",
    "Ёжик съел яблоко; ёлка стоит у двери",
    "parseHTTPResponse_v2 /usr/lib/python3.11",
    "東京 mixed 京都 text",
    "",
    "?!",
]


@pytest.fixture(scope="module")
def data():
    return Path(table_path()).read_bytes()


@pytest.fixture(scope="module")
def embedder():
    return StaticEmbedder()


def cosine(embedder, left, right):
    first, second = embedder.embed([left, right])
    return float(first @ second)


def test_the_file_is_the_one_that_the_card_describes(data, embedder):
    card = CARD.read_text("utf-8")
    assert hashlib.sha256(data).hexdigest() in re.findall(r"[0-9a-f]{64}", card)
    assert f"`{embedder.name}`" in card
    assert f"{len(data):,} bytes" in card
    assert len(data) <= LARGEST


def test_the_name_changes_with_the_content(data, embedder):
    table = twin.parse(data)
    content = hashlib.sha256("\n".join(table.pieces).encode())
    count, dim = table.rows.shape
    for part in (table.weights.tobytes(), data[-(4 * count + count * dim // 2) :][: 4 * count]):
        content.update(part)
    packed = np.frombuffer(data[-(count * dim // 2) :], np.uint8)
    content.update(np.stack([packed & 15, packed >> 4], axis=-1).tobytes())
    assert embedder.name.endswith(content.hexdigest()[:12])


def test_the_engine_equals_its_twin_on_the_shipped_table(data, embedder):
    table = twin.parse(data)
    for text, row in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        expected = twin.encode(table, twin.tokenize(table, words(text)))
        np.testing.assert_allclose(row, expected, atol=1e-5)


def test_it_is_an_embedding_provider(embedder):
    assert isinstance(embedder, EmbeddingProvider)
    rows = embedder.embed(["coffee", "кофе", "..."])
    assert rows.shape == (3, embedder.dim)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 1, 0], atol=1e-5)
    assert rows.tobytes() == embedder.embed_queries(["coffee", "кофе", "..."]).tobytes()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("A man is playing a guitar.", "Someone makes music.", "The server ran out of memory."),
        ("Кошка спит на диване.", "Кот лежит на диване.", "Сервер не отвечает на запросы."),
        ("Where is the data base?", "Где база данных?", "Какая завтра погода?"),
        ("He bought a new car.", "Он купил новую машину.", "Кошка спит на диване."),
        ("The deployment failed.", "Ошибка развёртывания.", "Мама варит суп."),
    ],
)
def test_meaning_brings_texts_together_within_and_across_languages(embedder, text, near, far):
    assert cosine(embedder, text, near) > cosine(embedder, text, far) + 0.1


def test_words_that_mean_the_same_answer_each_other(embedder):
    found = embedder.interact(
        "where are the invoices kept", ["Bills are stored in the archive.", "The dog barks."]
    )
    assert found.words == 2
    assert found.mean[0] > found.mean[1] + 0.1


def test_invented_words_fall_into_small_pieces(embedder):
    known = embedder.interact("customer invoices archive", ["x"]).letters_per_piece
    invented = embedder.interact("blorf wexatron piffet", ["x"]).letters_per_piece
    assert invented < known / 2


def test_the_world_lies_in_the_space_of_the_table(data, embedder):
    world = twin.parse(Path(world_path()).read_bytes())
    assert world.name == embedder.name
    assert world.rows.shape[1] == embedder.dim
    card = CARD.read_text("utf-8")
    assert hashlib.sha256(Path(world_path()).read_bytes()).hexdigest() in card


@pytest.mark.parametrize(
    ("worldly", "own"),
    [
        ("which animals eat mushrooms?", "who approves the release?"),
        ("какие животные едят грибы?", "кто утверждает релиз?"),
    ],
)
def test_questions_about_the_world_lie_nearer_to_it(worldly, own):
    assert about(worldly).largest > about(own).largest
    assert about(worldly).deviation > about(own).deviation


@pytest.mark.parametrize("text", ["", "?!", "京都"])
def test_what_has_no_known_word_is_about_nothing(text):
    assert about(text) is None


def test_a_word_with_another_number_answers_nothing(embedder):
    """The table puts numbers next to each other; which one is asked for is the question."""
    texts = ["piano-1497", "piano-1439", "piano", "piano 01497"]
    found = embedder.interact("1497", texts)
    assert found.mean[0] == pytest.approx(1.0)
    assert found.mean[1] == 0.0
    assert found.mean[2] < 0.9
    assert (
        embedder.interact("7 May", ["2023-05-07"]).mean[0]
        > embedder.interact("7 May", ["2023-05-08"]).mean[0]
    )
    # What is a number in words is still near it.
    assert embedder.interact("three keys", ["3 keys"]).weakest[0] > 0.3
