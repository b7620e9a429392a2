#!/usr/bin/env python3
"""Test accuracy and CPU seconds of gnn-sample on graphs whose features were taken away, beside PyTorch Geometric.

    featureless.py graph SET OUT.safetensors [--data FOLDER]
    featureless.py run PROGRAM [--sets cora,citeseer,photo,cs,tolokers,debian-deps,wordnet] [--tasks nodes,links]
                   [--ways embedding,degree,projection] [--rivals pyg-embedding,pyg-degree] [--seeds 3]
                   [--options OPTIONS] [--graphs FOLDER] [--data FOLDER] [--json FILE]

graph: a set of the data folder as a graph file without features, with edges in both directions, its labels and a split:
its own, or that of tuned-splits/*.npz. run: a way is a value of --input, or a name with options of its own after a colon:
'embedding:--input-size 128'; 'none:OPTIONS' has no --input. All ways have the options of the task in TASKS, and
--options. Rivals are those of featureless_rival.py. CPU seconds are user time of the whole command, with one thread.
Figures: accuracy, or the area under the ROC curve on tolokers, in percent; of links the mean reciprocal rank of a
held-out edge among 100 nodes, times 100. Needs NumPy.
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

BUNDLE = "bundle/graph-wordnet-nouns"
TASKS = {"nodes": "--architecture sage --batch-norm --fanouts 10,10 --batch-size 512 --schedule cosine --epochs 30",
         "links": "--architecture sage --batch-norm --fanouts 10,10 --batch-size 1024 --epochs 10 --task links"}
FEW_LABELS = ("cora", "citeseer")  # a mini-batch has all training nodes: as many steps as the rival
RIVAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "featureless_rival.py")


def make_graph(name, out, data):
    if name == "wordnet":
        folder = os.path.join(data, BUNDLE)
        tensors = graph_data.read_set(folder)
    else:
        tensors = graph_data.read_set(os.path.join(data, "graph", tuned.FOLDERS.get(name, name)))
    if name in tuned.SPLITS:
        tensors["split"] = tuned.own_split(name, len(tensors["labels"]), data)
    del tensors["features"]
    graph_data.write_graph(out, tensors, graph_data.metadata_of(tensors))


def command_of(args, graph, task, way, seed):
    name, _, more = way.partition(":")
    if way in args.rivals.split(","):
        return [sys.executable, RIVAL, graph, "--way", name, "--task", task, "--seed", str(seed)]
    given = [] if name == "none" else ["--input", name]
    if task == "nodes" and os.path.basename(graph).startswith(FEW_LABELS):
        given += ["--epochs", "100"]
    return [args.program, "train", graph, *shlex.split(TASKS[task]), *given, *shlex.split(more),
            *shlex.split(args.options), "--seed", str(seed), "--threads", "1", "-o", graph + ".model", "--force",
            "--json", "--quiet"]


def train(args, graph, name, task, way, seed):
    command = command_of(args, graph, task, way, seed)
    metric = "mrr" if task == "links" else "auc" if name in tuned.AUC else "accuracy"
    if metric == "auc":
        command += ["--metric", "auc"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {"set": name, "task": task, "way": way, "seed": seed, "test": 100 * result["test_" + metric],
            "valid": 100 * result["validation_" + metric],
            "cpu": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}


def run(args):
    rows = []
    ways = [way for way in args.ways.split(";" if ";" in args.ways else ",") + args.rivals.split(",") if way]
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.sets.split(","):
            graph = os.path.join(args.graphs or scratch, name + "-bare.safetensors")
            if not os.path.exists(graph):
                make_graph(name, graph, args.data)
            for task in args.tasks.split(","):
                runs = {way: [] for way in ways}
                for seed in range(1, args.seeds + 1):  # alternated
                    for way in ways:
                        runs[way].append(train(args, graph, name, task, way, seed))
                        rows.append(runs[way][-1])
                for way in ways:
                    print(f"| {name} | {task} | {way} | {tuned.spread([r['test'] for r in runs[way]])} | "
                          f"{tuned.spread([r['valid'] for r in runs[way]])} | "
                          f"{statistics.median(r['cpu'] for r in runs[way]):.1f} |", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def add_options(measure):
    measure.add_argument("--sets", default="cora,citeseer,photo,cs,tolokers,debian-deps,wordnet")
    measure.add_argument("--tasks", default="nodes,links")
    measure.add_argument("--ways", default="embedding,degree,projection")
    measure.add_argument("--rivals", default="")
    measure.add_argument("--options", default="")


if __name__ == "__main__":
    tuned.read_command(__doc__, make_graph, run, add_options)
