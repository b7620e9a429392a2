#!/usr/bin/env python3
"""Mini-batches through a pipe into Python, against the same mini-batches that go nowhere.

    pipe.py GRAPH [--gnn-sample PROGRAM] [--batches 200] [--batch-size 1024] [--fanouts 15,10,5] [--runs 5]
            [--threads 2] [--json FILE]

In turn: `gnn-sample sample` into /dev/null; the same into a reader that does nothing (cat); into Python, which
reads each mini-batch with examples/gnn/minibatches.py and adds up its node ids. With and without features.
Medians over the runs, mini-batches and MB a second, and the share of the first that is left. Needs NumPy.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../../examples/gnn")


def consume():
    """What runs behind the pipe."""
    sys.path.insert(0, EXAMPLES)
    import minibatches
    total = 0
    for _, arrays in minibatches.minibatches(sys.stdin.buffer):
        total += int(arrays["nodes"].sum())
    print(total)


def run(args, features, consumer):
    """Seconds from the first to the last mini-batch, which the program itself measures."""
    command = [args.gnn_sample, "sample", args.graph, "--fanouts", args.fanouts, "--batch-size", str(args.batch_size),
               "--batches", str(args.batches), "--epochs", "1000", "--threads", str(args.threads), "--quiet",
               "--compress", "none"]
    command += [] if features else ["--no-features", "--no-labels"]
    if consumer is None:
        began = time.perf_counter()
        result = subprocess.run(command + ["-o", os.devnull, "--json"], check=True, stdout=subprocess.PIPE)
        return json.loads(result.stdout)["seconds"], time.perf_counter() - began
    began = time.perf_counter()
    first = subprocess.Popen(command + ["-o", "-"], stdout=subprocess.PIPE)
    subprocess.run(consumer, stdin=first.stdout, stdout=subprocess.DEVNULL, check=True)
    if first.wait() != 0:
        raise RuntimeError("gnn-sample failed")
    return None, time.perf_counter() - began


def batch_bytes(args, features):
    command = [args.gnn_sample, "sample", args.graph, "--fanouts", args.fanouts, "--batch-size", str(args.batch_size),
               "--batches", "4", "--quiet", "-o", "-"] + ([] if features else ["--no-features", "--no-labels"])
    return len(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) / 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--gnn-sample", default="build/release/bin/gnn-sample", metavar="PROGRAM")
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--fanouts", default="15,10,5")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json")
    args = parser.parse_args()
    python = [sys.executable, os.path.abspath(__file__), "--consume"]
    consumers = {"nowhere": None, "cat": ["cat"], "Python": python}
    rows = []
    print("| features | MB a mini-batch | into | mini-batches/s | MB/s | of nowhere |\n|---|---:|---|---:|---:|---:|")
    for features in (False, True):
        size = batch_bytes(args, features) / 1e6
        walls = {name: [] for name in consumers}
        starts = []
        for _ in range(args.runs):
            for name, consumer in consumers.items():
                seconds, wall = run(args, features, consumer)
                if seconds is not None:
                    starts.append(wall - seconds)  # opening the graph, the same for all
                walls[name].append(wall)
        start = statistics.median(starts)
        rates = {name: args.batches / (statistics.median(found) - start) for name, found in walls.items()}
        for name, rate in rates.items():
            rows.append({"features": features, "mb": size, "into": name, "batches_per_second": rate,
                         "share": rate / rates["nowhere"]})
            print(f"| {'yes' if features else 'no'} | {size:.1f} | {name} | {rate:.1f} | {rate * size:.0f} | "
                  f"{100 * rate / rates['nowhere']:.0f} % |", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    consume() if sys.argv[1:] == ["--consume"] else main()
