"""A cross-encoder of a few hundred bytes: it likes the texts that hold certain words.

It has what real ones have: a tokenizer for pairs, segment ids, one logit a pair. The registries
that are at hand serve no trained one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

if TYPE_CHECKING:
    from pathlib import Path

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def build(folder: Path, liked: dict[str, float]) -> Path:
    """Write the model; the logit of a text is the sum of the weights of its words."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate((*_SPECIAL, *liked))}
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    weights = np.array([0.0] * len(_SPECIAL) + list(liked.values()), dtype=np.float32)
    onnx.save(_model(weights), str(folder / "model.onnx"))
    settings = {"model_max_length": 64, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    return folder


def _tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def _model(weights: np.ndarray) -> onnx.ModelProto:
    names = ("input_ids", "token_type_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "n"]) for name in names]
    constants = [
        numpy_helper.from_array(weights, "weights"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
    ]
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["liked"]),
        # The question is not judged, only the text after it.
        helper.make_node("Cast", ["token_type_ids"], ["of_text"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["liked", "of_text"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "axis"], ["logits"], keepdims=1),
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 1])
    graph = helper.make_graph(nodes, "likes", inputs, [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
