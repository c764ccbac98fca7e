"""Spans are opt-in, say what happened, and quote nobody unless told to."""

from __future__ import annotations

import json

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from realmemory import tracing
from realmemory.errors import InvalidInputError

_EXPORTER = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def _provider():
    # There is one provider a process, and it cannot be taken back.
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(_EXPORTER))
    trace.set_tracer_provider(provider)
    tracing._tracer.cache_clear()
    return provider


@pytest.fixture
def spans(monkeypatch):
    _EXPORTER.clear()
    monkeypatch.setenv(tracing.ENABLED, "1")
    return lambda: [(one.name, dict(one.attributes)) for one in _EXPORTER.get_finished_spans()]


def use(memory):
    memory.remember("The safe opens with quokka")
    memory.recall("how does the safe open?")
    memory.recall("qwzx plugh")
    memory.consolidate()
    with pytest.raises(InvalidInputError):
        memory.recall("safe quokka", k=0)


def test_nothing_is_traced_unless_it_is_switched_on(memory, monkeypatch):
    _EXPORTER.clear()
    monkeypatch.delenv(tracing.ENABLED, raising=False)
    use(memory)
    assert _EXPORTER.get_finished_spans() == ()


def test_each_call_is_a_span_with_its_outcome_and_no_text(memory, spans):
    use(memory)
    found = spans()
    assert found == [
        ("realmemory.remember", {"realmemory.texts": 1, "realmemory.created": 1}),
        (
            "realmemory.recall",
            {
                "realmemory.hits": 1,
                "realmemory.abstained": False,
                "realmemory.reason": "",
                "realmemory.degraded": False,
            },
        ),
        ("realmemory.recall", found[2][1]),
        ("realmemory.consolidate", found[3][1]),
        ("realmemory.recall", {"error.type": "InvalidInputError"}),
    ]
    assert found[2][1]["realmemory.abstained"] is True
    everything = json.dumps([json.loads(one.to_json()) for one in _EXPORTER.get_finished_spans()])
    for secret in ("safe", "quokka", "qwzx"):
        assert secret not in everything


def test_texts_are_told_on_demand(memory, spans, monkeypatch):
    monkeypatch.setenv(tracing.CONTENT, "yes")
    use(memory)
    assert spans()[0][1]["realmemory.content"] == "The safe opens with quokka"
    assert spans()[1][1]["realmemory.content"] == "how does the safe open?"


def test_without_the_package_everything_works(memory, monkeypatch):
    monkeypatch.setenv(tracing.ENABLED, "1")
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.trace", None)
    tracing._tracer.cache_clear()
    try:
        use(memory)
    finally:
        tracing._tracer.cache_clear()
