#!/usr/bin/env python3
"""Test accuracy and CPU seconds of gnn-sample with and without weights of edges, beside PyTorch Geometric.

    edge_weights.py graph SET OUT.safetensors [--data FOLDER]
    edge_weights.py run PROGRAM [--sets duckdb,tweets,photo,cs] [--ways gcn,sage] [--rivals gcn,sage] [--seeds 3]
                    [--options OPTIONS] [--graphs FOLDER] [--data FOLDER] [--json FILE]

graph: a set as a graph file with weights. duckdb: files of DuckDB's repository; an edge is as heavy as there are commits
of at most 30 files that change both. Its classes are top folders. tweets: films, edges by numbers of users who rated
both, of those with at most 50 ratings; classes are genres. In these two a node's features are a random projection of the
edges without weights, beside the kind of file or the year. photo, cs: the edges of the set, each as heavy as the cosine
of the features of its ends. run: each way without and with --edge-weights. Every step is made on all training nodes and
their whole neighbourhoods, in both programs. CPU seconds are user time of the whole command, with one thread. Needs
SciPy, and PyTorch Geometric for rivals.
"""
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

import graph_data
import numpy as np
import tuned

OPTIONS = ("--hidden 128 --dropout 0.5 --norm batch --learning-rate 0.01 --epochs 50 --fanouts=-1,-1 --batch-size 1000000 "
           "--eval-every 5")
RIVAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "edge_weights_rival.py")
COLUMNS, HOPS = 128, 3
FEWEST = 50  # nodes of a class; those of smaller ones have no label


def rows_of(data, folder, name):
    text = graph_data.read_text(os.path.join(data, folder), name)
    return [line.split(",") for line in text.splitlines()[1:]]


def together(groups, nodes):
    """Numbers of groups that have both nodes: a symmetric matrix without a diagonal."""
    import scipy.sparse
    pairs = [(g, node) for g, group in enumerate(groups) for node in set(group)]
    rows, columns = np.array(pairs).T
    members = scipy.sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(groups), nodes))
    counts = (members.T @ members).tolil()
    counts.setdiag(0)
    counts = counts.tocsr()
    counts.eliminate_zeros()
    return counts.sorted_indices()


def groups_of(rows, key, node, most):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(int(row[node]))
    return [group for group in groups.values() if 2 <= len(group) <= most]


def projected(counts):
    """Random columns carried over edges without weights, as by GCN."""
    import scipy.sparse
    plain = counts.copy()
    plain.data[:] = 1
    roots = scipy.sparse.diags(1 / np.sqrt(1 + plain.sum(1).A1))
    matrix = roots @ (plain + scipy.sparse.identity(plain.shape[0])) @ roots
    x = np.random.default_rng(0).standard_normal((plain.shape[0], COLUMNS))
    for _ in range(HOPS):
        x = matrix @ x
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)


def one_hot(texts):
    kinds = {text: number for number, text in enumerate(sorted(set(texts)))}
    return np.eye(len(kinds))[[kinds[text] for text in texts]]


def counted(counts, kinds, classes):
    names, labels, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    kept = np.cumsum(sizes >= FEWEST) - 1
    labels = np.where(sizes[labels] >= FEWEST, kept[labels], -1).astype(np.int32)
    features = np.concatenate([projected(counts), one_hot(kinds)], 1).astype(np.float32)
    draw = np.random.default_rng(0).random(len(labels))
    split = np.where(draw < 0.6, graph_data.TRAIN, np.where(draw < 0.8, graph_data.VALID, graph_data.TEST))
    return {"offsets": counts.indptr.astype(np.uint64), "neighbors": counts.indices.astype(np.uint32),
            "weights": counts.data.astype(np.float32), "features": features, "labels": labels,
            "split": split.astype(np.uint8)}


