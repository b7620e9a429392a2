#!/usr/bin/env python3
"""Recall of the labels of the largest logits against the number looked up, and prints a markdown table.

A dense network is trained on each set; every way of looking labels up (bench_retrieval, a target of the
build) and the indexes of FAISS search the weights of its labels with the hidden units of 256 test examples,
once before training (rate 1e-9) and once after. The truth is the 10 largest logits by an exact search.

    retrieval.py [--data DIR] [--sets delicious,...] [--epochs 5] [--seed 0] [--sparse-train PATH]
                 [--bench PATH] [--json FILE]

FAISS is a Python package of the interpreter that runs this; where it is not installed its rows are left out.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import measures

SETS = ["delicious", "bibtex", "stackex_cs", "wordnet-hypernyms", "debian-depends"]
SHARES = (0.01, 0.05, 0.15)
BEST = 10


def faiss_rows(folder, dim):
    """FAISS on one thread: exact products, its own signatures, inverted lists and a graph."""
    try:
        import faiss
        import numpy
    except ImportError:
        return []
    faiss.omp_set_num_threads(1)
    hidden, labels = (numpy.fromfile(f"{folder}/{name}.f32", numpy.float32).reshape(-1, dim)
                      for name in ("hidden", "labels"))
    count = len(labels)
    exact = faiss.IndexFlatIP(dim)
    exact.add(labels)
    truth = exact.search(hidden, BEST)[1]
    lists = max(4, int(count ** 0.5))
    kinds = {"FAISS, exact": lambda: faiss.IndexFlatIP(dim),
             "FAISS, LSH of 320 bits": lambda: faiss.IndexLSH(dim, 320),
             "FAISS, HNSW of 32 links": lambda: faiss.IndexHNSWFlat(dim, 32, faiss.METRIC_INNER_PRODUCT),
             "FAISS, inverted lists": lambda: faiss.IndexIVFFlat(exact_lists, dim, lists, faiss.METRIC_INNER_PRODUCT)}
    rows = []
    for name, make in kinds.items():
        exact_lists = faiss.IndexFlatIP(dim)
        index = make()
        began = time.perf_counter()
        if not index.is_trained:
            index.train(labels)
        index.add(labels)
        built = time.perf_counter() - began
        for share in SHARES:
            wanted = max(BEST, int(share * count))
            if hasattr(index, "hnsw"):
                index.hnsw.efSearch = wanted
            if hasattr(index, "nprobe"):
                index.nprobe = max(1, round(2 * share * lists))
            index.search(hidden[:16], wanted)
            began = time.perf_counter()
            found = index.search(hidden, wanted)[1]
            seconds = time.perf_counter() - began
            hits = sum(len(set(a) & set(b)) for a, b in zip(truth.tolist(), found.tolist()))
            rows.append({"way": name, "share": share, "wanted": wanted, "recall": hits / truth.size,
                         "found": float((found >= 0).sum(axis=1).mean()),
                         "microseconds": 1e6 * seconds / len(hidden), "build_ms": 1e3 * built})
    return rows


def rows_of(args, train, test, work, moment, epochs):
    model = f"{work}/{moment}.model"
    rate = [] if moment == "after" else ["--learning-rate", "1e-9"]
    subprocess.run([args.sparse_train, "train", train, "-o", model, "-f", "-q", "--architecture", "dense",
                    "--epochs", str(epochs), "--seed", str(args.seed), "--calibration", "none", *rate],
                   check=True, stderr=subprocess.DEVNULL)
    told = subprocess.run([args.bench, model, test, work], check=True, stdout=subprocess.PIPE).stdout
    rows = [json.loads(line) for line in told.splitlines()]
    return [{**row, "moment": moment} for row in rows + faiss_rows(work, rows[0]["columns"])]


def print_table(name, rows):
    after = [row for row in rows if row["moment"] == "after"]
    before = {(row["way"], row["share"]): row for row in rows if row["moment"] == "before"}
    shares = sorted({row["share"] for row in after})
    print(f"\n{name}: recall of the {BEST} best labels, looking up a share of all; (before training)\n")
    print("| way | " + " | ".join(f"{100 * share:g} %" for share in shares) + " | µs at 5 % | ms to build |")
    print("|---|" + "---:|" * (len(shares) + 2))
    for way in dict.fromkeys(row["way"] for row in after):
        own = {row["share"]: row for row in after if row["way"] == way}
        cells = [f"{own[s]['recall']:.3f} ({before[way, s]['recall']:.2f})" for s in shares]
        print(f"| {way} | " + " | ".join(cells) + f" | {own[0.05]['microseconds']:.1f} | {own[0.05]['build_ms']:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(measures.default_data(), "xmc"))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sparse-train", default=measures.default_program())
    parser.add_argument("--bench", default=measures.default_program("bench_retrieval"))
    parser.add_argument("--json", help="file for all figures")
    args = parser.parse_args()
    results = {}
    for name in args.sets.split(","):
        folder = os.path.join(args.data, name)
        train, test = measures.find(folder, "train.txt"), measures.find(folder, "test.txt")
        with tempfile.TemporaryDirectory() as work:
            results[name] = [row for moment, epochs in (("before", 1), ("after", args.epochs))
                             for row in rows_of(args, train, test, work, moment, epochs)]
        print_table(name, results[name])
        sys.stdout.flush()
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
