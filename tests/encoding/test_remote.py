"""A remote embedder against a real server: what it sends, and what becomes of every kind of answer."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from realmemory import EmbedderMismatchError, Hippocampus
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.encoding import registry
from realmemory.encoding.remote import HTTP_VARIABLE, KEY_VARIABLE, URL_VARIABLE, RemoteEmbedder
from realmemory.errors import ConfigurationError, EmbeddingError
from realmemory.policies.relevance import profile_for

DIM = 6
SECRET = "sk-very-secret-0123456789"


def vector(text):
    row = [0.0] * DIM
    for word in text.casefold().split():
        row[sum(word.encode()) % DIM] += 1.0
    return row


def good(body):
    data = [
        {"object": "embedding", "index": at, "embedding": vector(text)}
        for at, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": data, "model": body["model"]}


class Server(ThreadingHTTPServer):
    """Answers as it was told to: each entry of ``script`` once, then well."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = []
        self.requests = []
        self.let_go = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        step = self.server.script.pop(0) if self.server.script else good
        if not callable(step):
            self.send(*step)
        elif (found := step(body)) is not None:
            self.send(200, found)
        else:
            self.close_connection = True

    def send(self, status, content, headers=()):
        sent = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = Server()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.let_go.set()
    made.shutdown()
    made.server_close()


@pytest.fixture
def embedder(server):
    return RemoteEmbedder("tiny", url=server.url, key=SECRET, dim=DIM, timeout_s=20)


def reordered(body):
    answer = good(body)
    answer["data"].reverse()
    return answer


def edited(**changes):
    def answer(body):
        found = good(body)
        found["data"][0].update(changes)
        return found

    return answer


def test_texts_are_sent_in_batches_and_vectors_come_back_in_order(server, embedder):
    texts = [f"word{number} and more" for number in range(150)]
    server.script = [reordered]
    rows = embedder.embed(texts)
    assert rows.shape == (150, DIM)
    assert rows.dtype == np.float32
    for row, text in zip(rows, texts, strict=True):
        wanted = np.array(vector(text))
        np.testing.assert_allclose(row, wanted / np.linalg.norm(wanted), atol=1e-6)
    path, headers, body = server.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert body["model"] == "tiny"
    assert [len(sent["input"]) for _, _, sent in server.requests] == [64, 64, 22]


def test_prefixes_belong_to_the_space_and_empty_texts_are_not_sent(server):
    made = RemoteEmbedder(
        "tiny", url=server.url, query_prefix='find "this": ', text_prefix="keep: "
    )
    assert made.dim == DIM
    server.requests.clear()
    rows = made.embed(["", "one", "  "])
    assert not rows[0].any()
    assert not rows[2].any()
    made.embed_queries(["two"])
    assert [body["input"] for _, _, body in server.requests] == [
        ["keep: one"],
        ['find "this": two'],
    ]
    assert RemoteEmbedder.from_marker(made.name).name == made.name
    assert made.name != RemoteEmbedder("tiny", url=server.url).name
    assert str(server.server_port) not in made.name


def test_a_long_text_is_cut_and_large_texts_go_in_smaller_batches(server, embedder):
    embedder.embed(["word " * 10_000] * 20)
    assert len(server.requests) > 1
    assert all(len(text) == 8_000 for _, _, body in server.requests for text in body["input"])


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (edited(embedding=[0.5] * (DIM + 1)), "dim_mismatch"),
        (edited(embedding=[]), "dim_mismatch"),
        (edited(embedding=[float("nan")] * DIM), "invalid_vector"),
        (edited(embedding=[1e300] * DIM), "invalid_vector"),
        (edited(embedding=["a"] * DIM), "embedding_failed"),
        (edited(embedding=[True] * DIM), "embedding_failed"),
        (edited(embedding="AAAA"), "embedding_failed"),
        (edited(embedding=None), "embedding_failed"),
        (edited(index=1), "embedding_failed"),
        (edited(index=None), "embedding_failed"),
        (edited(index=True), "embedding_failed"),
        (lambda body: {"data": good(body)["data"][:1]}, "embedding_failed"),
        (lambda body: {"data": [None] * len(body["input"])}, "embedding_failed"),
        (lambda _: {"data": "none"}, "embedding_failed"),
        (lambda _: [1, 2], "embedding_failed"),
        (lambda _: b"<html>hello</html>", "embedding_failed"),
        (lambda _: b"\xff\xfe", "embedding_failed"),
        (lambda _: b'{"data": [' + b"[" * 100_000, "embedding_failed"),
    ],
)
def test_an_answer_without_such_vectors_is_refused(server, embedder, answer, code):
    server.script = [answer]
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed(["one", "two"])
    assert caught.value.code == code
    assert len(server.requests) == 1
    assert server.url in caught.value.message


