#!/usr/bin/env python3
"""Trains sparse-train, fastText and scikit-learn side by side on the same text and prints a markdown table.

fastText gets what its own documents say: the normalisation and settings of classification-results.sh
(learning rates 0.25 and 0.5), the settings of its supervised tutorial, and its defaults with bigrams, on
as many threads as sparse-train; preparing its input is not counted. scikit-learn gets the three lines of
text_sklearn.py on one thread; of its CPU time, starting Python and importing are not counted. sparse-train reads the CSV file as
it is, zstd-compressed or not, and that is counted. Measured is the whole train command: wall time, CPU
time, peak memory. Programs take turns; medians of --runs rounds are shown. With --cross-validate, sets without a test split
have each tenth of their lines as that in turn, and means over the tenths are shown.

    text.py [--data DIR] [--sets imdb,ag_news_10k] [--runs 5] [--sparse-train PATH] [--ours "OPTIONS"] [--sklearn PYTHON]
            [--cross-validate] [--examples N]

DIR holds text/SET/{train,test}.csv[.zst] (class, text...) and what text_data.py makes sets of: $SHARED_DATA,
else ../shared/data beside the repository. Accuracy is P@1 where examples have several labels; fastText is not run
there. Without a fasttext program (--fasttext '') or a Python that has scikit-learn (--sklearn '') these are left out.
"""
import argparse
import importlib.util
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
import text_sklearn

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


def find_sklearn():
    """This Python where it has scikit-learn, else nothing."""
    return sys.executable if importlib.util.find_spec("sklearn") else ""


def run_sklearn(python, line, files, separator):
    """CPU seconds to read, weight and fit, as the program says; its other figures are the process's."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "text_sklearn.py")
    one_thread = ["env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"]
    command = [*one_thread, python, script, line, files["train"], files["test"], *filter(None, [separator])]
    result = measures.measure(command)
    return {**result, **json.loads(result["out"])}


def run_ours(program, options, files, work, threads, separator):
    model = os.path.join(work, "model.safetensors.zst")
    if separator:
        options += f" --label-separator '{separator}'"
    common = ["--threads", str(threads), "--json"]
    result = measures.measure([program, "train", files["train"], "-o", model, "--force", *common,
                               *shlex.split(options)])
    evaluated = measures.measure([program, "eval", model, files["test"], *common])
    result["accuracy"] = json.loads(evaluated["out"])["p_at_1"]
    return result


MEASURES = ("accuracy", "wall", "cpu", "memory")


def compare(name, args, threads):
    """One data set: rows (program, setting, each measure)."""
    every = args.cross_validate and not text_data.has_test_split(name)
    parts = [compare_split(name, args, threads, tenth) for tenth in (range(10) if every else (9,))]
    return {key: {measure: statistics.mean(part[key][measure] for part in parts) for measure in MEASURES}
            for key in parts[0]}


def compare_split(name, args, threads, tenth):
    """One division of a data set: rows (program, setting, median of each measure)."""
    ours = ("sparse-train", args.ours or "default")
    with tempfile.TemporaryDirectory() as work:
        files = text_data.paths(args.data, name, work, tenth)
        separator = text_data.SEVERAL_LABELS.get(name, "")
        if args.examples:
            files["train"] = text_data.take_few(files["train"], args.examples, bool(separator), work)
        runs = {ours: lambda: run_ours(args.sparse_train, args.ours, files, work, threads, separator)}
        for line in text_sklearn.LINES if args.sklearn else ():
            runs["scikit-learn", line] = (
                lambda line=line: run_sklearn(args.sklearn, line, files, separator))
        if args.fasttext and not separator:
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
    return {key: {measure: statistics.median(result[measure] for result in rows) for measure in MEASURES}
            for key, rows in results.items()}


def print_sklearn(table):
    """Against the best of scikit-learn's lines, and the CPU time of all of them."""
    print("| data set | sparse-train | " + " | ".join(text_sklearn.LINES)
          + " | gained on the best | CPU s | CPU s of the three | share |")
    print("|---|---:|" + "---:|" * (len(text_sklearn.LINES) + 4))
    for name, rows in table.items():
        ours = next(row for key, row in rows.items() if key[0] == "sparse-train")
        lines = [rows["scikit-learn", line] for line in text_sklearn.LINES]
        best, cpu = max(row["accuracy"] for row in lines), sum(row["cpu"] for row in lines)
        print(f"| {name} | {100 * ours['accuracy']:.1f} | "
              + " | ".join(f"{100 * row['accuracy']:.1f}" for row in lines)
              + f" | {100 * (ours['accuracy'] - best):+.1f} | {ours['cpu']:.2f} | {cpu:.2f} "
              f"| {ours['cpu'] / cpu:.2f} |")
    print()


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
    parser.add_argument("--sklearn", default=find_sklearn(), help="a Python that has scikit-learn")
    parser.add_argument("--cross-validate", action="store_true",
                        help="test on every tenth of sets that have no test split")
    parser.add_argument("--examples", type=int, default=0, help="train on so many, drawn at random; 0 = all")
    parser.add_argument("--ours", default="", help="options for sparse-train train")
    args = parser.parse_args()
    table = {name: compare(name, args, args.threads) for name in args.sets.split(",")}
    print_tables(table)
    if args.sklearn:
        print_sklearn(table)


if __name__ == "__main__":
    main()
