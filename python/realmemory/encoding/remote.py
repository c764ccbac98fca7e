"""An embedder behind an OpenAI-compatible ``/v1/embeddings``, on this machine or another.

Ollama, LM Studio, vLLM and the servers of llama.cpp speak it. Where the server is stands in the
environment or in the call and never in a store, which could otherwise send the texts of whoever
opens it to a stranger. Nothing is sent before a memory was told to use such an embedder.
"""

from __future__ import annotations

import json
import os
import re
import time
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from realmemory import switches
from realmemory.encoding.endpoint import Endpoint, RefusedError
from realmemory.encoding.local import family_profile, offline
from realmemory.encoding.protocol import normalised
from realmemory.encoding.static import shipped_encoder
from realmemory.errors import ConfigurationError, EmbeddingError, InvalidInputError
from realmemory.strict_json import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.core.static_table import Interaction
    from realmemory.encoding.protocol import EmbedderProfile, Vectors

URL_VARIABLE = "REALMEMORY_EMBED_URL"
KEY_VARIABLE = "REALMEMORY_EMBED_KEY"
HTTP_VARIABLE = "REALMEMORY_EMBED_ALLOW_HTTP"

_BATCH = 64
_BATCH_BYTES = 256 * 1024
_MOST_CHARS = 8_000
"""Of one text: servers refuse what is longer than their model reads, and some count close to words."""
_MOST_DIM = 16_384
_ATTEMPTS = 4
_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 10.0
_NAME = re.compile(r"remote:(.+)\(dim=(\d+)(?:,query=(\".*\"),text=(\".*\"))?\)", re.DOTALL)


