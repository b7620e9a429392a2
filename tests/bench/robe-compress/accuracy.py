#!/usr/bin/env python3
"""AUC of every way to keep embedding tables on real and generated clicks, at 10, 100 and 1000 times less memory.

    accuracy.py [--data FOLDER] [--sets NAME,...] [--methods NAME,...] [--compressions X,...] [--seeds 3]
                [--tune] [--also NAME=OPTIONS]... [--robe-compress PATH] [--json FILE]

FOLDER holds the sets of this project's data folder; those that are missing are left out. Where a set has no
test part, the last fifth of the lines (sets in order of time) or every fifth line (sets sorted by user) is
tested on. Training settings are each set's own, found with --tune for full tables on a fifth of the training
part, and the same for all methods. `generated` is `generate --shape kaggle --scale 30`, 600,000 samples and
100,000 to test on, trained with the tool's defaults. "compressed" is full tables after `compress --fine-tune`,
trained on for as many epochs again. Of all epochs the one with the least log-loss on the test part counts. --also runs every method once more with other options, such as
--also 'Z 8=--block 8'. One table a set: mean AUC and standard deviation over seeds.
"""
import argparse
import csv
import itertools
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402
from click_data import sets_here, write_json  # noqa: E402

METHODS = "full,robe,robe-hot,hash,qr,multi"
COMPRESSED = "compressed"
SMALL = "--bottom 64 --top 64,32"
MEDIUM = "--bottom 256,64 --top 256,128"
IDS = "--top 64,32"  # SMALL without numbers
USERS = 6000  # of Gowalla: a fifth


def rates(optimizer, rate, factor, warm_up=None):
    """Options for an optimiser, with a rate of the embeddings that is `factor` times the network's."""
    if warm_up is None:
        warm_up = 0.1 if optimizer == "adagrad" else 0
    return (f"--optimizer {optimizer} --learning-rate {rate:g} --embedding-rate {rate * factor:g} "
            f"--warm-up {warm_up:g}")


class Set:
    """Data, the options that read them, and the training settings of full tables."""
    def __init__(self, files, options, settings, header=False, split=None, numbers=True):
        self.files = files        # train and test, or one file
        self.options = options
        self.settings = settings
        self.header = header
        self.split = split        # which fifth is held out: "last" (also None) or "every" fifth line
        self.numbers = numbers    # whether there are columns of them

    def layers(self, options):
        """SMALL or MEDIUM, without the layers over numbers where there are none."""
        return options if self.numbers else options[options.index("--top"):]

    def prepare(self, args, work):
        """Paths of the training and the test part."""
        paths = [os.path.join(args.data, file) for file in self.files]
        if self.split is None:
            return paths
        lines = measures.read(paths[0]).splitlines(keepends=True)
        head, lines = (lines[:1], lines[1:]) if self.header else ([], lines)
        cut = len(lines) - len(lines) // 5
        is_test = (lambda i: i >= cut) if self.split == "last" else (lambda i: i % 5 == 4)
        return [write(f"{work}/{part}", head + [line for i, line in enumerate(lines) if is_test(i) == wanted])
                for part, wanted in (("train", False), ("test", True))]


class Pairs(Set):
    """Lists of each user's items; as many items that the user has nowhere are drawn as examples of no."""
    def prepare(self, args, work):
        parts = [read_pairs(os.path.join(args.data, file)) for file in self.files]
        known = set().union(*map(set, parts))
        items = sorted({item for _, item in known})
        rng = random.Random(1)
        paths = []
        for name, pairs in zip(("train", "test"), parts):
            lines = [b"user,item,click\n"]
            for user, item in pairs:
                other = next(i for i in iter(lambda: rng.choice(items), None) if (user, i) not in known)
                lines += [b"%d,%d,1\n" % (user, item), b"%d,%d,0\n" % (user, other)]
            paths.append(write(f"{work}/{name}", lines))
        return paths


