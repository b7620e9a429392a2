#!/usr/bin/env python3
"""Links of graphs of one type, ranked by a trained network, by common neighbours, and by both.

    links.py PROGRAM GRAPH... [--earlier PROGRAM] [--seeds 0,1,2] [--epochs 4]

Trains `gnn-sample train GRAPH --task links` with the defaults, on one thread. PROGRAM adds common neighbours to the network's
score; --earlier is a gnn-sample up to 2026-11-30, whose network stands alone. Prints for each graph the means over the seeds of
test MRR among 100 random nodes, test log-loss, CPU seconds of training and seconds of evaluation.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

FIGURES = ("test_mrr", "test_adamic_adar_mrr", "test_log_loss", "fit_cpu_seconds", "eval_seconds")


def train(program, graph, seed, epochs):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "train", graph, "--task", "links", "-o", os.path.join(folder, "model"), "--json", "-q",
                   "--threads", "1", "--epochs", str(epochs), "--seed", str(seed)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--earlier")
    arguments.add_argument("--seeds", default="0,1,2")
    arguments.add_argument("--epochs", type=int, default=4)
    options = arguments.parse_args()
    programs = {"with common neighbours": options.program}
    if options.earlier:
        programs["network alone"] = options.earlier
    for graph in options.graphs:
        results = {name: [] for name in programs}
        for seed in map(int, options.seeds.split(",")):
            for name, program in programs.items():
                results[name].append(train(program, graph, seed, options.epochs))
        for name, runs in results.items():
            figures = " ".join(f"{key} {statistics.mean(run[key] for run in runs):.4g}" for key in FIGURES)
            print(f"{os.path.basename(graph)}: {name}: {figures}", flush=True)


if __name__ == "__main__":
    main()
