#!/usr/bin/env python3
"""Test results of gnn-sample on a table of nodes as it comes, beside features that scikit-learn makes of its columns.

    tables.py make FOLDER
    tables.py run PROGRAM FOLDER [--ways default,words-256,words-4096,no-words,sklearn,sklearn-alone]
                  [--tasks section,size] [--seeds 3] [--json FILE]

make: Debian's packages as `apt-cache dumpavail` lists them, as packages.csv, and their dependencies as depends.csv.
Parts are by source package: 60 % train, 20 % validate, 20 % test. run: the task section is one of 58 classes, size
the logarithm of the installed size, a number; each leaves the other's column among the features but for size, which the
table of section lacks. A way is how features are made: by import with its defaults, with other --word-features or
without columns of words; by a ColumnTransformer of scikit-learn, for the same network; or sklearn-alone, a linear model
of scikit-learn on these features without the graph. CPU seconds are user time, of making features and of training,
with one thread. Figures: accuracy, or R2, in percent. Needs pandas, SciPy and scikit-learn for the last two ways.
"""
import argparse
import csv
import hashlib
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time

COLUMNS = ("package", "section", "split", "priority", "architecture", "maintainer", "description", "tags", "log_size")
NETWORK = ("--architecture sage --norm batch --fanouts 10,10 --batch-size 512 --schedule cosine --epochs 10 "
           "--learning-rate 0.003 --eval-every 2").split()
LABELS = {"section": "section", "size": "log_size"}
METRICS = {"section": "accuracy", "size": "r2"}


