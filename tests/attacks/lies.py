#!/usr/bin/env python3
"""Attacks every tool with the same lies each time: files that once crashed it, each with the status that it must have now, and
every tensor of every kind of model and checkpoint with a row more than the others. file_attack.py says what a tool may do.

    lies.py BIN_DIR [EVERY]     of the tensors only each EVERY-th; prints a table, fails if anything was found. What was found
                                is left in attacks.found in the current folder.
"""
import json
import sys

import file_attack
import model_kinds
from tensor_file import Tensor


def with_rows(tensor, rows):
    """The tensor with so many rows: its own, again where they are not enough."""
    size = len(tensor.data) // max(1, tensor.shape[0])
    data = tensor.data * (rows // max(1, tensor.shape[0]) + 1)
    return Tensor(tensor.dtype, [rows, *tensor.shape[1:]], data[:rows * size])


def rows(name, count):
    return lambda metadata, tensors: tensors.update({name: with_rows(tensors[name], count)})


def text(key, value):
    return lambda metadata, tensors: metadata.update({key: value})


def no_units(metadata, tensors):
    metadata["model.hidden"] = "0"
    for name in ("features.weight", "labels.weight"):
        tensors[name] = Tensor("F32", [tensors[name].shape[0], 0], b"")


def separator(found):
    def change(metadata, _):
        features = json.loads(metadata["frugal.features"])
        features["layout"]["separator"] = found
        metadata["frugal.features"] = json.dumps(features)
    return change


# Kind of file, what is changed, the command's first words, the status of all commands of the kind that begin with them.
KNOWN = [("pure-tree", text("tree.trees", "0"), "sparse-train", 65),
         ("hybrid", text("tree.trees", "0"), "sparse-train", 65),
         ("trees-int8", rows("tree.1.weight_scales", 3), "sparse-train", 65),
         ("checkpoint-trees", text("tree.labels", "9"), "sparse-train", 65),
         ("checkpoint-trees", text("tree.features", "19"), "sparse-train", 65),
         ("dense-words", rows("features.name_ends", 2), "sparse-train", 65),
         ("dense-words", no_units, "sparse-train", 65),
         ("graph-array", text("embedding.tables", '[{"name":"features","rows":10,"first":50}]'), "gnn-sample", 65),
         ("graph-array", text("embedding.tables", "[]"), "gnn-sample", 65),
         *(("parts", text("partition.parts", count), "gnn-sample", 65) for count in ("0", "1", "18446744073709551615")),
         ("parts", lambda _, tensors: tensors.update(partition=Tensor(
             "U32", [1, *tensors["partition"].shape], tensors["partition"].data)), "gnn-sample", 65),
         *(("gnn-hoga", text(f"gnn.{key}", value), "gnn-sample", 65) for key, value in (
             ("head_layers", "0"), ("hops", "0"), ("hops", "4"), ("heads", "256"), ("hidden", "65536"), ("norm", "batch"))),
         ("lsh", lambda metadata, _: metadata.update({"frugal.features": metadata["frugal.features"].replace(
             '"weighting":"', '"weighting":"x')}), "sparse-train", 65),
         *(("dense-words", separator(found), "sparse-train", 65) for found in ("", ",,")),
         *(("dense-words", text("frugal.history", history), "sparse-train info", 65)
           for history in ("7", '"x"', "null", "{}", "[1]", "[[]]", '[{"argv":7}]', "[", "", "[" * 100000 + "]" * 100000)),
         ("dense-words", text("frugal.features", '{"a":' * 100000 + "1" + "}" * 100000), "sparse-train", 65),
         *(("tgn-mean", rows(name, count), "tgn-train", 65)
           for name in ("trained.memory", "trained.past.last", "trained.past.previous") for count in (1, 59, 61, 105, 120)),
         *(("tgn-pairs", rows(name, count), "tgn-train", 65)
           for name in ("trained.past.last", "trained.pairs.partners", "trained.pairs.walks") for count in (61, 120)),
         *(("tgn-alone", text(f"tgn.{key}", value), "tgn-train", status) for key, value, status in (
             ("node_dim", "8192", 65), ("node_dim", "0", 65), ("architecture", "tgn-attn", 65), ("edge_features", "8192", 65))),
         ("tgn-named", text("tgn.trained_destinations", "1"), "tgn-train", 65),
         ("tgn-named", text("tgn.trained_destinations", "4000000000"), "tgn-train", 65)]


def tell_known(attack):
    for kind, change, words, status in KNOWN:
        name = model_kinds.name_of(kind)
        for command in model_kinds.COMMANDS[name]:
            if command.startswith(words):
                metadata, tensors = (dict(part) for part in attack.seeds[name])
                change(metadata, tensors)
                attack.attack(name, metadata, tensors, command, "a known lie", status)


def tell_rows(attack, every):
    number = 0
    for name, (metadata, tensors) in sorted(attack.seeds.items()):
        for tensor in sorted(tensors):
            if not tensors[tensor].shape:
                continue
            number += 1
            if number % every == 0:
                more = tensors[tensor].shape[0] + 1
                changed = {**tensors, tensor: with_rows(tensors[tensor], more)}
                commands = model_kinds.COMMANDS[name]
                attack.attack(name, metadata, changed, commands[number // every % len(commands)], f"{more} rows in {tensor}")


def main():
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1

    def tell(attack):
        tell_known(attack)
        tell_rows(attack, every)

    sys.exit(0 if file_attack.in_scratch(sys.argv[1], tell) else 1)


main()
