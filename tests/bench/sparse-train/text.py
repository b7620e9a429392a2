#!/usr/bin/env python3
"""Trains sparse-train and fastText side by side on the same text and prints a markdown table.

fastText gets what its own documents say: the normalisation and settings of classification-results.sh
(learning rates 0.25 and 0.5), the settings of its supervised tutorial, and its defaults with bigrams, on
as many threads as sparse-train; preparing its input is not counted. sparse-train reads the CSV file as
it is, zstd-compressed or not, and that is counted. Measured is the whole train command: wall time, CPU
time, peak memory. Programs take turns; medians of --runs rounds are shown.

    text.py [--data DIR] [--sets imdb,ag_news_10k] [--runs 5] [--sparse-train PATH] [--ours "OPTIONS"]

DIR holds text/SET/{train,test}.csv[.zst] (class, text...) and what text_data.py makes sets of: $SHARED_DATA,
else ../shared/data beside the repository. Without a fasttext program (--fasttext '') only sparse-train is run.
"""
import argparse
import json
import os
import random
import shlex
import shutil
import statistics
import sys
import tempfile

import measures
import text_data

PAPER = "-dim 10 -wordNgrams 2 -minCount 1 -bucket 10000000 -epoch 5"
SETTINGS = {
    "paper, lr 0.25": PAPER + " -lr 0.25",
    "paper, lr 0.5": PAPER + " -lr 0.5",
    "tutorial, bigrams": "-lr 1.0 -epoch 25 -wordNgrams 2",
    "tutorial, fast": "-lr 1.0 -epoch 25 -wordNgrams 2 -bucket 200000 -dim 50 -loss hs",
    "tutorial, one-vs-all": "-lr 0.5 -epoch 25 -wordNgrams 2 -bucket 200000 -dim 50 -loss one-vs-all",
    "default, bigrams": "-wordNgrams 2",
}


def normalise(csv):
    """The lines of a CSV file as classification-results.sh gives them to fastText, before its shuffle."""
    spaced = {mark: b" " + mark + b" " for mark in (b"'", b".", b",", b"(", b")", b"!", b"?")}
    changed = {b'"': b"", b"<br />": b" ", b";": b" ", b":": b" "}
    lines = csv.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    # Classes need not be numbers here: they are left as they are, or their marks would become words of the text.
    labels, texts = zip(*(line.split(b",", 1) for line in lines))
    text = b"\n".join(texts).lower()
    for old, new in {**spaced, **changed}.items():
        text = text.replace(old, new)
    return [b" ".join([b"__label__" + label.strip(b'"'), b",", *filter(None, words.split(b" "))])
            for label, words in zip(labels, text.split(b"\n"))]


def prepare(files, work):
    """Writes the data set for fastText; returns the true labels of the test lines."""
    for part in ("train", "test"):
        lines = normalise(measures.read(files[part]))
        random.Random(0).shuffle(lines)
        with open(os.path.join(work, part + ".ft"), "wb") as file:
            file.write(b"\n".join(lines) + b"\n")
    return [line.split(b" ")[0] for line in lines]


def run_fasttext(program, options, work, threads, truth):
    model = os.path.join(work, "fasttext")
    result = measures.measure([program, "supervised", "-input", os.path.join(work, "train.ft"),
                               "-output", model, "-thread", str(threads), "-verbose", "0",
                               *options.split()])
    predicted = measures.measure([program, "predict", model + ".bin", os.path.join(work, "test.ft")])
    guesses = predicted["out"].split(b"\n")
    result["accuracy"] = sum(a == b for a, b in zip(guesses, truth)) / len(truth)
    for suffix in (".bin", ".vec"):
        os.remove(model + suffix)
    return result


def run_ours(program, options, files, work, threads):
    model = os.path.join(work, "model.safetensors.zst")
    common = ["--threads", str(threads), "--json"]
    result = measures.measure([program, "train", files["train"], "-o", model, "--force", *common,
                               *shlex.split(options)])
    evaluated = measures.measure([program, "eval", model, files["test"], *common])
    report = json.loads(evaluated["out"])
    result["accuracy"] = report.get("accuracy", report["p_at_1"])
    return result


def compare(name, args, threads):
    """One data set: rows (program, setting, median of each measure)."""
    ours = ("sparse-train", args.ours or "default")
    with tempfile.TemporaryDirectory() as work:
        files = text_data.paths(args.data, name, work)
        runs = {ours: lambda: run_ours(args.sparse_train, args.ours, files, work, threads)}
        if args.fasttext:
            truth = prepare(files, work)
            for label, options in SETTINGS.items():
                if args.settings not in label:
                    continue
                runs["fastText", label] = (
                    lambda options=options: run_fasttext(args.fasttext, options, work, threads,
                                                         truth))
        results = {key: [] for key in runs}
        for turn in range(args.runs):
            for key, run in runs.items():
                results[key].append(run())
                print(f"{name} {turn + 1}/{args.runs} {key[0]}, {key[1]}: "
                      f"{results[key][-1]['wall']:.2f} s", file=sys.stderr)
    return {key: {measure: statistics.median(result[measure] for result in rows)
                  for measure in ("accuracy", "wall", "cpu", "memory")}
            for key, rows in results.items()}


def print_tables(table):
    print("| data set | program | setting | accuracy | wall s | CPU s | peak MiB |")
    print("|---|---|---|---:|---:|---:|---:|")
    for name, rows in table.items():
        for (program, setting), row in rows.items():
            print(f"| {name} | {program} | {setting} | {row['accuracy']:.4f} | {row['wall']:.2f} "
                  f"| {row['cpu']:.2f} | {row['memory']:.0f} |")
    print()
    print("| data set | against fastText's | setting | accuracy gained | wall ratio | CPU ratio |")
    print("|---|---|---|---:|---:|---:|")
    for name, rows in table.items():
        ours = next(row for key, row in rows.items() if key[0] == "sparse-train")
        rivals = {key[1]: row for key, row in rows.items() if key[0] == "fastText"}
        if not rivals:
            continue
        for what, setting in (("fastest", min(rivals, key=lambda s: rivals[s]["wall"])),
                              ("most accurate", max(rivals, key=lambda s: rivals[s]["accuracy"]))):
            rival = rivals[setting]
            print(f"| {name} | {what} | {setting} | {ours['accuracy'] - rival['accuracy']:+.4f} "
                  f"| {rival['wall'] / ours['wall']:.1f} | {rival['cpu'] / ours['cpu']:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default=",".join(text_data.NAMES))
    parser.add_argument("--settings", default="", help="only fastText's settings with this in the name")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sparse-train", default=measures.default_program())
    parser.add_argument("--fasttext", default=shutil.which("fasttext"))
    parser.add_argument("--ours", default="", help="options for sparse-train train")
    args = parser.parse_args()
    print_tables({name: compare(name, args, args.threads) for name in args.sets.split(",")})


if __name__ == "__main__":
    main()