def duckdb(data):
    items = rows_of(data, "temporal/duckdb-commits", "items.csv")
    rows = rows_of(data, "temporal/duckdb-commits", "interactions.csv")
    counts = together(groups_of(rows, lambda row: (row[0], row[2]), 1, 30), len(items))
    return counted(counts, [item[1] for item in items], [item[3] for item in items])


def tweets(data):
    rows = [row for name in ("train.csv", "test.csv") for row in rows_of(data, "ctr/movietweetings-100k", name)]
    numbers = {film: number for number, film in enumerate(sorted({row[2] for row in rows}))}
    years, genres = [""] * len(numbers), [""] * len(numbers)
    for row in rows:
        row[2] = numbers[row[2]]
        years[row[2]], genres[row[2]] = row[3], row[4]
    return counted(together(groups_of(rows, lambda row: row[1], 2, 50), len(numbers)), years, genres)


def cosines(name, data):
    tensors = graph_data.read_set(os.path.join(data, "graph", tuned.FOLDERS[name]))
    tensors["split"] = tuned.own_split(name, len(tensors["labels"]), data)
    x = tensors["features"] / np.maximum(np.linalg.norm(tensors["features"], axis=1, keepdims=True), 1e-12)
    targets = np.repeat(np.arange(len(x)), np.diff(tensors["offsets"].astype(np.int64)))
    sources = tensors["neighbors"].astype(np.int64)
    weights = [np.einsum("ij,ij->i", x[sources[e:e + 4096]], x[targets[e:e + 4096]]) for e in range(0, len(sources), 4096)]
    tensors["weights"] = np.maximum(np.concatenate(weights), 0).astype(np.float32)
    return tensors


def make_graph(name, out, data):
    tensors = {"duckdb": duckdb, "tweets": tweets}[name](data) if name in ("duckdb", "tweets") else cosines(name, data)
    graph_data.write_graph(out, *graph_data.sparse_features(tensors, graph_data.metadata_of(tensors)))


def train(args, graph, program, way, weights, seed):
    given = ["--edge-weights"] if weights else []
    if program == "pyg":
        command = [sys.executable, RIVAL, graph, "--architecture", way, *given, "--seed", str(seed)]
    else:
        command = [args.program, "train", graph, "--architecture", way, *given, *shlex.split(OPTIONS),
                   *shlex.split(args.options), "--seed", str(seed), "--threads", "1", "-o", graph + ".model", "--force",
                   "--json", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {"program": program, "way": way, "weights": weights, "seed": seed, "test": 100 * result["test_accuracy"],
            "valid": 100 * result["validation_accuracy"],
            "cpu": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}


def run(args):
    rows = []
    kinds = [("gnn-sample", way) for way in args.ways.split(",")] + [("pyg", way) for way in args.rivals.split(",") if way]
    kinds = [(*kind, weights) for kind in kinds for weights in (False, True)]
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.sets.split(","):
            graph = os.path.join(args.graphs or scratch, name + "-weighted.safetensors")
            if not os.path.exists(graph):
                make_graph(name, graph, args.data)
            runs = {kind: [] for kind in kinds}
            for seed in range(1, args.seeds + 1):  # alternated
                for kind in kinds:
                    runs[kind].append({"set": name, **train(args, graph, *kind, seed)})
                    rows.append(runs[kind][-1])
            for kind in kinds:
                program, way, weights = kind
                print(f"| {name} | {way} | {program} | {'weights' if weights else 'none'} | "
                      f"{tuned.spread([r['test'] for r in runs[kind]])} | {tuned.spread([r['valid'] for r in runs[kind]])} | "
                      f"{statistics.median(r['cpu'] for r in runs[kind]):.1f} |", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def add_options(measure):
    measure.add_argument("--sets", default="duckdb,tweets,photo,cs")
    measure.add_argument("--ways", default="gcn,sage")
    measure.add_argument("--rivals", default="")
    measure.add_argument("--options", default="")


if __name__ == "__main__":
    tuned.read_command(__doc__, make_graph, run, add_options)
