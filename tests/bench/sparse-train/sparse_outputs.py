#!/usr/bin/env python3
"""Trains sparse-train's ways to many labels at equal epochs and prints a markdown table for each set.

Ways: all outputs (dense), outputs looked up (lsh) at a share of the labels, in several families, outputs
shared by a batch (shared), the same with labels looked up (--lsh-hard), and label trees. P@1, P@5 and nDCG@5
are of the test part, the mean of --seeds seeds; beside them the share of the labels that an example computes,
the recall of the 10 best labels, CPU seconds of the whole command (the median), as a share of dense's too. The
row without learning always answers with the most frequent labels.

    sparse_outputs.py [--data DIR] [--sets delicious=0.15,...] [--epochs 2,5,10] [--seeds 3] [--ways REGEX]
                      [--sparse-train PATH] [--json FILE]

A set is a folder of DIR, or a path, and the share of its labels that lsh computes.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import measures

SETS = {"delicious": 0.15, "bibtex": 0.15, "stackex_cs": 0.15, "wordnet-hypernyms": 0.15, "debian-depends": 0.05,
        "yso-finna-en": 0.01}
WAYS = {
    "dense": "--architecture dense",
    "lsh (signatures, the default)": "--architecture lsh --lsh-active {active}",
    "lsh, DWTA tables": "--architecture lsh --lsh-hash dwta --lsh-active {active}",
    "lsh, WTA tables": "--architecture lsh --lsh-hash wta --lsh-active {active}",
    "lsh, MinHash tables": "--architecture lsh --lsh-hash minhash --lsh-active {active}",
    "lsh, SimHash tables": "--architecture lsh --lsh-mode top-k --lsh-hash simhash --lsh-active {active}",
    "lsh, random labels alone": "--architecture lsh --lsh-random 1 --lsh-active {active}",
    "shared": "--architecture shared",
    "shared, --lsh-hard 10": "--architecture shared --lsh-hard 10",
    "tree": "--architecture tree",
}


def told_by(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def one_run(program, train, test, options, epochs, seed, work):
    model = f"{work}/model"
    passes = [] if "tree" in options else ["--epochs", str(epochs)]
    ran = measures.measure([program, "train", train, "-o", model, "-f", "--seed", str(seed), "--calibration", "none",
                            *options.split(), *passes, "--json"])
    trained = json.loads(ran["out"])
    told = told_by([program, "eval", model, test, "--json"])
    return {"cpu": ran["cpu"], "p1": 100 * told["p_at_1"], "p5": 100 * told["p_at_5"],
            "ndcg": 100 * told["ndcg_at_5"], "active": trained.get("lsh_active_fraction"),
            "recall": trained.get("lsh_recall"),
            "frequent": [100 * told[f"frequent_{key}"] for key in ("p_at_1", "p_at_5", "ndcg_at_5")]}


def mean(runs, key):
    values = [run[key] for run in runs if run[key] is not None]
    return statistics.fmean(values) if values else None


def percent(value):
    return "" if value is None else f"{100 * value:.1f}"


def print_table(name, labels, rows):
    print(f"\n{name}, {labels:,} labels\n")
    print("| way | epochs | P@1 | P@5 | nDCG@5 | labels an example, % | recall, % | CPU s | of dense |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    dense = {}
    for (way, epochs), runs in rows.items():
        cpu = statistics.median(run["cpu"] for run in runs)
        if way == "dense":
            dense[epochs] = cpu
        share = f"{cpu / dense[epochs]:.2f}" if epochs in dense else ""
        print(f"| {way} | {epochs or ''} | {mean(runs, 'p1'):.2f} | {mean(runs, 'p5'):.2f} | {mean(runs, 'ndcg'):.2f} | "
              f"{percent(mean(runs, 'active'))} | {percent(mean(runs, 'recall'))} | {cpu:.1f} | {share} |")
    frequent = next(iter(rows.values()))[0]["frequent"]
    print("| without learning | | " + " | ".join(f"{value:.2f}" for value in frequent) + " | | | | |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(measures.default_data(), "xmc"))
    parser.add_argument("--sets", default=",".join(f"{name}={share}" for name, share in SETS.items()))
    parser.add_argument("--epochs", default="2,10")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--ways", default="")
    parser.add_argument("--sparse-train", default=measures.default_program())
    parser.add_argument("--json", help="file for all figures")
    args = parser.parse_args()
    results = {}
    for entry in args.sets.split(","):
        name, share = entry.rsplit("=", 1)
        folder = os.path.join(args.data, name)
        train, test = measures.find(folder, "train.txt"), measures.find(folder, "test.txt")
        labels = int(measures.read(train).split(b"\n", 1)[0].split()[2])
        active = max(1, round(float(share) * labels))
        rows = {}
        with tempfile.TemporaryDirectory() as work:
            for seed in range(args.seeds):
                for epochs in map(int, args.epochs.split(",")):
                    for way, options in WAYS.items():
                        key = (way, None if way == "tree" else epochs)
                        if not re.search(args.ways, way) or (way == "tree" and len(rows.get(key, [])) > seed):
                            continue
                        rows.setdefault(key, []).append(one_run(args.sparse_train, train, test,
                                                                options.format(active=active), epochs, seed, work))
        print_table(name, labels, rows)
        results[name] = [{"way": way, "epochs": epochs, "runs": runs} for (way, epochs), runs in rows.items()]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
