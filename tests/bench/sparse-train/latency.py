#!/usr/bin/env python3
"""How long `sparse-train predict` takes to answer one line, end to end, as a service that talks through pipes sees it.

Generates data of --labels labels with planted structure (or takes --model and --data), trains one epoch,
starts `predict MODEL -`, and then feeds one line, waits for its answer, feeds the next one. A round is timed
from the write of the line to the arrival of the whole answer, so it holds both pipes, the wake-ups of two
processes, parsing, ranking and printing. `cat` in the place of sparse-train tells what the pipes alone cost.

    latency.py [--labels 30000] [--hidden 128] [--lines 5000] [--top-k 5] [--sparse-train PATH] [-- OPTIONS OF predict]
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--labels", type=int, default=30000)
    parser.add_argument("--features", type=int, default=40000)
    parser.add_argument("--points", type=int, default=60000, help="training examples")
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--lines", type=int, default=5000, help="lines to time")
    parser.add_argument("--warm-up", type=int, default=200, help="lines before these")
    parser.add_argument("--top-k", type=int, default=5)
    parser.add_argument("--model", help="a model to time instead of the generated one; needs --data")
    parser.add_argument("--data", help="unpacked lines in the form of the model's training data")
    parser.add_argument("--sparse-train", default=os.path.join(ROOT, "build/release/bin/sparse-train"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("predict", nargs="*", help="more options of predict")
    return parser.parse_args()


def write_data(path, points, options, rng):
    """XMC examples: a label has five features of its own, an example shows some of these and some others."""
    with open(path, "w") as file:
        file.write(f"{points} {options.features} {options.labels}\n")
        for _ in range(points):
            labels = sorted({min(int(rng.paretovariate(0.5)) % options.labels, options.labels - 1) if rng.random() < 0.3
                             else rng.randrange(options.labels) for _ in range(3)})
            own = [(7919 * label + 104729 * rng.randrange(5)) % options.features for label in labels for _ in range(4)]
            features = sorted(set(own + [rng.randrange(options.features) for _ in range(5)]))
            values = " ".join(f"{f}:{rng.uniform(0.2, 1):.4f}" for f in features)
            file.write(",".join(map(str, labels)) + " " + values + "\n")


def make_model(options, folder):
    rng = random.Random(1)
    data, model = os.path.join(folder, "train.txt"), os.path.join(folder, "model")
    write_data(data, options.points, options, rng)
    subprocess.run([options.sparse_train, "train", data, "-o", model, "-q", "--hidden", str(options.hidden),
                    "--epochs", "3", "--architecture", "shared"], check=True)
    test = os.path.join(folder, "test.txt")
    write_data(test, options.lines + options.warm_up, options, rng)
    return model, test


def read_lines(path, wanted):
    with open(path, "rb") as file:
        lines = [line for line in file if line.strip()]
    lines = lines[1:]  # XMC's or CSV's header
    return [lines[i % len(lines)] for i in range(wanted)]


def time_lines(command, lines):
    """Seconds from each line to its answer."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        source, sink = process.stdout.fileno(), process.stdin.fileno()
        seconds = []
        for line in lines:
            began = time.perf_counter()
            os.write(sink, line)
            answer = os.read(source, 1 << 20)
            while not answer.endswith(b"\n"):
                part = os.read(source, 1 << 20)
                if not part:
                    sys.exit("latency.py: the program ended before its answer")
                answer += part
            seconds.append(time.perf_counter() - began)
        process.stdin.close()
        if process.wait() != 0:
            sys.exit(f"latency.py: {command[0]}: exit status {process.returncode}")
    return seconds


def quantiles(seconds):
    ordered = sorted(seconds)
    return {name: 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
            for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999))}


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        model, data = (options.model, options.data) if options.model else make_model(options, folder)
        lines = read_lines(data, options.lines + options.warm_up)
        command = [options.sparse_train, "predict", model, "-", "--top-k", str(options.top_k)] + options.predict
        results = {"sparse-train": quantiles(time_lines(command, lines)[options.warm_up:]),
                   "cat": quantiles(time_lines(["cat"], lines)[options.warm_up:])}
    if options.json:
        print(json.dumps(results))
        return
    print("| program | p50 ms | p90 ms | p99 ms | p99.9 ms |\n|---|---:|---:|---:|---:|")
    for name, result in results.items():
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in result.values()) + " |")


if __name__ == "__main__":
    main()
