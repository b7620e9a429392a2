#!/usr/bin/env python3
"""Training speed of robe-compress and of the reference DLRM in PyTorch on the same samples and cores.

    train_speed.py [--python VENV/bin/python] [--runs 3] [--samples 600000] [--scale 30] [--compile]
                   [--only TEXT] [--threads N] [--robe-compress PATH] [--json FILE]

Generates Criteo Kaggle's shape, then trains one epoch of the network of dlrm_s_criteo_kaggle.sh in turns:
ours, then each of PyTorch's ways (dlrm_pytorch.py; left out if --python lacks PyTorch), --runs times. Medians
of samples a second of training alone (both have read and encoded the data before), of its CPU seconds, of the
peak memory (PyTorch's without reading, ours of the whole command) and of the AUC on the samples that follow.
Of ours it is the CPU time of the whole command, with reading and evaluation.
"""
import argparse
import collections
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../sparse-train"))
import measures  # noqa: E402

SGD = "--optimizer sgd --learning-rate 0.1"
Duel = collections.namedtuple("Duel", "name ours theirs")
FULL = ["--tables separate", "--tables fused"]
DUELS = [
    Duel("full, SGD 0.1, batch 128", f"--method full {SGD} --schedule constant --batch-size 128",
         [f"{way} {SGD} --batch-size 128" for way in FULL]),
    Duel("full, SGD 0.1, batch 2048", f"--method full {SGD} --schedule constant --batch-size 2048",
         [f"{way} {SGD} --batch-size 2048" for way in FULL]),
    Duel("full, Adagrad 0.02, batch 2048",
         "--method full --optimizer adagrad --learning-rate 0.02 --schedule constant --batch-size 2048",
         [f"{way} --optimizer adagrad --learning-rate 0.02 --batch-size 2048" for way in FULL]),
    Duel("ROBE 1000x, SGD 0.1, batch 128",
         f"--method robe --compression 1000 --storage f32 {SGD} --schedule constant --batch-size 128",
         [f"--compression 1000 {SGD} --batch-size 128"]),
    Duel("ROBE 1000x, Adagrad 0.02, batch 2048",
         "--method robe --compression 1000 --storage f32 --optimizer adagrad --learning-rate 0.02 --schedule constant "
         "--batch-size 2048",
         ["--compression 1000 --optimizer adagrad --learning-rate 0.02 --batch-size 2048"]),
]


def generate(args, folder):
    paths = [f"{folder}/train.tsv", f"{folder}/test.tsv"]
    first = 0
    for path, samples in zip(paths, (args.samples, max(1, args.samples // 6))):
        subprocess.run([args.robe_compress, "generate", "--shape", "kaggle", "--scale", str(args.scale), "-q",
                        "--samples", str(samples), "--from", str(first), "-o", path], check=True)
        first += samples
    return paths


def run_ours(args, options, train, test, folder):
    result = measures.measure([args.robe_compress, "train", train, "-o", f"{folder}/model", "-f", "--json",
                               "--format", "criteo", "--architecture", "dlrm", "--epochs", "1", "--validation", test,
                               "--threads", str(args.threads),
                               *shlex.split(options)])
    report = json.loads(result["out"])
    return {"wall": report["samples"] / report["samples_per_second"], "cpu": result["cpu"],
            "memory": result["memory"], "samples_per_second": report["samples_per_second"],
            "auc": report["validation_auc"]}


def run_theirs(args, options, train, test):
    out = subprocess.run([args.python, f"{FOLDER}/dlrm_pytorch.py", train, test, "--json", "--threads",
                          str(args.threads), *shlex.split(options)], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)


def has_pytorch(python):
    return subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0


def run_duel(args, duel, train, test, folder, rivals):
    programs = {"robe-compress": lambda: run_ours(args, duel.ours, train, test, folder)}
    for options in duel.theirs if rivals else []:
        ways = [("", options)] + ([(", compiled", options + " --compile")] if args.compile else [])
        for suffix, all_options in ways:
            way = shlex.split(options)[1] if "--tables" in options else "published ROBE"
            programs[f"PyTorch, {way}{suffix}"] = lambda o=all_options: run_theirs(args, o, train, test)
    results = {name: [] for name in programs}
    for _ in range(args.runs):
        for name, run in programs.items():
            results[name].append(run())
            print(f"{duel.name}: {name}: {results[name][-1]}", file=sys.stderr)
    return [{"setting": duel.name, "program": name,
             **{key: statistics.median(run[key] for run in runs)
                for key in ("samples_per_second", "cpu", "memory", "auc")}, "runs": runs}
            for name, runs in results.items()]


def print_table(rows):
    print("| setting | program | samples/s | CPU s | peak MiB | AUC | ours / this, samples/s | this / ours, CPU |")
    print("|---|---|" + "---:|" * 6)
    for row in rows:
        ours = next(r for r in rows if r["setting"] == row["setting"])
        print(f"| {row['setting']} | {row['program']} | {row['samples_per_second']:.0f} | {row['cpu']:.1f} "
              f"| {row['memory']:.0f} | {row['auc']:.4f} "
              f"| {ours['samples_per_second'] / row['samples_per_second']:.1f} | {row['cpu'] / ours['cpu']:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=600000)
    parser.add_argument("--scale", type=float, default=30)
    parser.add_argument("--compile", action="store_true", help="PyTorch with compiled layers, too")
    parser.add_argument("--only", default="", help="settings whose name holds this")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--robe-compress", default=measures.default_program("robe-compress"))
    parser.add_argument("--json")
    args = parser.parse_args()
    rivals = has_pytorch(args.python)
    if not rivals:
        print("PyTorch: not installed, left out", file=sys.stderr)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        train, test = generate(args, folder)
        for duel in DUELS:
            if args.only in duel.name:
                rows += run_duel(args, duel, train, test, folder, rivals)
    print_table(rows)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