class Generated(Set):
    """Criteo Kaggle's shape with a thirtieth of the rows."""
    def prepare(self, args, work):
        paths, first = [f"{work}/train", f"{work}/test"], 0
        for path, samples in zip(paths, (600000, 100000)):
            subprocess.run([args.robe_compress, "generate", "--shape", "kaggle", "--scale", "30", "-q", "--samples",
                            str(samples), "--from", str(first), "-o", path], check=True)
            first += samples
        return paths


SETS = {
    "criteo-10k": Set(["ctr/criteo-10k/train.tsv.zst", "ctr/criteo-10k/test.tsv"], "--format criteo",
                      f"{MEDIUM} --batch-size 64 --epochs 4 {rates('adam', 0.001, 10)}"),
    "avazu-10k": Set(["ctr/avazu-10k/train.csv.zst", "ctr/avazu-10k/test.csv"], "--format avazu",
                     f"{IDS} --batch-size 256 --epochs 8 {rates('adam', 0.001, 10)}", numbers=False),
    "adult": Set(["ctr/adult/adult.csv.zst"],
                 "--format csv --label-column income-per-year --positive '>50K'",
                 f"--top 256,128 --batch-size 64 --epochs 2 {rates('adagrad', 0.05, 1)}", True, "every", False),
    "frappe-partial": Set(["ctr/frappe-partial/frappe.validation.libfm.zst",
                           "ctr/frappe-partial/frappe.test.libfm.zst"], "--format libfm",
                          f"{IDS} --batch-size 256 --epochs 8 {rates('adagrad', 0.05, 1)}", numbers=False),
    "insteval": Set(["bundle/ctr-lme4-insteval/insteval.csv"],
                    "--format csv --label-column y --positive 'y>=4' --columns '*:category'",
                    f"{IDS} --batch-size 64 --epochs 8 {rates('adagrad', 0.05, 1, 0)}", True, "every", False),
    "movielens": Set(["bundle/ctr-dslabs-movielens/ratings.csv"],
                     "--format csv --columns 'user_id:category,item_id:category,rating:label,*:ignore' "
                     "--positive 'rating>=4'",
                     f"{IDS} --batch-size 256 --epochs 8 {rates('adagrad', 0.01, 5)}", True, "every", False),
    "gowalla": Pairs(["ctr/gowalla-lightgcn/train.txt.zst", "ctr/gowalla-lightgcn/test.txt.zst"],
                     "--format csv --columns 'user:category,item:category,click:label'",
                     f"{IDS} --batch-size 256 --epochs 4 {rates('adam', 0.001, 10)}", split="every", numbers=False),
    "generated": Generated([], "--format criteo", ""),
}
GRID = {"layers": [SMALL, MEDIUM], "--batch-size": [64, 256], "--epochs": [1, 2, 4, 8],
        "rates": [rates("adam", 0.0005, 10), rates("adam", 0.001, 10), rates("adam", 0.003, 3),
                  rates("adagrad", 0.01, 5), rates("adagrad", 0.05, 1)]}


def write(path, lines):
    with open(path, "wb") as file:
        file.writelines(lines)
    return path


def read_pairs(path):
    rows = (line.split() for line in measures.read(path).splitlines())
    return [(int(row[0]), int(item)) for row in rows if row and int(row[0]) < USERS for item in row[1:]]