def paragraphs():
    text = subprocess.run(["apt-cache", "dumpavail"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for block in text.split("\n\n"):
        fields, name = {}, None
        for line in block.split("\n"):
            if line.startswith(" ") and name:
                fields[name] += line
            elif ": " in line:
                name, fields[name] = line.split(": ", 1)
        if "Package" in fields:
            yield fields


def part_of(source):
    place = int(hashlib.sha256(source.encode()).hexdigest()[:8], 16) % 10
    return "train" if place < 6 else "valid" if place < 8 else "test"


def make(folder):
    os.makedirs(folder, exist_ok=True)
    packages = {}
    for fields in paragraphs():
        packages.setdefault(fields["Package"], fields)
    with open(os.path.join(folder, "packages.csv"), "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(COLUMNS)
        for name, f in packages.items():
            size = f.get("Installed-Size", "")
            rows.writerow([name, f.get("Section", ""), part_of(f.get("Source", name).split(" ")[0]),
                           f.get("Priority", ""), f.get("Architecture", ""), f.get("Maintainer", ""),
                           f.get("Description", ""), f.get("Tag", "").replace(" ", ""),
                           f"{math.log10(1 + float(size)):.4f}" if size else ""])
    with open(os.path.join(folder, "depends.csv"), "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["source", "target"])
        for name, f in packages.items():
            for group in ",".join(f.get(field, "") for field in ("Pre-Depends", "Depends")).split(","):
                other = group.split("|")[0].strip().split(" ")[0].split(":")[0]
                if other in packages and other != name:
                    rows.writerow([name, other])


def timed(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, out


def import_table(args, task, way, out):
    table, edges = (os.path.join(args.folder, name) for name in ("packages.csv", "depends.csv"))
    columns = f"package:id,{LABELS[task]}:label,split:split,tags:category(,)"
    if task == "section":
        columns += ",log_size:ignore"
    if way == "no-words":
        columns += ",description:ignore,maintainer:ignore"
    more = ["--word-features", way.partition("-")[2]] if way.startswith("words-") else []
    features = table if way != "sklearn" else os.path.join(args.folder, f"{task}.npz")
    if way == "sklearn":
        columns = f"package:id,{LABELS[task]}:label,split:split"
        more = ["--node-ids", os.path.join(args.folder, "names.txt")]
    command = [args.program, "import", edges, "--ids", "any", "--undirected", "--duplicates", "remove", "--features",
               features, "--labels", table, "--split", table, "--columns", columns, *more, "--threads", "1", "-o", out,
               "--force", "--quiet"]
    return timed(command)[0]


def sklearn_features(args, task):
    """Features in the order of the rows, and the labels."""
    import numpy as np
    import pandas as pd
    import scipy.sparse
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.preprocessing import OneHotEncoder
    began = time.process_time()
    table = pd.read_csv(os.path.join(args.folder, "packages.csv"), keep_default_na=False)
    few = ["priority", "architecture"] + (["section"] if task == "size" else [])
    makers = ColumnTransformer([("few", OneHotEncoder(), few),
                                ("maintainer", TfidfVectorizer(max_features=1024), "maintainer"),
                                ("description", TfidfVectorizer(max_features=1024), "description"),
                                ("tags", CountVectorizer(token_pattern="[^,]+", binary=True), "tags")], sparse_threshold=1)
    features = scipy.sparse.csr_matrix(makers.fit_transform(table), dtype=np.float32)
    scipy.sparse.save_npz(os.path.join(args.folder, f"{task}.npz"), features)
    spent = time.process_time() - began
    table["package"].to_csv(os.path.join(args.folder, "names.txt"), index=False, header=False)
    return features, table, spent


def train_alone(features, table, task):
    import pandas as pd
    from sklearn.linear_model import LogisticRegression, Ridge
    label = table[LABELS[task]]
    known = (label != "").to_numpy()
    train, test = ((table["split"] == part).to_numpy() & known for part in ("train", "test"))
    label = pd.to_numeric(label) if task == "size" else label
    began = time.process_time()
    model = Ridge(alpha=1.0, solver="lsqr") if task == "size" else LogisticRegression(C=10, max_iter=200)
    model.fit(features[train], label[train])
    return 100 * model.score(features[test], label[test]), time.process_time() - began


def run(args):
    rows = []
    graph = os.path.join(args.folder, "graph.safetensors")
    for task in args.tasks.split(","):
        for way in args.ways.split(","):
            if way.startswith("sklearn"):
                features, table, making = sklearn_features(args, task)
            if way == "sklearn-alone":
                test, training = train_alone(features, table, task)
                rows.append({"task": task, "way": way, "seed": 0, "test": test, "making": making, "training": training})
                print(rows[-1], file=sys.stderr)
                continue
            importing = import_table(args, task, way, graph)
            making = making + importing if way == "sklearn" else importing
            for seed in range(args.seeds):
                training, out = timed([args.program, "train", graph, *NETWORK, "--seed", str(seed), "--threads", "1", "-o",
                                       graph + ".model", "--force", "--json", "--quiet"])
                result = json.loads(out)
                rows.append({"task": task, "way": way, "seed": seed, "test": 100 * result["test_" + METRICS[task]],
                             "valid": 100 * result["validation_" + METRICS[task]], "making": making, "training": training})
                print(rows[-1], file=sys.stderr)
    return rows


def show(rows):
    print("| task | features | test | spread | making, CPU s | training, CPU s |\n|---|---|---|---|---|---|")
    for task, way in dict.fromkeys((row["task"], row["way"]) for row in rows):
        some = [row for row in rows if (row["task"], row["way"]) == (task, way)]
        tests = [row["test"] for row in some]
        print(f"| {task} | {way} | {statistics.mean(tests):.2f} | {max(tests) - min(tests):.2f} | {some[0]['making']:.1f} | "
              f"{statistics.median(row['training'] for row in some):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make").add_argument("folder")
    running = commands.add_parser("run")
    running.add_argument("program")
    running.add_argument("folder")
    running.add_argument("--ways", default="default,words-256,words-4096,no-words,sklearn,sklearn-alone")
    running.add_argument("--tasks", default="section,size")
    running.add_argument("--seeds", type=int, default=3)
    running.add_argument("--json")
    args = parser.parse_args()
    if args.command == "make":
        return make(args.folder)
    rows = run(args)
    if args.json:
        with open(args.json, "w") as out:
            json.dump(rows, out, indent=1)
    show(rows)


if __name__ == "__main__":
    main()
