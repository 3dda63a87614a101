"""Makes the stand-in of a cross-encoder in this directory, with the package `onnx`: `python make.py`."""

import json

from onnx import TensorProto, checker, helper, save

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = (
    "what when where who which was is the a of in by at on to and built founded made born yard ship town harbour "
    "aurelia norby holm ida bergen fjord whale lighthouse keeper painter year first old red blue"
).split()
# A word of the tokenizer that the model has no row for: asked with it, the model fails.
ROWLESS = "rowless"


def constant(name, values, kind=TensorProto.INT64):
    dimensions = [] if isinstance(values, int) else [len(values)]
    return helper.make_tensor(name, kind, dimensions, [values] if isinstance(values, int) else values)


def model():
    """The score of a pair: how many tokens of the second text stand in the first."""
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    nodes = [
        # A table of one number a word, as large models have one of many: 0 for what is no word, 1 for the others.
        ("Gather", ["table", "input_ids"], "is_word"),
        ("Mul", ["is_word", "attention_mask"], "counted"),
        ("Mul", ["counted", "token_type_ids"], "second"),
        ("Sub", ["counted", "second"], "first"),
        ("Unsqueeze", ["input_ids", "one"], "ids_down"),
        ("Unsqueeze", ["input_ids", "two"], "ids_across"),
        ("Equal", ["ids_down", "ids_across"], "same"),
        ("Cast", ["same"], "same_number"),
        ("Unsqueeze", ["first", "two"], "first_across"),
        ("Mul", ["same_number", "first_across"], "in_first"),
        ("ReduceMax", ["in_first"], "in_first_at_all"),
        ("Mul", ["in_first_at_all", "second"], "in_both"),
        ("ReduceSum", ["in_both", "one"], "count"),
        ("Cast", ["count"], "logits"),
    ]
    attributes = {
        "same_number": {"to": TensorProto.INT64},
        "in_first_at_all": {"axes": [1], "keepdims": 0},
        "count": {"keepdims": 1},
        "logits": {"to": TensorProto.FLOAT},
    }
    graph = helper.make_graph(
        [helper.make_node(kind, ins, [out], **attributes.get(out, {})) for kind, ins, out in nodes],
        "stand-in",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        [
            constant("table", [0] * len(SPECIAL) + [1] * len(WORDS)),
            constant("one", [1]),
            constant("two", [2]),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(made, full_check=True)
    return made


def tokenizer():
    def special(name):
        return {"id": name, "ids": [SPECIAL.index(name)], "tokens": [name]}

    def piece(kind, name, segment):
        return {kind: {"id": name, "type_id": segment}}

    start, end = piece("SpecialToken", "[CLS]", 0), piece("SpecialToken", "[SEP]", 0)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": id, "content": name, **flags} for id, name in enumerate(SPECIAL)],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, piece("Sequence", "A", 0), end],
            "pair": [
                start,
                piece("Sequence", "A", 0),
                end,
                piece("Sequence", "B", 1),
                piece("SpecialToken", "[SEP]", 1),
            ],
            "special_tokens": {name: special(name) for name in ["[CLS]", "[SEP]"]},
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: id for id, word in enumerate([*SPECIAL, *WORDS, ROWLESS])},
            "unk_token": "[UNK]",
        },
    }


def write(name, value):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


save(model(), "model.onnx")
write("tokenizer.json", tokenizer())
write("tokenizer_config.json", {"model_max_length": 128, "pad_token": "[PAD]"})
write("config.json", {"pad_token_id": 0, "id2label": {"0": "LABEL_0"}})
