#!/usr/bin/env python3
"""Log-loss of classifiers of few texts with and without fitted probabilities, as a markdown table; one label an example.

    small_samples.py [--data DIR] [--sets imdb,trec] [--csv NAME=TRAIN,TEST]... [--sizes 60,200] [--draws 3]
                     [--sparse-train PATH]

Each draw takes so many examples of a training part at random and trains twice, with --calibration none and by default,
--architecture tree --no-search. Log-loss is on at most 1,000 test examples whose label was drawn, of scores divided by
their sum. A cell is the mean over sets of their draws' means; a set whose training part is smaller than a size is left
out of it. "Largest loss" is the most by which the default is behind `none` in the mean of a set's draws. DIR is as in
text.py; --csv adds a set of two CSV files (label, text) with headers.
"""
import argparse
import csv
import io
import json
import math
import os
import random
import statistics
import subprocess
import tempfile

import measures
import text_data

SETTINGS = {"none": ["--calibration", "none"], "default": []}
MOST_TEST_EXAMPLES = 1000


def rows_of(path, has_header):
    csv.field_size_limit(1 << 30)
    text = measures.read(path).decode("utf-8", "replace")
    return [(row[0], " ".join(row[1:])) for row in csv.reader(io.StringIO(text, newline=""))][has_header:]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("label", "text"), *rows])


def log_loss(program, options, train, test, truth):
    model = train + ".model"
    shared = ["--threads", "1", "--quiet"]
    subprocess.run([program, "train", train, "-o", model, "--force", "--architecture", "tree", "--no-search", *shared,
                    *options], check=True)
    answers = subprocess.run([program, "predict", model, test, "--top-k", "1000000", "--answers", "json", *shared],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    losses = []
    for line, label in zip(answers.splitlines(), truth):
        scores = {entry["label"]: entry["score"] for entry in json.loads(line)["labels"]}
        share = scores.get(label, 0) / max(sum(scores.values()), 1e-300)
        losses.append(-math.log(min(max(share, 1e-15), 1 - 1e-15)))
    return statistics.mean(losses)


def draw(rows, tests, size, seed, program, work):
    """{setting: log-loss}, or None where a draw has one label."""
    rows = random.Random(seed * 1000 + size).sample(rows, size)
    known = {row[0] for row in rows}
    tests = [row for row in tests if row[0] in known]
    if len(known) < 2 or not tests:
        return None
    train, test = (os.path.join(work, name) for name in ("train.csv", "test.csv"))
    write(train, rows)
    write(test, tests)
    truth = [row[0] for row in tests]
    return {name: log_loss(program, options, train, test, truth) for name, options in SETTINGS.items()}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default=",".join(n for n in text_data.NAMES if n not in text_data.SEVERAL_LABELS))
    parser.add_argument("--csv", action="append", default=[])
    parser.add_argument("--sizes", default="60,100,200,400,1000,3000,10000")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--sparse-train", default=measures.default_program())
    return parser.parse_args()


def main():
    args = parse_arguments()
    added = dict(pair.split("=", 1) for pair in args.csv)
    table = {int(size): [] for size in args.sizes.split(",")}
    for name in [*filter(None, args.sets.split(",")), *added]:
        with tempfile.TemporaryDirectory() as work:
            paths = (dict(zip(("train", "test"), added[name].split(","))) if name in added
                     else text_data.paths(args.data, name, work))
            rows, tests = (rows_of(paths[part], name in added) for part in ("train", "test"))
            random.Random(5).shuffle(tests)
            for size, means in table.items():
                if size > len(rows):
                    continue
                draws = [draw(rows, tests[:MOST_TEST_EXAMPLES], size, seed, args.sparse_train, work)
                         for seed in range(args.draws)]
                draws = [losses for losses in draws if losses]
                if draws:
                    means.append((name, {key: statistics.mean(d[key] for d in draws) for key in SETTINGS}))
    print("| examples | sets | none | default | largest loss (set) |")
    print("|---:|---:|---:|---:|---|")
    for size, means in table.items():
        if means:
            worst, losses = max(means, key=lambda pair: pair[1]["default"] - pair[1]["none"])
            cells = [f"{statistics.mean(loss[key] for _, loss in means):.3f}" for key in SETTINGS]
            print(f"| {size:,} | {len(means)} | " + " | ".join(cells)
                  + f" | {losses['default'] - losses['none']:+.3f} ({worst}) |")


if __name__ == "__main__":
    main()