@pytest.mark.parametrize(
    "stumbles",
    [
        [(500, b"oops", ())],
        [(429, b"", (("Retry-After", "0"),)), (503, b"", (("Retry-After", "0"),))],
        [(429, b"", (("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"),))],
        [lambda _: None],
    ],
)
def test_a_server_that_stumbles_is_asked_again(server, embedder, stumbles):
    server.script = list(stumbles)
    assert embedder.embed(["one"]).any()
    assert len(server.requests) == len(stumbles) + 1


@pytest.mark.parametrize(
    ("status", "asked"), [(400, 1), (401, 1), (404, 1), (413, 1), (500, 4), (429, 4)]
)
def test_a_server_that_goes_on_refusing_is_let_be(server, embedder, status, asked):
    answer = (status, {"error": SECRET}, (("Retry-After", "0"),))
    server.script = [answer] * 9
    with pytest.raises(EmbeddingError, match=f"answered {status}") as caught:
        embedder.embed(["one"])
    assert len(server.requests) == asked
    assert SECRET not in str(caught.value)


def test_a_long_wait_that_is_asked_for_is_not_sat_out(server):
    made = RemoteEmbedder("tiny", url=server.url, dim=DIM, timeout_s=1)
    server.script = [(429, b"", (("Retry-After", "3600"),))] * 9
    with pytest.raises(EmbeddingError, match="answered 429"):
        made.embed(["one"])
    assert len(server.requests) == 1


def test_a_server_that_never_answers_is_given_up(server):
    def silent(_):
        server.let_go.wait(30)

    made = RemoteEmbedder("tiny", url=server.url, dim=DIM, timeout_s=0.3)
    server.script = [silent]
    with pytest.raises(EmbeddingError, match="did not answer in time"):
        made.embed(["one"])


def test_a_redirect_is_not_followed(server, embedder):
    other = Server()
    threading.Thread(target=other.serve_forever, daemon=True).start()
    for status in (301, 302, 307, 308):
        server.script = [(status, b"", (("Location", f"{other.url}/embeddings"),))]
        with pytest.raises(EmbeddingError, match="redirect"):
            embedder.embed(["one"])
    assert other.requests == []
    other.shutdown()
    other.server_close()


def test_a_body_without_end_is_not_read_to_it(server, embedder, monkeypatch):
    monkeypatch.setattr("realmemory.encoding.endpoint.MOST_BYTES", 100_000)
    server.script = [lambda _: b" " * 200_000]
    with pytest.raises(EmbeddingError, match="answered with more than"):
        embedder.embed(["one"])


def test_nobody_there_is_told_without_the_key(server):
    server.shutdown()
    server.server_close()
    made = RemoteEmbedder("tiny", url=server.url, key=SECRET, dim=DIM, timeout_s=1)
    with pytest.raises(EmbeddingError, match="cannot be reached") as caught:
        made.embed(["one"])
    assert SECRET not in f"{caught.value} {made!r} {vars(made)}"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "ftp://host/v1",
        "http://",
        "https://me:word@host/v1",
        "https://h/v1?key=1",
    ],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ConfigurationError) as caught:
        RemoteEmbedder("tiny", url=url, dim=DIM)
    assert "word@" not in caught.value.message