def sweep(args, train, options, methods, compressions, seeds):
    """Rows of a sweep's table: method, compression, AUC by seed ..."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.robe_compress, "sweep", train, "-q", "--method", methods, "--compression", compressions,
                   "--seeds", str(seeds), "--threads", str(args.threads), "-o", f"{folder}/out.csv", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(f"{folder}/out.csv", encoding="utf-8") as file:
            rows = [{key.removeprefix("validation_"): value for key, value in row.items()}
                    for row in csv.DictReader(file)]
        return [row for row in rows if not row["refused"]]


def run_json(command):
    return json.loads(subprocess.run([*command, "--json", "-q"], check=True, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)


def compressed(args, train, test, options, work):
    """Rows as sweep() has them, of full tables that are compressed once they are trained."""
    aucs = {}
    epochs = re.search(r"--epochs (\d+)", shlex.join(options))
    for seed in range(1, args.seeds + 1):
        run_json([args.robe_compress, "train", train, "-o", f"{work}/full", "-f", "--method", "full", "--seed", str(seed),
                  "--threads", str(args.threads), *options])
        for compression in args.compressions.split(","):
            try:
                made = run_json([args.robe_compress, "compress", f"{work}/full", "-o", f"{work}/small", "-f",
                                 "--compression", compression, "--fine-tune", train,
                                 "--epochs", epochs[1] if epochs else "1", "--validation", test,
                                 "--seed", str(seed), "--threads", str(args.threads)])
            except subprocess.CalledProcessError as error:
                if error.returncode != 2:
                    raise
                continue  # too small
            if made["bytes_after"] * float(compression) > 1.01 * made["bytes_before"]:
                continue  # no array is that small
            aucs.setdefault(compression, []).append(
                run_json([args.robe_compress, "eval", f"{work}/small", test])["auc"])
    return [{"method": COMPRESSED, "compression": compression, "auc": statistics.mean(found),
             "auc_deviation": statistics.stdev(found) if len(found) > 1 else 0}
            for compression, found in aucs.items()]


def tune(args, name, chosen, train):
    """Prints full tables' AUC on a fifth of the training part for each setting, the best last."""
    held_out = "last:0.2" if chosen.split != "every" else "every:5"
    results = []
    for values in itertools.product(*GRID.values()):
        options = " ".join(f"{key} {value}" if key.startswith("--") else chosen.layers(value)
                           for key, value in zip(GRID, values))
        rows = sweep(args, train, [*shlex.split(chosen.options), *shlex.split(options), "--held-out", held_out],
                     "full", "10", 1)
        results.append((float(rows[0]["auc"]), options))
        print(f"{name}: {results[-1][0]:.4f} {options}", file=sys.stderr)
    for score, options in sorted(results)[-5:]:
        print(f"{name}: {score:.4f} {options}")


def print_table(name, rows, compressions):
    print(f"\n{name}\n\n| method | " + " | ".join(f"{float(c):g}x" for c in compressions) + " |")
    print("|---|" + "---|" * len(compressions))
    for label, group in itertools.groupby(rows, key=lambda row: row["label"]):
        cells = {float(row["compression"]): cell(row) for row in group}
        if len(cells) == 1 and float(compressions[0]) not in cells:  # full, int8 and int4: of one size
            size, text = cells.popitem()
            print(f"| {label} ({size:.3g}x) | {text} |" + " |" * (len(compressions) - 1))
        else:
            print(f"| {label} | " + " | ".join(cells.get(float(c), "too small") for c in compressions) + " |")


def cell(row):
    return f"{float(row['auc']):.4f} +- {float(row['auc_deviation'] or 0):.4f}"


def run_set(args, name, work):
    chosen = SETS[name]
    train, test = chosen.prepare(args, work)
    if args.tune:
        return tune(args, name, chosen, train)
    rows = []
    for label, more in [("", ""), *(item.split("=", 1) for item in args.also)]:
        options = [*shlex.split(chosen.options), *shlex.split(chosen.settings), *shlex.split(more),
                   "--validation", test]
        methods = args.methods.split(",")
        found = sweep(args, train, options, ",".join(m for m in methods if m != COMPRESSED), args.compressions,
                      args.seeds)
        if COMPRESSED in methods and not label:
            found += compressed(args, train, test, options, work)
        for row in found:
            rows.append({"set": name, "label": f"{row['method']}, {label}" if label else row["method"], **row})
    print_table(name, rows, args.compressions.split(","))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=f"{METHODS},{COMPRESSED}")
    parser.add_argument("--compressions", default="10,100,1000")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tune", action="store_true", help="search settings for full tables instead")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=OPTIONS")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--robe-compress", default=measures.default_program("robe-compress"))
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    for name, work in sets_here(args, SETS):
        rows += run_set(args, name, work) or []
    write_json(args.json, rows)


if __name__ == "__main__":
    main()
