#!/usr/bin/env python3
"""Test AUC of models that two builds of robe-compress, or one with other options, train on the sets of accuracy.py.

    before_after.py --row 'NAME=PROGRAM OPTIONS'... [--command train|compress] [--data FOLDER] [--sets NAME,...]
                    [--compressions 20,100] [--seeds 3] [--settings set|default] [--users 6000] [--json FILE]
                    [--say hot_share|epochs|log_loss]

train: `PROGRAM train OPTIONS` at each compression. compress: full tables, trained once by the first row's program,
after `PROGRAM compress OPTIONS --fine-tune`, two epochs. --settings set: layers, rates and epochs are those that
accuracy.py found for the set's full tables; default: the program's. --users: of Gowalla. One thread each. A cell has
the mean over seeds, the standard deviation and what --say names of each seed: hot share, epochs, or log loss.
"""
import argparse
import json
import os
import shlex
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402
import accuracy  # noqa: E402
from click_data import sets_here, write_json  # noqa: E402


class Row:
    def __init__(self, text):
        self.name, _, command = text.partition("=")
        self.program, *self.options = shlex.split(command)

    def call(self, command, *arguments):
        return accuracy.run_json([self.program, command, *map(str, arguments), "--threads", "1"])


def run_point(args, rows, parts, work, compression, seed):
    """Answers and test AUC of each row at one compression and seed."""
    train, test, reading, settings = parts
    size = ["--compression", compression, "--seed", seed]
    if args.command == "compress":
        rows[0].call("train", train, "-o", f"{work}/full", "-f", "--method", "full", "--seed", seed, *reading, *settings)
    for row in rows:
        if args.command == "train":
            said = row.call("train", train, "-o", f"{work}/model", "-f", *size, *reading, *settings, *row.options)
        else:
            said = row.call("compress", f"{work}/full", "-o", f"{work}/model", "-f", *size, *row.options,
                            "--fine-tune", train, "--epochs", 2)
        graded = rows[-1].call("eval", f"{work}/model", test)
        yield row.name, {"auc": graded["auc"], "log_loss": graded["log_loss"], "hot_share": said.get("hot_share"),
                         "epochs": said.get("epochs")}


def cell(runs, key):
    aucs = [run["auc"] for run in runs]
    deviation = statistics.stdev(aucs) if len(aucs) > 1 else 0
    told = ", ".join(f"{run[key]:.4g}" for run in runs if run[key] is not None)
    return f"{statistics.mean(aucs):.4f} +- {deviation:.4f}" + (f" ({told})" if told else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--row", action="append", required=True, metavar="NAME=PROGRAM OPTIONS")
    parser.add_argument("--command", choices=["train", "compress"], default="train")
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default=",".join(accuracy.SETS))
    parser.add_argument("--compressions", default="20,100")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--settings", choices=["set", "default"], default="set")
    parser.add_argument("--users", type=int, default=accuracy.USERS)
    parser.add_argument("--say", choices=["hot_share", "epochs", "log_loss"], default="hot_share")
    parser.add_argument("--json")
    args = parser.parse_args()
    accuracy.USERS = args.users
    rows = [Row(text) for text in args.row]
    args.robe_compress = rows[0].program  # makes the generated set
    results = []
    print("| set, compression | " + " | ".join(row.name for row in rows) + " |\n|---|" + "---|" * len(rows))
    for name, work in sets_here(args, accuracy.SETS):
        chosen = accuracy.SETS[name]
        settings = shlex.split(chosen.settings) if args.settings == "set" else []
        parts = (*chosen.prepare(args, work), shlex.split(chosen.options), settings)
        for compression in args.compressions.split(","):
            runs = {}
            for seed in range(1, args.seeds + 1):
                for row, run in run_point(args, rows, parts, work, compression, seed):
                    runs.setdefault(row, []).append(run)
            print(f"| {name}, {compression}x | " + " | ".join(cell(runs[row.name], args.say) for row in rows) + " |",
                  flush=True)
            results.append({"set": name, "compression": compression, "runs": runs})
    write_json(args.json, results)


if __name__ == "__main__":
    main()
