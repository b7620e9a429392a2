#!/usr/bin/env python3
"""How accurate the rivals of tgn-train become, on real streams; can be stopped at any time and started again.

    rival_accuracy.py FOLDER [--data FOLDER] [--ways touched,pyg] [--sets collegemsg,...] [--seeds 0]
                      [--batch-sizes 200] [--epochs 15] [--only-table] [--python PYTHON]

Trains each way (touched: tgn_reference.py, pyg: pyg_reference.py, pyg-inductive: with the former's parts) on each set
of the data folder, one after the other. FOLDER keeps NAME.jsonl, a line for each epoch, and NAME.state to
continue from. Prints a table of all runs that are there: the epoch that was best on validation, in percent. New
nodes: events with a node that training did not see; pyg trains on all nodes, so these are others and fewer.
PYTHON needs: pip install torch torch_geometric numpy pandas scikit-learn safetensors
"""
import argparse
import glob
import itertools
import json
import os
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../sparse-train"))
import measures  # noqa: E402

SETS = {"collegemsg": "collegemsg/CollegeMsg.txt.gz", "bitcoin-otc": "bitcoin-otc/soc-sign-bitcoinotc.csv",
        "wikipedia": "wikipedia/wikipedia.csv.zst", "enron": "enron/ml_enron.csv.zst",
        "duckdb-commits": "duckdb-commits/interactions.csv.zst"}
WAYS = {"touched": ["tgn_reference.py"], "pyg": ["pyg_reference.py"],
        "pyg-inductive": ["pyg_reference.py", "--split", "inductive"]}


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def train(args, way, name, batch_size, seed):
    base = os.path.join(args.folder, f"{way}-{name}-b{batch_size}-s{seed}")
    if any("final" in line for line in lines_of(f"{base}.jsonl")):
        return
    script, *options = WAYS[way]
    events = os.path.join(args.data, "temporal", SETS[name])
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}
    with open(f"{base}.jsonl", "a", encoding="utf-8") as log:
        subprocess.run([args.python, os.path.join(FOLDER, script), events, *options, "--batch-size", str(batch_size),
                        "--seed", str(seed), "--epochs", str(args.epochs), "--state", f"{base}.state"],
                       check=True, stdout=log, env=environment)


def best_of(lines):
    """The tested epochs are those that improved validation: the last of them is the best."""
    tested = [line for line in lines if line.get("test")]
    return tested[-1] if tested else None


def print_table(folder):
    parts = ("val", "new_val", "test", "new_test")
    print("| run | epochs | best | " + " | ".join(f"{part} AP mean/200" for part in parts)
          + " | test AP | test AUC | events/CPU s |\n|---|" + "---:|" * 9)
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        epochs = [line for line in lines_of(path) if "loss" in line and "final" not in line]
        best = best_of(epochs)
        if best is None:
            continue
        cells = [f"{100 * best[part]['ap_batch200']:.2f}" if best[part] else "" for part in parts]
        speed = sum(e["steps"] for e in epochs) and len(epochs) / sum(1 / e["events_per_cpu_second"] for e in epochs)
        print(f"| {os.path.basename(path)[:-6]} | {len(epochs)} | {best['epoch'] + 1} | " + " | ".join(cells)
              + f" | {100 * best['test']['ap']:.2f} | {100 * best['test']['auc']:.2f} | {speed:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--ways", default="touched,pyg")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--batch-sizes", default="200")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--only-table", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    if not args.only_table:
        for batch_size, seed, way, name in itertools.product(*(
                choice.split(",") for choice in (args.batch_sizes, args.seeds, args.ways, args.sets))):
            train(args, way, name, batch_size, seed)
    print_table(args.folder)


if __name__ == "__main__":
    main()
