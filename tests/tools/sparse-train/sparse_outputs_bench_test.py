#!/usr/bin/env python3
"""The benchmarks of sparse outputs run on generated data, and signatures find what random labels do not.

    sparse_outputs_bench_test.py SPARSE_TRAIN GENERATE_XMC RETRIEVAL
"""
import json
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/sparse-train")


def main():
    program, generate, retrieval = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([generate, "5k", f"{work}/small", "points=1500", "test_points=300", "labels=300",
                        "features=2000"], check=True, stdout=subprocess.DEVNULL)
        common = ["--data", work, "--sparse-train", program]
        subprocess.run([sys.executable, f"{FOLDER}/retrieval.py", *common, "--sets", "small", "--epochs", "4",
                        "--bench", retrieval, "--json", f"{work}/r.json"], check=True)
        with open(f"{work}/r.json", encoding="utf-8") as file:
            rows = json.load(file)["small"]
        recall = {(row["way"], row["share"], row["moment"]): row["recall"] for row in rows}
        signatures = recall["signatures, 320 signs, centred (default)", 0.15, "after"]
        assert signatures > 0.7, signatures
        assert signatures > recall["tables, vanilla, DWTA (SLIDE)", 0.15, "after"] + 0.1, recall
        subprocess.run([sys.executable, f"{FOLDER}/sparse_outputs.py", *common, "--sets", "small=0.2",
                        "--epochs", "3", "--seeds", "1", "--ways", "dense|default|tree", "--json", f"{work}/s.json"],
                       check=True)
        with open(f"{work}/s.json", encoding="utf-8") as file:
            runs = {row["way"]: row["runs"][0] for row in json.load(file)["small"]}
        assert list(runs) == ["dense", "lsh (signatures, the default)", "tree"], runs
        assert 0.15 < runs["lsh (signatures, the default)"]["active"] < 0.25, runs
        assert runs["dense"]["active"] is None and runs["dense"]["p1"] > runs["dense"]["frequent"][0], runs


if __name__ == "__main__":
    main()
