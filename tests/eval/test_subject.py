"""Which embedder an option names."""

from __future__ import annotations

import pytest

from realmemory import ConfigurationError
from realmemory.encoding.static import StaticEmbedder
from realmemory.eval.subject import make_embedder, make_reranker


class Reader:
    name = "reader"

    def scores(self, query, texts):
        return [float(len(text)) for text in texts]


def test_an_embedder_can_be_imported():
    spec = "import:realmemory.encoding.static:StaticEmbedder"
    assert make_embedder(spec).name == StaticEmbedder().name


@pytest.mark.parametrize(
    "spec",
    [
        "nothing",
        "import:",
        "import:no_such_module:make",
        "import:realmemory.encoding.static:nothing",
        "import:realmemory.places:data_directory",
    ],
)
def test_what_names_no_embedder_is_refused(spec):
    with pytest.raises(ConfigurationError, match=r"embedder|imported|Embedding"):
        make_embedder(spec)


def test_a_reranker_is_named_or_imported():
    assert make_reranker("local:likes") == "local:likes"
    assert make_reranker("import:eval.test_subject:Reader").name == "reader"
    with pytest.raises(ConfigurationError, match="Reranker"):
        make_reranker("import:realmemory.places:data_directory")
