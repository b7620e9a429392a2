#!/usr/bin/env python3
"""Node affinity on duckdb-commits: weekly, authors by folder and type of the files (146 classes), NDCG@10.

    affinity.py FOLDER --data FOLDER --bin FOLDER [--seeds 0,1,2]

Trains and tests tgn-train for each seed, and prints a table. The column "as fixed" is of the vectors and by the measure that
the mix with three fixed weights was measured with: known authors among the last 15 % of all vectors, equal scores by
their class. FOLDER keeps files.
"""
import argparse
import csv
import io
import json
import os
import resource
import struct
import subprocess

import numpy as np


def write_events(data, path):
    folder = os.path.join(data, "temporal/duckdb-commits")
    with open(os.path.join(folder, "items.csv"), encoding="utf-8", newline="") as file:
        classes = {item: f"{top}.{ending}" for item, ending, _, top in list(csv.reader(file))[1:]}
    text = subprocess.run(["zstdcat", os.path.join(folder, "interactions.csv.zst")], check=True, capture_output=True, text=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write("source,destination,time\n")
        for author, item, when, *_ in list(csv.reader(io.StringIO(text.stdout)))[1:]:
            if item in classes:
                out.write(f"{author},{classes[item]},{when}\n")


def tensors(path):
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    types = {"F32": "<f4", "F64": "<f8", "U32": "<u4", "U8": "u1"}
    return {name: np.frombuffer(content[8 + size:][slice(*one["data_offsets"])], types[one["dtype"]]).reshape(one["shape"])
            for name, one in json.loads(content[8:8 + size]).items() if name != "__metadata__"}


def as_fixed(found, vectors):
    """Mean NDCG@10 of known authors in the last 15 % of the vectors, with ties by class."""
    last = vectors - int(0.85 * vectors)
    discounts = 1 / np.log2(np.arange(2, 12))

    def dcg(gains):
        return float((gains[:10] * discounts[:len(gains[:10])]).sum())
    ndcg = []
    for known, scores, weights in list(zip(found["known"], found["scores"], found["weights"]))[-last:]:
        if known:
            ndcg.append(dcg(weights[np.argsort(-scores, kind="stable")]) / dcg(np.sort(weights)[::-1]))
    return np.mean(ndcg), len(ndcg)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--data", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", default="0,1,2")
    options = parser.parse_args()
    tool = os.path.join(os.path.abspath(options.bin), "tgn-train")
    data = os.path.abspath(options.data)
    os.makedirs(options.folder, exist_ok=True)
    os.chdir(options.folder)
    write_events(data, "commits.csv")
    subprocess.run([tool, "import", "commits.csv", "--ids", "any", "--bipartite", "yes", "--sort", "-q", "-o", "commits.safetensors"],
                   check=True)
    print("seed validation test all by-time as-fixed (vectors) predictor CPU-s")
    for seed in options.seeds.split(","):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        told = json.loads(subprocess.run(
            [tool, "train-affinity", "commits.safetensors", "--every", "7d", "--seed", seed, "--threads", "1", "--json", "-f", "-o",
             "affinity.model"], check=True, capture_output=True, text=True).stdout)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        subprocess.run([tool, "eval-affinity", "affinity.model", "commits.safetensors", "--forecasts", "f.safetensors", "-f", "-q"],
                       check=True)
        fixed, count = as_fixed(tensors("f.safetensors"), told["vectors"])
        print(f"{seed} {told['validation_ndcg']:.4f} {told['test_ndcg']:.4f} {told['test_ndcg_all']:.4f} "
              f"{told['test_ndcg_by_time']:.4f} {fixed:.4f} ({count}) {told['predictor']} {seconds:.1f}")
    for name, average in told["averages"].items():
        print(f"{name} {average['validation_ndcg']:.4f} {average['test_ndcg']:.4f} {average['test_ndcg_by_time']:.4f}")
    print("shares", {name: round(share, 3) for name, share in told["shares"].items()})


if __name__ == "__main__":
    main()
