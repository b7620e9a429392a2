#!/usr/bin/env python3
"""Test accuracy and CPU seconds of gat and gatv2 beside GATConv and GATv2Conv of PyTorch Geometric.

    attention.py graph SET OUT.safetensors [--data FOLDER]
    attention.py run PROGRAM [--sets photo,cs] [--seeds 3] [--epochs 50] [--graphs FOLDER] [--data FOLDER] [--json FILE]

Sets and splits as in tuned.py. Every step is made on all training nodes and their whole neighbourhoods, in both programs; layers
and optimiser are those of attention_rival.py. First, probabilities of PyG with the parameters of a model are compared with
those of predict. Programs take turns. CPU seconds are user time of the whole command, with one thread. Needs PyTorch Geometric.
"""
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

import tuned

OPTIONS = ("--hidden 32 --heads 4 --dropout 0.5 --norm batch --learning-rate 0.01 --fanouts=-1,-1 --batch-size 1000000 "
           "--eval-every 5 --threads 1 --force --json --quiet")
RIVAL = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "attention_rival.py")]


def output_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def command_of(args, graph, program, way, seed):
    more = ["--architecture", way, "--seed", str(seed), "--epochs", str(args.epochs)]
    if program == "pyg":
        return [*RIVAL, graph, *more]
    return [args.program, "train", graph, *more, *shlex.split(OPTIONS), "-o", f"{graph}.{way}"]


def compare(args, graph, way):
    """The difference of a model's probabilities to those of PyG with its parameters."""
    model, predictions = f"{graph}.{way}", f"{graph}.{way}.safetensors"
    subprocess.run([args.program, "predict", model, graph, "--probabilities", "-o", predictions, "-f", "-q"], check=True)
    return output_of([*RIVAL, graph, "--architecture", way, "--model", model, "--predictions", predictions])[0]


def run(args):
    rows = []
    kinds = [(program, way) for way in ("gat", "gatv2") for program in ("gnn-sample", "pyg")]
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.sets.split(","):
            graph = os.path.join(args.graphs or scratch, name + ".safetensors")
            if not os.path.exists(graph):
                tuned.make_graph(name, graph, args.data)
            runs = {kind: [] for kind in kinds}
            for seed in range(1, args.seeds + 1):
                for kind in kinds:
                    result, cpu = output_of(command_of(args, graph, *kind, seed))
                    runs[kind].append({"set": name, "program": kind[0], "way": kind[1], "seed": seed, "cpu": cpu,
                                       "test": 100 * result["test_accuracy"], "valid": 100 * result["validation_accuracy"]})
                    rows.append(runs[kind][-1])
                    print(json.dumps(rows[-1]), flush=True)
            for way in ("gat", "gatv2"):
                print(name, way, json.dumps(compare(args, graph, way)), flush=True)
            for kind in kinds:
                print(f"| {name} | {kind[1]} | {kind[0]} | {tuned.spread([r['test'] for r in runs[kind]])} | "
                      f"{tuned.spread([r['valid'] for r in runs[kind]])} | "
                      f"{statistics.median(r['cpu'] for r in runs[kind]):.1f} |", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def add_options(measure):
    measure.add_argument("--sets", default="photo,cs")
    measure.add_argument("--epochs", type=int, default=50)


if __name__ == "__main__":
    tuned.read_command(__doc__, tuned.make_graph, run, add_options)
