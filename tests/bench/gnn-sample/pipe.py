#!/usr/bin/env python3
"""Mini-batches through a pipe into Python, against the same mini-batches that go nowhere.

    pipe.py GRAPH [--gnn-sample PROGRAM] [--batches 200] [--batch-size 1024] [--fanouts 15,10,5] [--runs 5]
            [--threads 1,2] [--json FILE]

In turn: `gnn-sample sample` into /dev/null; the same into a reader that does nothing (cat); into Python, which
reads each mini-batch with examples/gnn/minibatches.py and adds up its node ids (its start is not counted).
With features, and ten times as many mini-batches without. Medians over the runs, mini-batches and MB a second, and
the share of the first that is left. With a thread less than there are cores the reader has one to itself. Needs
NumPy.
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


CAT = ["cat"]


def consume():
    """What runs behind the pipe."""
    sys.path.insert(0, EXAMPLES)
    import minibatches
    import numpy  # before the clock runs
    print(numpy.__name__, flush=True)
    total = 0
    for _, arrays in minibatches.minibatches(sys.stdin.buffer):
        total += int(arrays["nodes"].sum())
    print(total)


def run(args, features, threads, consumer):
    """Seconds from the first to the last mini-batch where the program measures them, and of the whole command."""
    command = [args.gnn_sample, "sample", args.graph, "--fanouts", args.fanouts, "--batch-size", str(args.batch_size),
               "--batches", str(batches(args, features)), "--epochs", "1000", "--threads", str(threads), "--quiet",
               "--level", "none"]
    command += [] if features else ["--no-features", "--no-labels"]
    if consumer is None:
        began = time.perf_counter()
        result = subprocess.run(command + ["-o", os.devnull, "--json"], check=True, stdout=subprocess.PIPE)
        return json.loads(result.stdout)["seconds"], time.perf_counter() - began
    reading, writing = os.pipe()
    python = consumer != CAT
    with subprocess.Popen(consumer, stdin=reading, stdout=subprocess.PIPE if python else subprocess.DEVNULL) as reader:
        os.close(reading)
        if python:
            reader.stdout.readline()
        began = time.perf_counter()
        producer = subprocess.Popen(command + ["-o", "-"], stdout=writing)
        os.close(writing)
        if producer.wait() != 0 or reader.wait() != 0:
            raise RuntimeError("gnn-sample or its reader failed")
        return None, time.perf_counter() - began


def batches(args, features):
    return args.batches * (1 if features else 10)


def batch_bytes(args, features):
    command = [args.gnn_sample, "sample", args.graph, "--fanouts", args.fanouts, "--batch-size", str(args.batch_size),
               "--batches", "4", "--quiet", "-o", "-"] + ([] if features else ["--no-features", "--no-labels"])
    return len(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) / 4


def measure(args, threads, features):
    """Prints the rows of one way, and returns them."""
    consumers = {"nowhere": None, "cat": CAT, "Python": [sys.executable, os.path.abspath(__file__), "--consume"]}
    size = batch_bytes(args, features) / 1e6
    walls = {name: [] for name in consumers}
    starts = []
    for _ in range(args.runs):
        for name, consumer in consumers.items():
            seconds, wall = run(args, features, threads, consumer)
            if seconds is not None:
                starts.append(wall - seconds)  # opening the graph, the same for all
            walls[name].append(wall)
    start = statistics.median(starts)
    rates = {name: batches(args, features) / (statistics.median(found) - start) for name, found in walls.items()}
    rows = []
    for name, rate in rates.items():
        rows.append({"threads": threads, "features": features, "mb": size, "into": name, "batches_per_second": rate,
                     "share": rate / rates["nowhere"]})
        print(f"| {threads} | {'yes' if features else 'no'} | {size:.1f} | {name} | {rate:.1f} | {rate * size:.0f} | "
              f"{100 * rate / rates['nowhere']:.0f} % |", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--gnn-sample", default="build/release/bin/gnn-sample", metavar="PROGRAM")
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--fanouts", default="15,10,5")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--json")
    args = parser.parse_args()
    print("| threads | features | MB a mini-batch | into | mini-batches/s | MB/s | of nowhere |\n"
          "|---:|---|---:|---|---:|---:|---:|")
    rows = []
    for threads in args.threads.split(","):
        for features in (False, True):
            rows += measure(args, int(threads), features)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    consume() if sys.argv[1:] == ["--consume"] else main()