def test_texts_go_to_another_machine_in_the_clear_only_when_allowed(monkeypatch):
    with pytest.raises(ConfigurationError) as caught:
        RemoteEmbedder("tiny", url="http://192.0.2.1/v1", dim=DIM)
    assert caught.value.code == "unsafe_url"
    RemoteEmbedder("tiny", url="http://192.0.2.1/v1", dim=DIM, allow_http=True)
    RemoteEmbedder("tiny", url="https://192.0.2.1/v1", dim=DIM)
    for here in ("http://localhost:1/v1", "http://[::1]:1", "http://127.8.8.8"):
        RemoteEmbedder("tiny", url=here, dim=DIM)
    monkeypatch.setenv(HTTP_VARIABLE, "1")
    RemoteEmbedder("tiny", url="http://192.0.2.1/v1", dim=DIM)


@pytest.mark.parametrize("key", ["two words", "line\nfeed", "clé"])
def test_what_is_no_key_is_refused_without_being_repeated(key):
    with pytest.raises(ConfigurationError) as caught:
        RemoteEmbedder("tiny", url="https://host/v1", key=key, dim=DIM)
    assert key not in caught.value.message


def test_offline_allows_this_machine_only(server, embedder, monkeypatch):
    monkeypatch.setenv("REALMEMORY_OFFLINE", "1")
    assert embedder.embed(["one"]).any()
    away = RemoteEmbedder("tiny", url="https://192.0.2.1/v1", dim=DIM)
    with pytest.raises(EmbeddingError, match="nothing was sent") as caught:
        away.embed(["one"])
    assert caught.value.code == "offline"


@pytest.mark.parametrize(
    "marker", ["remote:tiny", "remote:tiny(dim=0)", "remote:(dim=3)", "remote:a(dim=9,query=1)"]
)
def test_a_name_that_is_none_is_refused(marker):
    with pytest.raises(EmbedderMismatchError):
        registry.from_marker(marker)


def test_a_model_has_the_thresholds_of_its_family():
    def of(model):
        return RemoteEmbedder(model, url="https://host/v1", dim=384)

    assert of("multilingual-e5-small").profile != of("nomic-embed-text").profile
    assert profile_for(of("bge-small-en-v1.5").name) == profile_for(
        "local:bge-small-en-v1.5@1(dim=384)"
    )
    assert profile_for(of("nomic-embed-text").name).name == "general"


def test_a_memory_lives_through_the_absence_of_its_server(server, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "memory"
    monkeypatch.setenv(URL_VARIABLE, server.url)
    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    path = ("--path", str(folder), "--json")
    assert run([*path, "reembed", "--to", "remote:tiny", "--query-prefix", "find: "]) == exits.DONE
    with Hippocampus.open(folder) as memory:
        assert memory.context.embedder.name == f'remote:tiny(dim={DIM},query="find: ",text="")'
        memory.remember("The gateway runs nginx")
        assert memory.recall("what does the gateway run?").items
        assert memory.recall("what does the gateway run?").degraded is None
    monkeypatch.delenv(URL_VARIABLE)
    # Opening asks nobody; words still find, and the answer says what is missing.
    with Hippocampus.open(folder) as memory:
        packet = memory.recall("what does the gateway run?")
        assert packet.items[0].text == "The gateway runs nginx"
        assert URL_VARIABLE in packet.degraded
        with pytest.raises(EmbeddingError):
            memory.remember("The cache runs redis")
        assert memory.count() == 1
    capsys.readouterr()
    assert run([*path, "remember", "The cache runs redis"]) == exits.EMBEDDER
    assert SECRET not in "".join(capsys.readouterr())
    monkeypatch.setenv(URL_VARIABLE, server.url)
    assert run([*path, "remember", "The cache runs redis"]) == exits.DONE
    files = [item for item in folder.rglob("*") if item.is_file()]
    told = (SECRET.encode(), str(server.server_port).encode())
    assert not [item for item in files if any(word in item.read_bytes() for word in told)]
