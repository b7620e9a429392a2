#!/usr/bin/env python3
"""Neighbour sampling in edges a second: gnn-sample, DGL's GraphBolt and PyTorch Geometric on the same graph.

    sampling.py GRAPH [--ways WAY,...] [--fanouts 15,10,5] [--batch-size 1024] [--threads 1,2] [--runs 3]
                [--batches 0] [--ours NAME=OPTIONS]... [--python PATH]... [--gnn-sample PATH] [--json FILE]

GRAPH is an uncompressed graph file with a `split`; an epoch over all its training nodes is sampled, or
--batches of them by the rivals. Programs run in turns, --runs times, for each number of threads: `gnn-sample
bench GRAPH` with either --semantics and with each of --ours (such as 'hash=--table hash'), then each way of
sampling_rivals.py in the first interpreter of --python that has it. Medians of edges a second, in wall and in
CPU time of sampling alone, and edges and nodes of a batch, which show whether two programs do the same work:
GraphBolt expands all nodes known so far at each hop, PyTorch Geometric only the new ones. Each rival is
compared with gnn-sample of the same semantics. For graphs of several types (typed_graph.py) there is
--ways pyg-lib-types, one thread.

Rivals' interpreters, each a virtual environment of Python 3.11:
  GraphBolt             pip install dgl==2.1.0 torch==2.2.1 torchdata==0.7.1 'numpy<2' pandas pydantic pyyaml
                        (it has no library for later versions of PyTorch)
  PyTorch Geometric     pip install torch==2.15.0 torch_geometric==2.8.1 setuptools, and one of:
    pyg-lib 0.9.0       from its source, built for the CPU
    torch-sparse 0.6.18 FORCE_ONLY_CPU=1 pip install --no-build-isolation torch-scatter torch-sparse
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../sparse-train"))
import measures  # noqa: E402

FRONTIER = "gnn-sample, frontier"
# Modules that each way needs.
WAYS = {"graphbolt32": "dgl.graphbolt", "graphbolt32-openmp": "dgl.graphbolt", "graphbolt64": "dgl.graphbolt",
        "labor32": "dgl.graphbolt", "pyg-lib": "pyg_lib", "torch-sparse": "torch_sparse",
        "pyg-lib-types": "pyg_lib", "pyg-lib-loader": "pyg_lib, torch_geometric",
        "torch-sparse-loader": "torch_sparse, torch_geometric"}
OURS = {"gnn-sample": "", FRONTIER: "--semantics frontier"}


def find_python(pythons, modules):
    """The first interpreter that imports all of `modules`, or none."""
    for python in pythons:
        found = subprocess.run([python, "-W", "ignore", "-c", f"import {modules}"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, "DGLBACKEND": "pytorch"})
        if found.returncode == 0:
            return python
    return None


def run_ours(args, options, threads):
    out = subprocess.run([args.gnn_sample, "bench", args.graph, "--fanouts", args.fanouts, "--batch-size",
                          str(args.batch_size), "--threads", str(threads), "--rounds", "1", "--json", "-q",
                          *shlex.split(options)], check=True, stdout=subprocess.PIPE)
    found = json.loads(out.stdout)
    return {"wall_rate": found["sampled_edges_per_second"] / 1e6,
            "cpu_rate": found["sampled_edges_per_cpu_second"] / 1e6, "batches": found["batches"],
            "edges": found["edges_per_batch"], "nodes": found["nodes_per_batch"]}


def run_theirs(args, python, way, threads):
    out = subprocess.run([python, os.path.join(FOLDER, "sampling_rivals.py"), args.graph, "--way", way, "--fanouts",
                          args.fanouts, "--batch-size", str(args.batch_size), "--threads", str(threads),
                          "--batches", str(args.batches)], check=True, stdout=subprocess.PIPE)
    found = json.loads(out.stdout)
    return {"wall_rate": found["edges"] / found["wall"] / 1e6, "cpu_rate": found["edges"] / found["cpu"] / 1e6,
            "batches": found["batches"], "edges": found["edges"] / found["batches"],
            "nodes": found["nodes"] / found["batches"]}


def programs(args):
    """Functions of a number of threads, by name, of all programs that are there. They return M edges a second of
    wall and of CPU time, and what a batch holds."""
    found = {}
    if os.access(args.gnn_sample, os.X_OK):
        also = dict(item.split("=", 1) for item in args.ours)
        for name, options in {**OURS, **{f"gnn-sample, {key}": value for key, value in also.items()}}.items():
            found[name] = lambda threads, options=options: run_ours(args, options, threads)
    else:
        print(f"{args.gnn_sample}: not there, left out", file=sys.stderr)
    for way in args.ways.split(","):
        python = find_python(args.python or [sys.executable], WAYS[way])
        if python:
            found[way] = lambda threads, python=python, way=way: run_theirs(args, python, way, threads)
        else:
            print(f"{way}: no --python has {WAYS[way]}, left out", file=sys.stderr)
    return found


def run_all(args):
    found, rows = programs(args), []
    for threads in map(int, args.threads.split(",")):
        runs = {name: [] for name in found}
        for _ in range(args.runs):
            for name, run in found.items():
                try:
                    runs[name].append(run(threads))
                except subprocess.CalledProcessError as error:
                    print(f"{name}, {threads} threads: exit status {error.returncode}, left out", file=sys.stderr)
                    continue
                print(f"{name}, {threads} threads: {runs[name][-1]}", file=sys.stderr)
        for name, results in runs.items():
            if results:
                rows.append({"program": name, "threads": threads, "runs": results,
                             **{key: statistics.median(run[key] for run in results) for key in results[0]}})
    return rows


def cells(row, rows):
    """How many times faster gnn-sample is that expands the same nodes at each hop: in wall and in CPU time."""
    own = FRONTIER if row["program"].startswith(("pyg", "torch")) else "gnn-sample"
    for ours in rows:
        if ours["program"] == own and ours["threads"] == row["threads"]:
            return f"{ours['wall_rate'] / row['wall_rate']:.1f} | {ours['cpu_rate'] / row['cpu_rate']:.1f}"
    return " | "


def print_table(rows):
    print("| threads | program | M edges/s | M edges/CPU s | edges a batch | nodes a batch | ours / this, wall | CPU |")
    print("|---:|---|" + "---:|" * 6)
    for row in rows:
        print(f"| {row['threads']} | {row['program']} | {row['wall_rate']:.2f} | {row['cpu_rate']:.2f} "
              f"| {row['edges']:.0f} | {row['nodes']:.0f} | {cells(row, rows)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--ways", default=",".join(way for way in WAYS if not way.endswith("-types")))
    parser.add_argument("--fanouts", default="15,10,5")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--batches", type=int, default=0, help="of the rivals, at most; 0 = the whole epoch")
    parser.add_argument("--ours", action="append", default=[], metavar="NAME=OPTIONS", help="gnn-sample once more")
    parser.add_argument("--python", action="append", default=[], help="a rival's interpreter; several are tried")
    parser.add_argument("--gnn-sample", default=measures.default_program("gnn-sample"))
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = run_all(args)
    print_table(rows)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
