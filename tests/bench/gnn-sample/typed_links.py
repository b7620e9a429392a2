#!/usr/bin/env python3
"""Links of one relation of typed graphs: gnn-sample beside typed_links_rival.py, by turns, on the same held-out edges and one thread.

    typed_links.py GRAPH.safetensors=SOURCE:RELATION:TARGET... [--python PYTHON] [--seeds 0,1,2] [--epochs 30] [--program GNN_SAMPLE]
                   [--options "..."] [--alone]

gnn-sample has its default settings of links; the rival has the same network, batch size, rate and fanouts, and as many steps. PYTHON
has PyTorch Geometric. Prints, a line each: mrr and auc of the test part, mrr of the popularity of targets, and CPU seconds: of
gnn-sample's process, and of the rival's training and validation.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile

import graph_data

RIVAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "typed_links_rival.py")
PREDICTED = 0.3  # share of training edges that the rival predicts


def run_frugal(args, graph, relation, seed, held_out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([args.program, "train", graph, "--task", "links", "--relation", relation, *args.options.split(), "--seed",
                          seed, "--threads", "1", "--json", "-q", "-f", "--write-held-out", held_out, "-o", "/dev/null"],
                         check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(out)
    return {"mrr": result["test_mrr"], "auc": result["test_auc"], "popularity": result["test_popularity_mrr"],
            "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "steps": result["steps"],
            "parameters": result["parameters"]}


def run_rival(args, graph, relation, seed, held_out):
    epochs = round(args.epochs / PREDICTED)
    out = subprocess.run([args.python, "-W", "ignore", RIVAL, graph, relation, held_out, "--seed", seed, "--epochs", str(epochs),
                          "--eval-every", str(max(1, epochs // args.epochs)), "--norm", "--disjoint", str(PREDICTED)],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", metavar="GRAPH=RELATION")
    parser.add_argument("--python", default="python3")
    parser.add_argument("--program", default=graph_data.measures.default_program("gnn-sample"))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--epochs", type=int, default=30, help="of gnn-sample")
    parser.add_argument("--options", default="", help="of gnn-sample")
    parser.add_argument("--alone", action="store_true")
    args = parser.parse_args()
    for item in args.graphs:
        graph, relation = item.rsplit("=", 1)
        runs = {"gnn-sample": [], "pyg": []}
        for seed in args.seeds.split(","):
            with tempfile.TemporaryDirectory() as folder:
                held_out = os.path.join(folder, "held-out.csv")
                for name, run in (("gnn-sample", run_frugal), ("pyg", run_rival)):
                    if name == "pyg" and args.alone:
                        continue
                    runs[name].append(run(args, graph, relation, seed, held_out))
                    one = runs[name][-1]
                    print(json.dumps({"graph": graph, "relation": relation, "seed": seed, "program": name,
                                      **{key: one[key] for key in ("mrr", "auc", "popularity", "cpu_s", "steps", "parameters")
                                         if key in one}}), flush=True)
        for name, all_runs in runs.items():
            if all_runs:
                print(f"{relation} {name}: mrr {statistics.mean(r['mrr'] for r in all_runs):.4f} auc "
                      f"{statistics.mean(r['auc'] for r in all_runs):.4f} CPU s {statistics.median(r['cpu_s'] for r in all_runs):.1f}",
                      flush=True)


main()
