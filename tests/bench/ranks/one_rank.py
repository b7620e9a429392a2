#!/usr/bin/env python3
"""One rank through mpirun beside none, in turns: medians of wall and processor seconds of the tool, their ratio, and the
median of the pairs' ratios.

    one_rank.py [--pairs 11] [--samples 100000] [--nodes 60000]

robe-compress trains on generated clicks (kaggle shape), gnn-sample on a generated graph, one thread each. The tools are
those of PATH. The seconds are the tool's own, without mpirun's start.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", "1"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--samples", type=int, default=100000)
    parser.add_argument("--nodes", type=int, default=60000)
    return parser.parse_args()


def measure_child(command):
    """What `one_rank.py --child COMMAND...` prints: seconds of wall and processor of the command."""
    began = time.perf_counter()
    subprocess.run(command, check=True)
    wall = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(wall, used.ru_utime + used.ru_stime)


def seconds(launcher, command):
    out = subprocess.run([*launcher, sys.executable, os.path.abspath(__file__), "--child", *command], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [float(word) for word in out.split()]


def main():
    if sys.argv[1:2] == ["--child"]:
        return measure_child(sys.argv[2:])
    args = parse_arguments()
    print("| training | | alone | one rank | ratio of medians | median of pairs |\n" + "|---" * 6 + "|")
    with tempfile.TemporaryDirectory() as work:
        clicks, graph = f"{work}/c.tsv", f"{work}/g.graph"
        subprocess.run(["robe-compress", "generate", "--shape", "kaggle", "--samples", str(args.samples), "-o", clicks, "-q"], check=True)
        subprocess.run(["gnn-sample", "generate", "--nodes", str(args.nodes), "-o", graph, "-q"], check=True)
        common = ["--threads", "1", "-q", "-f", "-o", f"{work}/m"]
        for command in (["robe-compress", "train", clicks, "--epochs", "1", *common],
                        ["gnn-sample", "train", graph, "--fanouts", "10,5", "--hidden", "128", "--epochs", "1", *common]):
            runs = [(seconds([], command), seconds(MPIRUN, command)) for _ in range(args.pairs)]
            for i, what in enumerate(("wall s", "processor s")):
                alone, ranked = (statistics.median(run[side][i] for run in runs) for side in (0, 1))
                pairs = statistics.median(run[1][i] / run[0][i] for run in runs)
                print(f"| {command[0]} | {what} | {alone:.3f} | {ranked:.3f} | {ranked / alone:.3f} | {pairs:.3f} |", flush=True)


if __name__ == "__main__":
    main()
