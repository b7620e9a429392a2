#!/usr/bin/env python3
"""Cut edges and balance of parts of graphs of several types: the methods of gnn-sample partition, a hash of the node's
number, and METIS on all nodes as one type. Prints a line for each graph, number of parts and way: medians of the seeds.

    typed_partitions.py GRAPH.safetensors... [--parts 4,8,64] [--seeds 1,2,3] [--program GNN_SAMPLE]

cut: share of the edges of all relations with ends in different parts. balance: nodes of the largest part relative to the
mean, of the type with the worst one among those with 20 nodes a part or more; edge balance likewise for edges by target.
warnings: of all seeds together.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile

import graph_data
import measures
import numpy as np

FEW = 20  # nodes a part: below them the next whole number may be far above the mean


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def hash_parts(count, parts, seed):
    """A hash of the node's number, modulo the parts."""
    z = np.arange(count, dtype=np.uint64) + np.uint64(seed * 0x9e3779b97f4a7c15 % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return ((z ^ (z >> np.uint64(31))) % np.uint64(parts)).astype(np.int64)


def balance(parts, count):
    loads = np.bincount(parts, minlength=count)
    return loads.max() * count / loads.sum()


class Typed:
    def __init__(self, path, folder, program):
        self.path, self.folder, self.program, self.warnings = path, folder, program, 0
        self.nodes, self.edges = graph_data.read_types(path)
        self.joined = os.path.join(folder, "joined.safetensors")
        self.first, at = {}, 0
        for kind, node in self.nodes.items():
            self.first[kind], at = at, at + node["size"]
        ends = np.concatenate([np.stack([e[0] + self.first[s], e[1] + self.first[t]]) for (s, _, t), e in self.edges.items()], axis=1)
        offsets, neighbors = graph_data.to_csr(at, np.concatenate(ends), np.concatenate(ends[::-1]))
        tensors = {"offsets": offsets, "neighbors": neighbors}
        graph_data.write_graph(self.joined, tensors, graph_data.metadata_of(tensors))

    def run(self, graph, parts, seed, method):
        out = os.path.join(self.folder, "parts.safetensors")
        said = subprocess.run([self.program, "partition", graph, "--parts", str(parts), "--seed", str(seed), "--method", method,
                               "-o", out, "-f"], check=True, text=True, capture_output=True).stderr
        self.warnings += said.count("warning:")
        return graph_data.read_graph(out)[0]

    def parts_of(self, way, parts, seed):
        if way == "hash":
            return {kind: hash_parts(node["size"], parts, seed) for kind, node in self.nodes.items()}
        if way == "one type":
            all_parts = self.run(self.joined, parts, seed, "multilevel")["partition"].astype(np.int64)
            return {kind: all_parts[self.first[kind]:][:node["size"]] for kind, node in self.nodes.items()}
        found = self.run(self.path, parts, seed, way)
        return {kind: found[f"nodes/{kind}/partition"].astype(np.int64) for kind in self.nodes}

    def measure(self, way, parts, seed):
        began = children_seconds()
        of = self.parts_of(way, parts, seed)
        seconds = children_seconds() - began
        cut = sum(int((of[s][e[0]] != of[t][e[1]]).sum()) for (s, _, t), e in self.edges.items())
        targets = np.concatenate([of[t][e[1]] for (_, _, t), e in self.edges.items()])
        worst = max(balance(of[kind], parts) for kind, node in self.nodes.items() if node["size"] >= FEW * parts)
        return cut / len(targets), worst, balance(targets, parts), seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--parts", default="4,8,64")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--program", default=measures.default_program("gnn-sample"))
    args = parser.parse_args()
    for path in args.graphs:
        with tempfile.TemporaryDirectory() as folder:
            graph = Typed(path, folder, args.program)
            for parts in map(int, args.parts.split(",")):
                for way in ("hash", "random", "ldg", "multilevel", "one type"):
                    graph.warnings = 0
                    runs = [graph.measure(way, parts, int(seed)) for seed in args.seeds.split(",")]
                    cut, worst, edges, seconds = (statistics.median(values) for values in zip(*runs))
                    print(json.dumps({"graph": path, "parts": parts, "way": way, "cut": round(cut, 4), "balance": round(worst, 3),
                                      "edge_balance": round(edges, 2), "seconds": round(seconds, 2),
                                      "warnings": graph.warnings}), flush=True)


if __name__ == "__main__":
    main()
