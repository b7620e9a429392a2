#!/usr/bin/env python3
"""Batch sizes of tgn-train, each with a learning rate of its own, at equal epochs and at equal steps.

    batches.py LOG --bin FOLDER --streams NAME=FILE,... [--epochs N] [--steps N] [--batches 10,...] [...]

LOG keeps finished runs, as JSON Lines; a later call continues it. The rate is chosen by the validation part with seed 0:
from 0.001 by factors of about 3, until both neighbours of the best rate have been tried. Other seeds have the chosen
rate. A run tests its epoch with the best validation. Prints a table of what the log has; --table runs nothing, and --bin
is not needed then. A run whose validation is null, because its scores are not finite, counts as worse than all others.
"""
import argparse
import json
import os
import statistics
import subprocess

RATES = [3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2]
FIRST = RATES.index(1e-3)
SEEDS = (0, 1, 2)
VALID, TEST = "validation_average_precision", "test_average_precision"


class Runs:
    """Runs by their settings, from the log or new."""

    def __init__(self, args):
        self.args, self.done = args, {}
        if os.path.exists(args.log):
            with open(args.log, encoding="utf-8") as file:
                for line in file:
                    run = json.loads(line)
                    self.done[json.dumps(run["settings"])] = run

    def run(self, stream, budget, memory, batch, rate, seed):
        """The result; None if it is not in the log and --table is set."""
        amount = self.args.epochs if budget == "epochs" else self.args.steps
        settings = [stream, budget, amount, memory, batch, rate, seed]
        key = json.dumps(settings)
        if key not in self.done and not self.args.table:
            model = f"{self.args.log}.model"
            limit = ["--epochs", str(amount)] if budget == "epochs" else ["--steps", str(amount), "--epochs", "1000"]
            done = subprocess.run(
                [os.path.join(self.args.bin, "tgn-train"), "train", self.args.streams[stream], "--mix", "none",
                 "--new-nodes", "0", "--threads", "1", "--precision", "bf16", "--patience", "0", "--memory", memory,
                 "--batch-size", str(batch), "--learning-rate", str(rate), "--seed", str(seed), *limit, "--json", "-q",
                 "-o", model], check=True, capture_output=True, text=True)
            result = json.loads(done.stdout)
            kept = {name: result[name] for name in (VALID, TEST, "best_epoch", "steps", "fit_cpu_seconds")}
            self.done[key] = {"settings": settings, **kept}
            with open(self.args.log, "a", encoding="utf-8") as file:
                file.write(json.dumps(self.done[key]) + "\n")
        return self.done.get(key)

    def tuned(self, *cell):
        """The rate with the best validation, whose neighbours are no better."""
        scores = {}

        def score(at):
            if at not in scores:
                found = self.run(*cell, RATES[at], SEEDS[0])
                scores[at] = -1 if found is None or found[VALID] is None else found[VALID]
            return scores[at]

        best = FIRST
        while True:
            near = [at for at in (best - 1, best + 1) if 0 <= at < len(RATES)]
            better = max(near, key=score)
            if score(better) <= score(best):
                return RATES[best], scores
            best = better


def row_of(runs, *cell):
    rate, scores = runs.tuned(*cell)
    found = [run for run in (runs.run(*cell, rate, seed) for seed in SEEDS) if run]
    if not found or (runs.args.table and any(runs.run(*cell, RATES[at], SEEDS[0]) is None for at in scores)):
        return None
    if any(run[name] is None for run in found for name in (VALID, TEST)):
        return None
    values = [run[TEST] for run in found]
    return (*cell, rate, len(found), statistics.mean(run[VALID] for run in found), statistics.mean(values), min(values),
            max(values), statistics.mean(run["steps"] for run in found),
            statistics.mean(run["fit_cpu_seconds"] for run in found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log")
    parser.add_argument("--bin")
    parser.add_argument("--streams", required=True, type=lambda text: dict(part.split("=") for part in text.split(",")))
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--batches", default="10,50,200,1000")
    parser.add_argument("--budgets", default="epochs,steps")
    parser.add_argument("--memories", default="window,exact")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if not args.bin and not args.table:
        parser.error("--bin is needed without --table")
    runs = Runs(args)
    print("| stream | equal | memory | batch | rate | seeds | validation AP | test AP | least | most | steps | CPU s |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for budget in args.budgets.split(","):
        for stream in args.streams:
            for memory in args.memories.split(","):
                for batch in map(int, args.batches.split(",")):
                    row = row_of(runs, stream, budget, memory, batch)
                    if row:
                        print("| {} | {} | {} | {} | {:g} | {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.0f} | {:.1f} |"
                              .format(*row), flush=True)


if __name__ == "__main__":
    main()