class RemoteEmbedder:
    """A model that a server runs.

    Args:
        model: As the server names it.
        url: Base of its address, such as ``http://127.0.0.1:11434/v1``; by default what
            ``REALMEMORY_EMBED_URL`` says when the first text is embedded.
        key: Sent as a bearer token; by default what ``REALMEMORY_EMBED_KEY`` says.
        dim: Dimension of the vectors; without it the server is asked for one.
        query_prefix: Put in front of questions, as the model wants it.
        text_prefix: Put in front of texts.
        timeout_s: Longest wait for one batch of texts, all attempts together.
        query_timeout_s: Longest wait for a question.
        allow_http: Send texts in the clear to another machine; else
            ``REALMEMORY_EMBED_ALLOW_HTTP`` says so.
        profile: Thresholds for this model; by default those of its family.

    Raises:
        ConfigurationError: A name, the address or the key cannot be used.
        EmbeddingError: The dimension is not given, and the server does not answer.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        key: str | None = None,
        dim: int | None = None,
        query_prefix: str = "",
        text_prefix: str = "",
        timeout_s: float = 60.0,
        query_timeout_s: float = 10.0,
        allow_http: bool = False,
        profile: EmbedderProfile | None = None,
    ) -> None:
        if not model.strip() or len(model) > 200 or not model.isprintable():
            raise ConfigurationError(f"no server has a model {model[:80]!r}; name one as it does")
        self._model = model
        self._query_prefix, self._text_prefix = query_prefix, text_prefix
        self._timeout_s, self._query_timeout_s = timeout_s, query_timeout_s
        self._profile = profile or family_profile(model)
        self._allow_http = allow_http
        self._endpoint = (
            None if url is None else Endpoint(url, key, allow_http=self._http_allowed())
        )
        if dim is not None and not 0 < dim <= _MOST_DIM:
            raise ConfigurationError(f"dim lies between 1 and {_MOST_DIM}, got {dim}")
        self._dim = dim or 0
        self._dim = dim or self._encode(["dimension"], timeout_s).shape[1]

    @classmethod
    def from_marker(cls, marker: str) -> Self | None:
        """Return the embedder of a space that a store names; ``None`` if the name is another's.

        Its server is not asked, and need not be known before a text is to be embedded.
        """
        match = _NAME.fullmatch(marker)
        if match is None or not 0 < int(match[2]) <= _MOST_DIM:
            return None
        try:
            query, text = (json.loads(part) if part else "" for part in (match[3], match[4]))
        except ValueError:
            return None
        return cls(match[1], dim=int(match[2]), query_prefix=query, text_prefix=text)

    @property
    def dim(self) -> int:
        """Dimension of the vectors."""
        return self._dim

    @property
    def name(self) -> str:
        """Identity of the space: model, dimension and prefixes; not where the model runs."""
        prefixes = ""
        if self._query_prefix or self._text_prefix:
            quoted = (json.dumps(part) for part in (self._query_prefix, self._text_prefix))
            prefixes = ",query={},text={}".format(*quoted)
        return f"remote:{self._model}(dim={self._dim}{prefixes})"

    @property
    def profile(self) -> EmbedderProfile | None:
        """Thresholds for this model."""
        return self._profile

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; shape (texts, dim). What is beyond 8,000 characters is not read.

        Raises:
            EmbeddingError: The server is away, refuses, or answers with something else.
        """
        return self._rows(
            [self._text_prefix + text.strip() for text in texts], texts, self._timeout_s
        )

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions with the query prefix; shape (texts, dim).

        Raises:
            EmbeddingError: As :meth:`embed`.
        """
        asked = [self._query_prefix + text.strip() for text in texts]
        return self._rows(asked, texts, self._query_timeout_s)

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        """Compare the content words of a query with the words of each text.

        The table that ships does it: its words cost nothing, the server's a request for each text.
        """
        return shipped_encoder().interact(query, texts)

    def _rows(self, worded: Sequence[str], texts: Sequence[str], timeout_s: float) -> Vectors:
        rows = np.zeros((len(texts), self._dim), dtype=np.float32)
        told = [at for at, text in enumerate(texts) if text.strip()]
        for batch in _batches(told, worded):
            rows[batch] = self._encode([worded[at][:_MOST_CHARS] for at in batch], timeout_s)
        return normalised(rows)

    def _encode(self, texts: Sequence[str], timeout_s: float) -> Vectors:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        endpoint = self._reachable()
        answer = _asked(endpoint, json.dumps(body).encode("ascii"), timeout_s)
        try:
            return self._vectors(parse(answer), len(texts))
        except InvalidInputError as error:
            code = "invalid_vector" if error.code == "invalid_number" else None
            raise _wrong(endpoint, f"no JSON with vectors ({error.message})", code) from error

    def _vectors(self, answer: Any, wanted: int) -> Vectors:  # noqa: ANN401 - JSON of a stranger
        endpoint = self._reachable()
        items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(items, list) or len(items) != wanted:
            found = len(items) if isinstance(items, list) else "no list"
            raise _wrong(endpoint, f"{found} vectors for {wanted} texts")
        by_place = {item.get("index"): item for item in items if isinstance(item, dict)}
        if {type(place) for place in by_place} != {int} or set(by_place) != set(range(wanted)):
            raise _wrong(endpoint, "vectors that do not say which text each is of")
        vectors = [by_place[place].get("embedding") for place in range(wanted)]
        dim = self._dim or (len(vectors[0]) if isinstance(vectors[0], list) else 0)
        for vector in vectors:
            if not isinstance(vector, list) or not all(_is_number(value) for value in vector):
                raise _wrong(endpoint, "something that is no vector of numbers")
            if len(vector) != dim or not 0 < dim <= _MOST_DIM:
                found = f"a vector of dimension {len(vector)} instead of {dim}"
                raise _wrong(endpoint, found, "dim_mismatch")
        rows = np.array(vectors, dtype=np.float64)
        if not (np.abs(rows) <= np.finfo(np.float32).max).all():
            raise _wrong(endpoint, "NaN or infinity", "invalid_vector")
        return rows.astype(np.float32)

    def _reachable(self) -> Endpoint:
        """Return where to ask.

        Raises:
            EmbeddingError: Nobody said where the server is, or it may not be asked.
        """
        endpoint = self._endpoint or self._from_environment(os.environ)
        if offline() and not endpoint.is_here:
            raise EmbeddingError(
                f"the embedder is on {endpoint.host}, and REALMEMORY_OFFLINE allows this machine "
                "only; nothing was sent. Unset it, or run the model here.",
                code="offline",
            )
        return endpoint

    def _from_environment(self, environ: Mapping[str, str]) -> Endpoint:
        url = environ.get(URL_VARIABLE, "").strip()
        if not url:
            raise EmbeddingError(
                f"nobody said where the server of the embedder {self._model!r} is; nothing was "
                f"sent. Set {URL_VARIABLE}, such as http://127.0.0.1:11434/v1."
            )
        try:
            key = environ.get(KEY_VARIABLE, "").strip() or None
            return Endpoint(url, key, allow_http=self._http_allowed())
        except ConfigurationError as error:
            raise EmbeddingError(error.message, code=error.code) from error

    def _http_allowed(self) -> bool:
        return self._allow_http or switches.is_on(HTTP_VARIABLE)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _batches(places: Sequence[int], texts: Sequence[str]) -> list[list[int]]:
    """Return the places of the texts of each request, bounded in number and in bytes."""
    batches: list[list[int]] = []
    size = 0
    for at in places:
        length = min(len(texts[at]), _MOST_CHARS) * 4
        if not batches or len(batches[-1]) == _BATCH or size + length > _BATCH_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(at)
        size += length
    return batches


def _asked(endpoint: Endpoint, body: bytes, timeout_s: float) -> bytes:
    """Return the answer to one request, asked again where the server is busy or stumbles.

    Raises:
        EmbeddingError: No answer within the time, or one that says no.
    """
    deadline = time.monotonic() + timeout_s
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return endpoint.post("/embeddings", body, deadline=deadline)
        except RefusedError as error:
            pause = _PAUSE_S * 2 ** (attempt - 1) if error.wait_s is None else error.wait_s
            pause = min(pause, _LONGEST_PAUSE_S)
            last = attempt == _ATTEMPTS or time.monotonic() + pause >= deadline
            if last or not error.is_passing:
                raise EmbeddingError(
                    f"the embedder at {endpoint.shown} {error}; what is stored is unharmed, and "
                    "found by words. Start it or mend it, then try again.",
                ) from None
        time.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def _wrong(endpoint: Endpoint, found: str, code: str | None = None) -> EmbeddingError:
    return EmbeddingError(
        f"the embedder at {endpoint.shown} answered with {found}; nothing was stored. Check its "
        "address and the name of the model.",
        code=code,
    )
