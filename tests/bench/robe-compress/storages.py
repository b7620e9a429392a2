#!/usr/bin/env python3
"""AUC of ROBE arrays by storage at equal bytes, trained and fitted, with this project's hash and the published one.

    storages.py [--data FOLDER] [--sets NAME,...] [--storages f32,int8,int4] [--compressions 10,100] [--seeds 3]
                [--threads N] [--robe-compress PATH] [--json FILE]

The sets are those of accuracy.py. Every run has layers of 64 and 64-32 units and the tool's defaults; a tenth of
the training part, not the test part, chooses the epoch. "published hash" is --hash robe2021. "compressed" is full
tables after `compress` without fine-tuning. Mean AUC on the test part over the seeds, and standard deviation.
"""
import argparse
import os
import shlex
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402
from accuracy import SETS, SMALL, run_json  # noqa: E402
from click_data import sets_here, write_json  # noqa: E402

HASHES = {"robe": "golden", "robe, published hash": "robe2021"}


class SetRun:
    """The models of one set; figures by (row, compression, storage)."""

    def __init__(self, args, name, work):
        self.args, self.work, self.aucs = args, work, {}
        self.train_path, self.test_path = SETS[name].prepare(args, work)
        held_out = "every:10" if SETS[name].split == "every" else "last:0.1"
        self.options = [*shlex.split(SETS[name].options), *shlex.split(SETS[name].layers(SMALL)), "--held-out", held_out]

    def call(self, *command):
        return run_json([self.args.robe_compress, *map(str, command), "--threads", str(self.args.threads)])

    def train(self, model, seed, *options):
        self.call("train", self.train_path, "-o", model, "-f", "--seed", seed, *self.options, *options)

    def grade(self, key, model):
        self.aucs.setdefault(key, []).append(self.call("eval", model, self.test_path)["auc"])

    def run(self):
        for seed in range(1, self.args.seeds + 1):
            full, small = f"{self.work}/full", f"{self.work}/small"
            self.train(full, seed, "--method", "full")
            self.grade(("full", "", ""), full)
            for compression in self.args.compressions.split(","):
                for storage in self.args.storages.split(","):
                    size = ["--compression", compression, "--storage", storage]
                    for row, family in HASHES.items():
                        self.train(small, seed, "--hash", family, *size)
                        self.grade((row, compression, storage), small)
                    self.call("compress", full, "-o", small, "-f", *size)
                    self.grade(("compressed", compression, storage), small)


def cell(aucs):
    return f"{statistics.mean(aucs):.4f} +- {statistics.stdev(aucs) if len(aucs) > 1 else 0:.4f}"


def print_set(args, name, aucs):
    columns = [(c, s) for c in args.compressions.split(",") for s in args.storages.split(",")]
    print(f"\n{name}: full {cell(aucs['full', '', ''])}\n")
    print("| | " + " | ".join(f"{c}x {s}" for c, s in columns) + " |\n|---|" + "---|" * len(columns))
    for row in (*HASHES, "compressed"):
        print(f"| {row} | " + " | ".join(cell(aucs[row, c, s]) for c, s in columns) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--storages", default="f32,int8,int4")
    parser.add_argument("--compressions", default="10,100")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--robe-compress", default=measures.default_program("robe-compress"))
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    for name, work in sets_here(args, SETS):
        run = SetRun(args, name, work)
        run.run()
        print_set(args, name, run.aucs)
        rows += [{"set": name, "row": row, "compression": compression, "storage": storage, "aucs": aucs}
                 for (row, compression, storage), aucs in run.aucs.items()]
    write_json(args.json, rows)


if __name__ == "__main__":
    main()
