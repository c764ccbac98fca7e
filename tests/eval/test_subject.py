"""Which embedder an option names."""

from __future__ import annotations

import pytest

from realmemory import ConfigurationError
from realmemory.encoding.static import StaticEmbedder
from realmemory.eval.subject import make_embedder


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
    with pytest.raises(ConfigurationError, match="embedder"):
        make_embedder(spec)
