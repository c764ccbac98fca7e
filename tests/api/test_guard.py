"""The gate of the daemon: every hostile request, on every route, over a real socket."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress

import anyio
import pytest

from api.daemons import PATIENCE_S, daemon, exchange, request, status_of
from realmemory.api.grants import GrantBook, owner_grant
from realmemory.api.guard import Guard

ROUTES = {
    "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "ping"},
    "/v1/tools/introspect": {"arguments": {}},
    "/v1/tools/memorize": {"arguments": {"text": "must never be written"}},
    "/nowhere": {},
}


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    with daemon(tmp_path_factory.mktemp("guard") / "memory") as (_, record):
        yield record
        # Whatever was thrown at it: it still answers, and nothing was written.
        answer = exchange(record.port, request(record, "/v1/tools/introspect"))
        told = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert told["result"]["stats"]["memories_active"] == 0


@pytest.fixture(params=ROUTES)
def route(request):
    return request.param


def asked(record, route, *, raw=None, **headers):
    content = raw if raw is not None else request(record, route, ROUTES[route], **headers)
    return exchange(record.port, content)


def refused(answer, *statuses):
    assert status_of(answer) in statuses, answer[:200]
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"access-control" not in head.lower()
    assert b"server:" not in head.lower()
    assert answer.count(b"HTTP/1.1 ") == 1
    return body


def test_good_request_passes(record):
    assert status_of(asked(record, "/mcp")) == 200
    assert status_of(asked(record, "/v1/tools/introspect")) == 200
    assert status_of(asked(record, "/nowhere")) == 404
    assert status_of(exchange(record.port, request(record, "/healthz", method="GET"))) == 200


@pytest.mark.parametrize(
    "host", [None, "evil.example", "127.0.0.1", "localhost.:{port}", "[::1]:{port}", "127.0.0.1:1"]
)
def test_foreign_name_is_refused(record, route, host):
    name = host.format(port=record.port) if host else None
    refused(asked(record, route, host=name), 400, 403)


def test_two_names_are_refused(record, route):
    raw = request(record, route, ROUTES[route])
    refused(asked(record, route, raw=raw.replace(b"\r\n", b"\r\nHost: evil.example\r\n", 1)), 400)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:{port}"])
def test_web_page_is_refused(record, route, origin):
    refused(asked(record, route, origin=origin.format(port=record.port)), 403)
    preflight = request(
        record,
        route,
        method="OPTIONS",
        origin=origin.format(port=record.port),
        authorization=None,
        access_control_request_method="POST",
    )
    refused(exchange(record.port, preflight), 403)


@pytest.mark.parametrize(
    "given",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "Bearer {token}x", "{token}"],
)
def test_missing_or_wrong_token_is_refused_alike(record, route, given):
    value = given.format(token=record.token) if given is not None else None
    body = refused(asked(record, route, authorization=value), 401)
    assert body == refused(asked(record, route, authorization="Bearer other"), 401)


def test_strange_tokens_are_refused(record, route):
    for value in ("Bearer \xff\xfe\xe9", "Bearer " + "x" * 8000):
        refused(asked(record, route, authorization=value), 401)
    twice = request(record, route, ROUTES[route]).replace(
        b"\r\nAuthorization", f"\r\nAuthorization: Bearer {record.token}\r\nAuthorization".encode()
    )
    refused(asked(record, route, raw=twice), 401)
    refused(exchange(record.port, _in_url(record, route)), 401)


def _in_url(record, route):
    return request(record, f"{route}?token={record.token}", authorization=None)


POSTED = [route for route in ROUTES if route != "/nowhere"]


@pytest.fixture(params=POSTED)
def posted(request):
    return request.param


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"],
)
def test_other_kinds_of_bodies_are_refused(record, posted, kind):
    refused(asked(record, posted, content_type=kind), 415)


def test_compressed_body_is_refused(record, posted):
    for coding in ("gzip", "deflate, gzip", "br"):
        refused(asked(record, posted, content_encoding=coding), 415)


@pytest.mark.parametrize(
    ("length", "statuses"),
    [
        (None, (411,)),
        ("-1", (400,)),
        ("+2", (400,)),
        ("1_0", (400,)),
        ("abc", (400,)),
        ("9223372036854775808", (400, 413)),
        ("34603008", (413,)),
        ("1048577", (413,)),
    ],
)
def test_unusable_length_is_refused(record, posted, length, statuses):
    refused(asked(record, posted, content_length=length), *statuses)


def test_body_at_the_limit_is_taken(record):
    filler = {"arguments": {}, "session": ""}
    filler["session"] = "a" * (1024 * 1024 - len(json.dumps(filler)))
    raw = request(record, "/v1/tools/introspect", filler)
    assert status_of(exchange(record.port, raw)) == 200


def test_second_request_hidden_in_a_body_is_never_answered(record, posted):
    hidden = request(record, "/v1/tools/memorize", {"arguments": {"text": "smuggled"}})
    for extra in (
        {"transfer_encoding": "chunked"},  # beside a length
        {"content_length": "4, 4"},
        {"content_length": None, "transfer_encoding": "gzip"},
        {"content_length": None, "transfer_encoding": "chunked, chunked"},
    ):
        raw = request(record, posted, b"0\r\n\r\n" + hidden, **extra)
        answer = exchange(record.port, raw)
        assert status_of(answer) in {400, 411, 501}
        assert answer.count(b"HTTP/1.1") == 1


def test_chunked_body_is_read(record):
    raw = request(record, "/v1/tools/introspect", b"", content_length=None)
    raw = raw.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert status_of(exchange(record.port, raw + b"2\r\n{}\r\n0\r\n\r\n")) == 200
    for bad in (b"zz\r\n{}\r\n0\r\n\r\n", b"2;" + b"x" * 100_000 + b"\r\n{}\r\n0\r\n\r\n"):
        assert status_of(exchange(record.port, raw + bad, end=True)) in {0, 400, 408}


def test_pipelined_requests_are_answered_in_order(record):
    one = request(record, "/healthz", method="GET", connection="keep-alive")
    last = request(record, "/nowhere", {})
    answer = exchange(record.port, one * 9 + last)
    statuses = [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [200] * 9 + [404]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "TRACE", "CONNECT", "foo"])
def test_other_methods_are_refused(record, posted, method):
    raw = request(record, posted, ROUTES[posted], method=method)
    refused(exchange(record.port, raw), 405)


def test_body_on_get_is_refused(record):
    raw = request(record, "/healthz", method="GET").replace(
        b"\r\n\r\n", b"\r\nContent-Length: 2\r\n\r\n{}"
    )
    refused(exchange(record.port, raw), 400)


@pytest.mark.parametrize(
    "path",
    [
        "//mcp",
        "/../mcp",
        "/mcp/",
        "/mcp%00",
        "/%6dcp",
        "/%2e%2e/mcp",
        "/v1/tools/",
        "/v1/tools/../../etc/passwd",
        "/v1/tools/%2e%2e",
        "/v1/tools/recall/more",
        "http://evil.example/mcp",
        "*",
        "/" + "x" * 8000,
    ],
    ids=lambda path: path[:24],
)
def test_other_paths_lead_nowhere(record, path):
    refused(exchange(record.port, request(record, path)), 400, 404)


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /healthz\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
        b"GET /healthz HTTP/1.1\nHost: x\n\n",
        b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nA: \x00\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
        b"GET /healthz HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"",
        b"\r\n\r\n\r\n",
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_what_is_not_http_ends_cleanly(record, raw):
    assert status_of(exchange(record.port, raw, end=True)) in {0, 400, 401, 403, 431}


@pytest.mark.parametrize(
    "body",
    [b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", "{}".encode("utf-16"), b"NaN", b"[]", b'{"a":Infinity}'],
    ids=repr,
)
def test_body_has_to_be_strict_json(record, body):
    refused(exchange(record.port, request(record, "/v1/tools/introspect", body)), 400)


def test_errors_of_tools_have_codes_and_tell_nothing_inside(record):
    def told(tool, arguments, **fields):
        raw = request(record, f"/v1/tools/{tool}", {"arguments": arguments, **fields})
        answer = exchange(record.port, raw)
        return status_of(answer), json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"]

    assert told("recall", {"limt": 1}) == (422, "invalid_arguments")
    assert told("recall", {"query": "x"}, project="a/b") == (422, "invalid_scope")
    assert told("recal", {}) == (404, "not_found")
    assert told("memorize", {"text": ""}) == (422, "empty_text")


def test_slow_heads_are_dropped_while_a_good_client_is_served(record):
    links = [socket.create_connection(("127.0.0.1", record.port)) for _ in range(200)]
    try:
        for link in links:
            link.sendall(b"GET /healthz HTTP/1.1\r\nHo")
        good = exchange(record.port, request(record, "/healthz", method="GET"))
        assert status_of(good) == 200
        for link in links:
            link.settimeout(PATIENCE_S)
            assert link.recv(100) == b""
    except ConnectionResetError:
        pass  # dropped, and not politely
    finally:
        for link in links:
            link.close()


def test_body_that_never_comes_is_given_up(record):
    raw = request(record, "/v1/tools/introspect", {}, content_length="100")
    with socket.create_connection(("127.0.0.1", record.port), timeout=PATIENCE_S) as link:
        link.sendall(raw)
        assert status_of(link.recv(65536)) == 408


def test_clients_that_vanish_do_no_harm(record):
    for _ in range(300):
        socket.create_connection(("127.0.0.1", record.port)).close()
    raw = request(record, "/v1/tools/introspect")
    for _ in range(50):
        link = socket.create_connection(("127.0.0.1", record.port))
        link.sendall(raw)
        link.close()
    while (status := status_of(exchange(record.port, raw))) == 503:
        continue  # it still works on what nobody waits for
    assert status == 200


def test_more_than_it_can_do_is_told_to_come_back(record):
    raw = request(record, "/v1/tools/dream_log")
    statuses = []
    start = threading.Barrier(150)

    def ask():
        start.wait()
        statuses.append(status_of(exchange(record.port, raw)))

    threads = [threading.Thread(target=ask) for _ in range(150)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 503}
    assert 200 in statuses
    assert status_of(exchange(record.port, raw)) == 200


def test_what_follows_a_body_is_no_request(record, posted):
    """A body longer than its length: the rest is refused or dropped, never worked on."""
    # Without arguments: a whole request would be worked on, and nothing is to be written here.
    raw = request(record, posted, b"{} and more", content_length="2")
    answer = exchange(record.port, raw)
    assert status_of(answer) in {200, 400, 422}
    assert answer.count(b"HTTP/1.1 ") == 1


def test_promised_body_that_never_comes_is_given_up(record, posted):
    raw = request(record, posted, {}, content_length="100", expect="100-continue")
    head = raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    answer = exchange(record.port, head)
    final = answer.replace(b"HTTP/1.1 100 \r\n\r\n", b"").replace(
        b"HTTP/1.1 100 Continue\r\n\r\n", b""
    )
    assert status_of(final) in {408, 413, 417}


def test_client_that_does_not_read_is_dropped(record):
    """Answers pile up until the buffers are full; then the connection goes, and nothing else."""
    raw = request(record, "/nowhere", {}, connection="keep-alive", method="GET")
    with socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.settimeout(PATIENCE_S)
        link.connect(("127.0.0.1", record.port))
        with suppress(ConnectionError, TimeoutError):
            for _ in range(20_000):
                link.sendall(raw)
    assert status_of(exchange(record.port, request(record, "/healthz", method="GET"))) == 200


def test_broken_store_says_its_path_to_the_owner_only(tmp_path):
    folder = tmp_path / "memory"
    with daemon(folder) as (_, record):
        arguments = {"arguments": {"text": "a kept secret"}}
        route = "/v1/tools/memorize"
        assert status_of(exchange(record.port, request(record, route, arguments))) == 200
        _, token = GrantBook(folder).mint(None, label="all")
        _, narrow = GrantBook(folder).mint(["shop"])
        (folder / "memory.db").unlink()

        def told(token):
            raw = request(record, route, arguments, authorization=f"Bearer {token}")
            answer = exchange(record.port, raw)
            assert status_of(answer) == 500
            return json.loads(answer.partition(b"\r\n\r\n")[2])["error"]

        assert str(folder) in told(token)["message"]
        assert str(folder) not in told(narrow)["message"]
        assert told(narrow)["code"] == told(token)["code"] == "store_replaced"


def test_fault_inside_is_answered_by_a_reference_alone(caplog):
    async def broken(scope, receive, send):
        raise RuntimeError("SELECT text FROM /home/anna/memory.db")

    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    guard = Guard(broken, owner_grant, 80)
    headers = [
        (b"host", b"127.0.0.1:80"),
        (b"authorization", b"Bearer x"),
        (b"content-type", b"application/json"),
        (b"content-length", b"2"),
    ]
    path = b"/v1/tools/recall"
    scope = {"type": "http", "method": "POST", "raw_path": path, "headers": headers}
    anyio.run(guard, scope, receive, send)
    assert sent[0]["status"] == 500
    error = json.loads(sent[1]["body"])["error"]
    assert error["code"] == "internal"
    assert "anna" not in str(error)
    assert "SELECT" not in str(error)
    reference = error["message"].split()[-1].rstrip(".")
    assert reference in caplog.text


@pytest.mark.parametrize("headers", [{"x": "a" * 70_000}, {f"x{n}": "a" for n in range(500)}])
def test_a_large_head_is_refused(record, route, headers):
    refused(asked(record, route, **headers), 431)


MALFORMED = [
    ('{"jsonrpc":"2.0","id":1,"method":"ping","id":2}', -32700, "'id' is repeated"),
    (
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"one","text":"other"}}',
        -32700,
        "'text' is repeated",
    ),
    ('{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32700, "1e999 is beyond"),
    ('{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700, "NaN"),
    ('{"jsonrpc":"2.0","id":' + "9" * 5_000 + ',"method":"ping"}', -32700, "64 bits"),
    ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "no single message"),
    ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "no single message"),
]


@pytest.mark.parametrize(("sent", "code", "told"), MALFORMED)
def test_what_is_no_message_is_refused_in_the_terms_of_the_protocol(record, sent, code, told):
    raw = request(record, "/mcp", sent.encode())
    answer = json.loads(refused(exchange(record.port, raw), 400))
    assert answer["jsonrpc"] == "2.0"
    assert answer["error"]["code"] == code
    assert told in answer["error"]["message"]


def test_arguments_outside_of_their_place_are_told_where_that_is(record):
    raw = request(record, "/v1/tools/recall", {"query": "anything"})
    error = json.loads(refused(exchange(record.port, raw), 400))["error"]
    assert error["code"] == "unknown_argument"
    assert "'query'" in error["message"]
    assert '"arguments"' in error["message"]
