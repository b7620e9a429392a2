#!/usr/bin/env python3
"""Seconds an epoch of GraphSAGE takes: gnn-sample, PyTorch Geometric and DGL's GraphBolt on the same graph.

    training.py GRAPH [--ways WAY,...] [--workers 0,1] [--epochs 1] [--batches 0] [--runs 3] [--threads N]
                [--evaluate 20000] [--scratch FOLDER] [--options OPTIONS] [--ours NAME=OPTIONS]... [--python PATH]... [--gnn-sample PATH] [--json FILE]

GRAPH is an uncompressed graph file with features, labels and a `split`. Programs run in turns, --runs times:
`gnn-sample train`, once more with each of --ours, and each way of training_rivals.py with each number of
--workers in the first interpreter of --python that has it (sampling.py says what these need). All have
SALIENT's settings: 3 layers of 256, fanouts 15,10,5, batches of 1024, dropout 0.5, Adam with rate 0.003;
--options replace them for all programs, such as '--batch-size 64 --hidden 64'. --batches: the rivals train on
so many batches an epoch, scaled up to all of them (marked ~). Medians of seconds an epoch of training without
reading and evaluation, of its CPU seconds, of the share of time spent waiting for batches, and of the accuracy
after --epochs on --evaluate nodes of the test part of the split with sampled neighbours. Needs NumPy.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

import graph_data
import sampling
from sampling import FOLDER, measures

# Modules that each way needs.
WAYS = {"pyg": "pyg_lib, torch_geometric", "pyg-blocks": "torch_sparse, torch_geometric", "graphbolt": "dgl.graphbolt"}
SETTINGS = ("--fanouts 15,10,5 --eval-fanouts 20,20,20 --batch-size 1024 --hidden 256 --dropout 0.5 "
            "--learning-rate 0.003")


def run_ours(args, options):
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run([args.gnn_sample, "train", args.graph, "-o", f"{folder}/model", "--architecture", "sage",
                              "--epochs", str(args.epochs), "--eval-every", str(args.epochs), "--schedule", "constant",
                              "--threads", str(args.threads), "--json", "-q", *shlex.split(SETTINGS),
                              *shlex.split(args.options), *shlex.split(options)], check=True, stdout=subprocess.PIPE)
    found = json.loads(out.stdout)
    return {"epoch_seconds": found["epoch_seconds"], "epoch_cpu": found.get("epoch_cpu_seconds"),
            "waiting": found["waiting_share"], "accuracy": found.get("test_accuracy"), "extrapolated": False}


def run_theirs(args, python, way, workers):
    out = subprocess.run([python, os.path.join(FOLDER, "training_rivals.py"), args.graph, "--way", way, "--epochs",
                          str(args.epochs), "--batches", str(args.batches), "--workers", str(workers), "--threads",
                          str(args.threads), *shlex.split(SETTINGS), *shlex.split(args.options)],
                         check=True, stdout=subprocess.PIPE)
    found = json.loads(out.stdout)
    return {**found, "epoch_seconds": statistics.median(found["epoch_seconds"])}


def programs(args):
    """Functions that train once, by name, of all programs that are there."""
    found = {}
    if os.access(args.gnn_sample, os.X_OK):
        also = dict(item.split("=", 1) for item in args.ours)
        for name, options in {"gnn-sample": "", **{f"gnn-sample, {key}": also[key] for key in also}}.items():
            found[name] = lambda options=options: run_ours(args, options)
    else:
        print(f"{args.gnn_sample}: not there, left out", file=sys.stderr)
    for way in filter(None, args.ways.split(",")):
        python = sampling.find_python(args.python or [sys.executable], WAYS[way])
        if not python:
            print(f"{way}: no --python has {WAYS[way]}, left out", file=sys.stderr)
            continue
        for workers in args.workers.split(","):
            found[f"{way}, {workers} workers"] = \
                lambda python=python, way=way, workers=workers: run_theirs(args, python, way, workers)
    return found


def run_all(args):
    found = programs(args)
    runs = {name: [] for name in found}
    for _ in range(args.runs):
        for name, run in found.items():
            try:
                runs[name].append(run())
            except subprocess.CalledProcessError as error:
                print(f"{name}: {error}, left out", file=sys.stderr)
                continue
            print(f"{name}: {runs[name][-1]}", file=sys.stderr)
    rows = []
    for name, results in runs.items():
        if results:
            known = {key: [run[key] for run in results if run[key] is not None]
                     for key in ("epoch_seconds", "epoch_cpu", "waiting", "accuracy")}
            rows.append({"program": name, "runs": results, "extrapolated": results[0]["extrapolated"],
                         **{key: statistics.median(values) if values else None for key, values in known.items()}})
    return rows


def print_table(rows):
    print("| program | epoch, s | CPU s | waiting | accuracy | this / ours, wall | CPU |\n|---|" + "---:|" * 6)
    ours = next((row for row in rows if row["program"] == "gnn-sample"), None)
    for row in rows:
        ratios = [f"{row[key] / ours[key]:.1f}" if ours and row[key] and ours[key] else ""
                  for key in ("epoch_seconds", "epoch_cpu")]
        cells = [f"{'~' if row['extrapolated'] else ''}{row['epoch_seconds']:.2f}",
                 *("" if row[key] is None else f"{row[key]:{form}}"
                   for key, form in (("epoch_cpu", ".2f"), ("waiting", ".1%"), ("accuracy", ".4f")))]
        print(f"| {row['program']} | " + " | ".join(cells + ratios) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--workers", default="0,1")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batches", type=int, default=0, help="of the rivals' epochs, at most; 0 = all")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--evaluate", type=int, default=20000, help="nodes to test with, and to validate with")
    parser.add_argument("--scratch", help="folder for a copy of the graph with fewer such nodes")
    parser.add_argument("--options", default="", help="settings for all programs")
    parser.add_argument("--ours", action="append", default=[], metavar="NAME=OPTIONS", help="gnn-sample once more")
    parser.add_argument("--python", action="append", default=[], help="a rival's interpreter; several are tried")
    parser.add_argument("--gnn-sample", default=measures.default_program("gnn-sample"))
    parser.add_argument("--json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        graph_data.copy_with_fewer(args.graph, f"{folder}/graph.safetensors", args.evaluate)
        args.graph = f"{folder}/graph.safetensors"
        rows = run_all(args)
    print_table(rows)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
