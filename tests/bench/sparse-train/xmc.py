#!/usr/bin/env python3
"""Trains sparse-train's strategies and their rivals on the same XMC sets and prints a markdown table.

Rivals: napkinXC's PLT, Omikuji and PECOS XR-Linear (Python packages, in the interpreter --python), and
fastText's hierarchical softmax and one-vs-all (fewer settings beyond 2,000 labels, none beyond 20,000).
Each gets its documented settings and more, and all the same threads; what is not installed is named and
left out, as is what trains longer than --limit and a diverged fastText. P@k and PSP@k (A 0.55, B 1.5) are
computed here, for everybody by the same formula from the five best labels of each test line. Training
time includes reading the data and writing the model, not the import of Python packages; fastText's text
is prepared beforehand, and PECOS gets matrices, as its documents have it: its reading is not counted.
Peak memory is that of training, of Python packages that of their interpreter with training and prediction.
Programs take turns; medians of --runs rounds are shown: of a rival those of its most accurate setting, of
all settings in --json's file and the report.

    xmc.py [--data DIR] [--sets bibtex,delicious] [--runs 3] [--only REGEX] [--json FILE]
           [--ours NAME=OPTIONS]... [--curve 1,2,4,8] [--report PAGE.html] [--limit SECONDS]
           [--sparse-train PATH] [--python PATH]

--curve adds sparse-train's networks after fewer or more epochs, and --report a page with P@1 against CPU
seconds, and against epochs, for each set, drawn by bench_report (a target of the build, beside sparse-train).
DIR holds SET/{train,test}.txt[.zst]: xmc below $SHARED_DATA, else below ../shared/data beside the
repository.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import sys
import tempfile

import measures
import xmc_data
import xmc_tables

SETS = ["bibtex", "delicious", "stackex_cs", "citeulike-t", "debian-depends", "wordnet-hypernyms",
        "yso-finna-en"]
OURS = {"auto": "", "tree": "--architecture tree", "hybrid": "--architecture hybrid", "shared": "--architecture shared",
        "dense": "--architecture dense"}
PAPER = {"ensemble": 3, "arity": 16, "kmeans_balanced": False}
PACKAGES = {
    "napkinXC PLT": ("napkinxc", {
        "default": {},
        "paper, log loss": {**PAPER, "liblinear_c": 12},
        "paper, squared hinge": {**PAPER, "liblinear_c": 1, "liblinear_solver": "L2R_L2LOSS_SVC_DUAL"},
    }),
    "Omikuji": ("omikuji", {
        "default (Parabel)": {},
        "Bonsai": {"cluster_k": 100, "cluster_balanced": False, "max_depth": 3},
    }),
    "PECOS XR-Linear": ("pecos", {"default": {}}),
}
FASTTEXT_RATES = ((0.1, 5), (0.5, 5), (0.2, 25), (0.5, 25))
# One-vs-all computes every label for every point: with more labels than these, only the best of the short
# settings is run, or none.
MANY_FOR_OVA, TOO_MANY_FOR_OVA = 2000, 20000


def run_ours(program, options, problem, threads):
    model = f"{problem.work}/ours.model"
    result = measures.measure([program, "train", problem.files["train"], "-o", model, "--force",
                               "--threads", str(threads), *shlex.split(options)])
    result["guesses"], result["predict_cpu"] = measures.predict(program, model, problem.files["test"],
                                                                threads)
    result["size"] = measures.size_mib(model)
    return result


def run_package(python, rival, options, problem, threads, limit):
    model = f"{problem.work}/rival.model"
    shutil.rmtree(model, ignore_errors=True)
    job = {"rival": rival, "options": options, "threads": threads, "model": model, **problem.files}
    worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "xmc_rivals.py")
    result = json.loads(measures.measure([python, worker, json.dumps(job)], limit)["out"])
    if not result.get("missing"):
        result["size"] = measures.size_mib(model)
    return result


def run_fasttext(program, options, problem, threads, limit):
    model = f"{problem.work}/fasttext"
    repeat = "repeated" in options
    files = {part: problem.as_words(part, repeat) for part in problem.files}
    result = measures.measure([program, "supervised", "-input", files["train"], "-output", model,
                               "-thread", str(threads), "-verbose", "0",
                               *options.replace("repeated", "").split()], limit)
    predicted = measures.measure([program, "predict", model + ".bin", files["test"], "5"])
    lines = predicted["out"].decode().split("\n")[:-1]
    result["guesses"] = [[int(name[9:]) for name in line.split()] for line in lines]
    result["predict_cpu"] = predicted["cpu"]
    result["size"] = measures.size_mib(model + ".bin")
    return result


def fasttext_settings(problem):
    """Setting -> options. Words are repeated by their values only where these differ."""
    settings = {}
    for words in ("", "repeated ") if problem.weighted else ("",):
        for loss in ("hs", "ova"):
            for rate, epochs in FASTTEXT_RATES:
                if loss == "ova" and problem.num_labels > MANY_FOR_OVA and (
                        (words, rate, epochs) != ("", 0.5, 5) or problem.num_labels > TOO_MANY_FOR_OVA):
                    continue
                settings[f"{words}{loss}, lr {rate}, {epochs} epochs"] = (
                    f"{words}-loss {loss} -lr {rate} -epoch {epochs}")
    return settings


def candidates(args, problem):
    """What is compared: (program, setting) -> a function that trains, predicts and measures."""
    runs = {}
    for name, options in args.ours.items():
        runs["sparse-train", name] = lambda o=options: run_ours(args.sparse_train, o, problem,
                                                                args.threads)
    for program, (rival, settings) in PACKAGES.items():
        for name, options in settings.items():
            runs[program, name] = lambda r=rival, o=options: run_package(args.python, r, o, problem,
                                                                         args.threads, args.limit)
    if args.fasttext:
        for name, options in fasttext_settings(problem).items():
            runs["fastText", name] = lambda o=options: run_fasttext(
                args.fasttext, o, problem, args.threads, args.limit)
    return {key: run for key, run in runs.items() if re.search(args.only, ": ".join(key))}


def compare(name, args):
    """One data set: (program, setting) -> median of each measure."""
    folder = name if os.path.isdir(name) else os.path.join(args.data, name)
    name = os.path.basename(name)
    results = {}
    with tempfile.TemporaryDirectory() as work:
        problem = xmc_data.Problem(folder, work)
        runs = candidates(args, problem)
        for turn in range(args.runs):
            for key in list(runs):
                try:
                    result = runs[key]()
                except RuntimeError as error:
                    print(f"{name}: {key[0]}, {key[1]}: left out: {error}", file=sys.stderr)
                    del runs[key]
                    continue
                if result.get("missing"):
                    print(f"{name}: {key[0]}: not installed, left out", file=sys.stderr)
                    del runs[key]
                    continue
                result.update(problem.grade(result.pop("guesses")))
                results.setdefault(key, []).append(result)
                print(f"{turn + 1}/{args.runs} {xmc_tables.row_text(name, key, result)}", file=sys.stderr,
                      flush=True)
    return {key: {m: statistics.median(result[m] for result in rows) for m in xmc_tables.MEASURES}
            for key, rows in results.items()}


def curve_settings(epochs):
    return {f"{output}, {count} epochs": f"--architecture {output} --epochs {count}"
            for output in ("dense", "shared", "lsh") for count in epochs.split(",")}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(measures.default_data(), "xmc"))
    parser.add_argument("--sets", default=",".join(SETS), help="names below DIR, or folders")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="what to run, by 'program: setting'")
    parser.add_argument("--ours", action="append", metavar="NAME=OPTIONS",
                        help="settings of sparse-train instead of the usual ones")
    parser.add_argument("--sparse-train", default=measures.default_program())
    parser.add_argument("--python", default=sys.executable, help="interpreter with the packages")
    parser.add_argument("--fasttext", default=shutil.which("fasttext"))
    parser.add_argument("--curve", help="epochs of sparse-train's networks, besides the usual ones")
    parser.add_argument("--limit", type=float, default=1800, help="seconds for a rival's training")
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--report", help="HTML page to add curves to")
    args = parser.parse_args()
    args.ours = dict(item.split("=", 1) for item in args.ours) if args.ours else dict(OURS)
    if args.curve:
        args.ours.update(curve_settings(args.curve))
    table = {os.path.basename(name): compare(name, args) for name in args.sets.split(",")}
    xmc_tables.print_table(table)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump([{"set": name, "program": key[0], "setting": key[1], **row}
                       for name, rows in table.items() for key, row in rows.items()], file, indent=1)
    if args.report:
        xmc_tables.write_report(args.report, args.sparse_train, table)


if __name__ == "__main__":
    main()
