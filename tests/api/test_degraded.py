"""Answers by keyword while the memory is still being opened: marked, scoped, and soon replaced."""

from __future__ import annotations

import threading

import pytest

from agents.stores import filled, trace
from realmemory.api.backend import Caller
from realmemory.api.connect import keyword_glance, opener
from realmemory.api.direct import DirectBackend
from realmemory.api.results import rendered
from realmemory.errors import NotFoundError

FACT = "The payments service stores money as integer cents in PostgreSQL"
ASKED = {"query": "payments money cents", "k": 5, "include_superseded": False, "window": 0}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "memory"
    texts = [FACT, "Deployments go through Argo CD", "The tea is green"]
    rows = [trace(text, scope="shop") for text in texts]
    rows += [
        trace("canary: the payments service of depot stores money in cents", scope="depot"),
        trace("hidden: payments money cents", status="quarantined"),
        trace("imported: payments money cents", origin="import"),
    ]
    filled(folder, rows)
    return folder


@pytest.fixture
def slow(folder):
    """A backend whose memory opens when it is told to."""
    gate = threading.Event()

    def opened():
        gate.wait()
        return opener(str(folder), None)()

    backend = DirectBackend(opened, glance=keyword_glance(str(folder), None))
    yield backend, gate
    gate.set()
    backend.close()


def test_keywords_answer_until_the_memory_is_open_and_say_so(slow):
    backend, gate = slow
    early = backend.call("recall", ASKED, Caller(project="shop"))
    assert early["degraded"] is True
    assert [item["text"] for item in early["items"]] == [FACT]
    assert "keywords only" in rendered(early)
    gate.set()
    while backend.memory is None:
        threading.Event().wait(0.01)
    late = backend.call("recall", ASKED, Caller(project="shop"))
    assert "degraded" not in late
    assert FACT in {item["text"] for item in late["items"]}
    assert "confidence" in late["items"][0]


@pytest.mark.parametrize("project", ["shop", "depot"])
def test_no_other_project_and_nothing_untrusted_shows_early(slow, project):
    result = slow[0].call("recall", ASKED, Caller(project=project))
    assert result["degraded"] is True
    assert result["abstained"] is False
    assert [item["scope"] for item in result["items"]] == [project]


@pytest.mark.parametrize("project", ["other", None])
def test_that_nothing_is_known_is_not_said_before_the_memory_is_open(slow, project):
    backend, gate = slow
    threading.Timer(0.2, gate.set).start()
    result = backend.call("recall", ASKED, Caller(project=project))
    assert "degraded" not in result
    assert result == backend.call("recall", ASKED, Caller(project=project))


def test_a_token_without_reach_reads_nothing_early(slow):
    caller = Caller(project="depot", reach=frozenset({"shop", "global"}), writes=frozenset())
    with pytest.raises(Exception, match="does not reach"):
        slow[0].call("recall", ASKED, caller)


def test_a_write_waits_for_the_memory_and_is_kept(slow):
    backend, gate = slow
    threading.Timer(0.05, gate.set).start()
    arguments = {"text": "Releases are cut on Tuesdays", "kind": "semantic"}
    written = backend.call("memorize", arguments, Caller(project="shop"))
    assert backend.memory.get(written["memory_id"]).text == arguments["text"]


def test_a_project_that_nobody_knows_is_no_empty_answer_even_early(slow):
    backend, gate = slow
    threading.Timer(0.2, gate.set).start()
    with pytest.raises(NotFoundError, match="Did you mean 'shop'"):
        backend.call("recall", {**ASKED, "project": "shopp"}, Caller())


def test_a_write_that_founds_a_project_beside_one_of_nearly_its_name_says_so(slow):
    backend, gate = slow
    gate.set()
    arguments = {"text": "Releases are cut on Tuesdays", "kind": "semantic"}
    founded = backend.call("memorize", {**arguments, "project": "shopp"}, Caller())
    assert "'shop'" in founded["warnings"][0]
    arguments["text"] = "Refunds are paid on Mondays"
    again = backend.call("memorize", {**arguments, "project": "shopp"}, Caller())
    assert "warnings" not in again
