"""Which fitted profile an embedder gets, by its name."""

from __future__ import annotations

import pytest

from realmemory.policies.relevance import profile_for


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("realmemory-static-1-5c5d15678b11", "realmemory-static"),
        ("hashing(v=1,dim=2048,seed=7)", "hashing"),
        ("local:bge-small-en-v1.5@0123(dim=384,pooling=cls)", "local:bge-small-en-v1.5"),
        ("local:BAAI/bge-small-en-v1.5@0.9.1(dim=384,pooling=mean)", "local:bge-small-en-v1.5"),
        (
            "local:intfloat/multilingual-e5-small@1(dim=384,pooling=mean)",
            "local:multilingual-e5-small",
        ),
        ("local:another-model@1(dim=8,pooling=mean)", "general"),
        ("mine:bge-small-en-v1.5", "general"),
    ],
)
def test_a_model_has_one_profile_however_it_is_named(name, family):
    assert profile_for(name).name == family
