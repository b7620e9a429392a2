#!/usr/bin/env python3
"""Test accuracy and CPU seconds of gnn-sample on the splits of tuned GCN, GraphSAGE and GAT (Luo, Shi, Wu, NeurIPS
2024, arXiv 2406.08993), beside what its authors publish (medium_graph/README.md of LUOyk1999/tunedGNN).

    tuned.py graph SET OUT.safetensors [--data FOLDER]
    tuned.py run PROGRAM [--sets photo,computers,cs,physics] [--ways tuned-gcn,tuned-sage] [--seeds 3] [--threads 1]
                 [--configs configs] [--data FOLDER] [--json FILE]

graph: a set of the data folder as a graph file, with edges in both directions, features as they are, and the set's
split of 60, 20 and 20 % (tuned-splits/*.npz). Sets without such a split keep their own. SET+loops has an edge from
each node to itself, too. run: the way NAME has the options of configs/NAME.yaml, and those after a colon:
'sage:--epochs 60' has no file. Ways are separated by commas before a letter. CPU seconds are those of the whole
command. Needs NumPy. The set physics is coauthor_phy.npz of EdisonLeeeee/GraphData in the text form of the others.
"""
import argparse
import json
import os
import re
import resource
import shlex
import statistics
import subprocess
import tempfile

import graph_data
import numpy as np

FOLDERS = {"photo": "amazon_photo", "computers": "amazon_cs", "cs": "coauthor_cs", "physics": "coauthor_physics"}
SPLITS = {"photo": "amazon-photo", "computers": "amazon-computer", "cs": "coauthor-cs", "physics": "coauthor-physics"}
PARTS = {"train": graph_data.TRAIN, "valid": graph_data.VALID, "test": graph_data.TEST}
PUBLISHED = {("photo", "gcn"): "96.10 +- 0.46", ("photo", "sage"): "96.78 +- 0.23",
             ("computers", "gcn"): "93.99 +- 0.12", ("computers", "sage"): "93.25 +- 0.14",
             ("cs", "gcn"): "96.17 +- 0.06", ("cs", "sage"): "96.38 +- 0.11",
             ("physics", "gcn"): "97.46 +- 0.10", ("physics", "sage"): "97.19 +- 0.18"}
AUC = ("tolokers",)  # judged by the area under the ROC curve, as Platonov et al. 2023 do


def own_split(name, nodes, data):
    """[nodes, 1] of the numbers of PARTS."""
    split = np.full(nodes, graph_data.NONE, np.uint8)
    with np.load(os.path.join(data, "graph", "tuned-splits", SPLITS[name] + ".npz")) as parts:
        for part, number in PARTS.items():
            split[parts[part]] = number
    return split.reshape(-1, 1)


def add_loops(tensors):
    nodes = len(tensors["labels"])
    targets = np.repeat(np.arange(nodes), np.diff(tensors["offsets"].astype(np.int64)))
    tensors["offsets"], tensors["neighbors"] = graph_data.to_csr(
        nodes, np.concatenate([tensors["neighbors"], np.arange(nodes)]), np.concatenate([targets, np.arange(nodes)]))


def make_graph(name, out, data):
    name, _, more = name.partition("+")
    folder = os.path.join(data, "graph", FOLDERS.get(name, name))
    tensors = graph_data.read_set(folder)
    if more == "loops":
        add_loops(tensors)
    if name in SPLITS:
        tensors["split"] = own_split(name, len(tensors["labels"]), data)
    graph_data.write_graph(out, *graph_data.sparse_features(tensors, graph_data.metadata_of(tensors)))


def options_of(way, configs):
    """The command-line options of a way: of a file of that name, and those after the colon."""
    name, _, more = way.partition(":")
    path = os.path.join(configs, name + ".yaml")
    return (["--config", path] if os.path.exists(path) else ["--architecture", name]) + shlex.split(more)


def train(args, graph, name, way, seed):
    command = [args.program, "train", graph, *options_of(way, args.configs), "--seed", str(seed), "--threads",
               str(args.threads), "-o", graph + ".model", "--force", "--json", "--quiet"]
    if name in AUC:
        command += ["--metric", "auc"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    metric = "auc" if name in AUC else "accuracy"
    return {"set": name, "way": way, "seed": seed, "test": 100 * result["test_" + metric],
            "valid": 100 * result["validation_" + metric], "epoch": result["best_epoch"],
            "cpu": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}


def spread(values):
    return f"{statistics.mean(values):.2f} +- {statistics.stdev(values) if len(values) > 1 else 0:.2f}"


def run(args):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.sets.split(","):
            graph = os.path.join(args.graphs or scratch, name + ".safetensors")
            if not os.path.exists(graph):
                make_graph(name, graph, args.data)
            for way in re.split(",(?=[a-z])", args.ways):
                runs = []
                for seed in range(1, args.seeds + 1):
                    runs.append(train(args, graph, name, way, seed))
                    print(json.dumps(runs[-1]), flush=True)
                rows += runs
                kind = way.partition(":")[0].removeprefix("tuned-").removesuffix("-sparse")
                published = PUBLISHED.get((name.partition("+")[0], kind), "")
                print(f"| {name} | {way} | {spread([r['test'] for r in runs])} | {published} | "
                      f"{spread([r['valid'] for r in runs])} | {statistics.median(r['cpu'] for r in runs):.1f} |",
                      flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def read_command(doc, make, measure_all, add_options):
    """Parses `graph SET OUT` and `run PROGRAM` with a script's own options, and does what is asked."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    graph = commands.add_parser("graph")
    graph.add_argument("set")
    graph.add_argument("out")
    measure = commands.add_parser("run")
    measure.add_argument("program")
    measure.add_argument("--seeds", type=int, default=3)
    measure.add_argument("--graphs", help="folder of graph files, made where they are missing")
    measure.add_argument("--json")
    add_options(measure)
    for command in (graph, measure):
        command.add_argument("--data", default=graph_data.measures.default_data())
    args = parser.parse_args()
    if args.command == "graph":
        make(args.set, args.out, args.data)
    else:
        measure_all(args)


def add_options(measure):
    measure.add_argument("--sets", default="photo,computers,cs,physics")
    measure.add_argument("--ways", default="tuned-gcn,tuned-sage")
    measure.add_argument("--threads", type=int, default=1)
    measure.add_argument("--configs", default="configs")


if __name__ == "__main__":
    read_command(__doc__, make_graph, run, add_options)
