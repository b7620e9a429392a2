#!/usr/bin/env python3
"""Graph files of gnn-sample, from arrays of NumPy or from a set of the data folder, for measurements beside rivals.

    to_graph.py npy OFFSETS.npy NEIGHBORS.npy OUT.safetensors [--train NODES.npy] [--dim D] [--classes C]
                    [--seed 1] [--directed]
    to_graph.py set FOLDER OUT.safetensors [--splits 5] [--normalize]

npy: row r of NEIGHBORS, from OFFSETS[r] to OFFSETS[r + 1], holds the sources of the edges into node r,
ascending. --train: nodes whose `split` is 0, that of all others is 255. --dim, --classes: features from a
normal distribution and labels at random, for measurements of time alone.
set: edges in both directions, features in F32. A set without a split of its own gets --splits random ones, of
20 nodes a class to train on and 30 to validate with, by seeds 0, 1 ..., as accuracy.py draws them. --normalize:
the features of each node add up to 1. Needs NumPy.
"""
import argparse

import graph_data
import numpy as np


def from_npy(args):
    tensors = {"offsets": np.load(args.offsets).astype(np.uint64),
               "neighbors": np.load(args.neighbors, mmap_mode="r").astype(np.uint32)}
    nodes = len(tensors["offsets"]) - 1
    rng = np.random.default_rng(args.seed)
    if args.dim:
        tensors["features"] = rng.standard_normal((nodes, args.dim), np.float32)
    if args.classes:
        tensors["labels"] = rng.integers(args.classes, size=nodes, dtype=np.int32)
    if args.train:
        tensors["split"] = np.full(nodes, graph_data.NONE, np.uint8)
        tensors["split"][np.load(args.train)] = graph_data.TRAIN
    return tensors, args.directed


def from_set(args):
    tensors = graph_data.read_set(args.folder)
    tensors["split"] = graph_data.splits_of(tensors, args.splits)
    if args.normalize:
        tensors["features"] = graph_data.normalized(tensors["features"])
    return tensors, False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    npy = commands.add_parser("npy")
    npy.add_argument("offsets")
    npy.add_argument("neighbors")
    npy.add_argument("--train")
    npy.add_argument("--dim", type=int, default=0)
    npy.add_argument("--classes", type=int, default=0)
    npy.add_argument("--seed", type=int, default=1)
    npy.add_argument("--directed", action="store_true")
    npy.set_defaults(read=from_npy)
    text = commands.add_parser("set")
    text.add_argument("folder")
    text.add_argument("--splits", type=int, default=5)
    text.add_argument("--normalize", action="store_true")
    text.set_defaults(read=from_set)
    for command in (npy, text):
        command.add_argument("out")
    args = parser.parse_args()
    tensors, directed = args.read(args)
    nodes, edges = len(tensors["offsets"]) - 1, len(tensors["neighbors"])
    graph_data.write_graph(args.out, tensors, graph_data.metadata_of(tensors, directed))
    print(f"{args.out}: {nodes} nodes, {edges} edges")


if __name__ == "__main__":
    main()
