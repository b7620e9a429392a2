#!/usr/bin/env python3
"""How far the scores of text classifiers are from shares of right answers, as a markdown table; one label an example.

Expected calibration error of the first label (Guo et al., ICML 2017, section 3; 15 bins of equal width) on test splits:
of sparse-train without and with probabilities fitted (--calibration none, the defaults), and of scikit-learn's
TfidfVectorizer() and LogisticRegression(), where this Python has it. Accuracies stand beside them, and the CPU seconds of
both trainings, medians of --runs alternated runs.

    probabilities.py [--data DIR] [--sets imdb,trec] [--runs 5] [--sparse-train PATH]

DIR is as in text.py.
"""
import argparse
import importlib.util
import json
import os
import statistics
import tempfile

import measures
import text_data
import text_sklearn

SETTINGS = {"none": ["--calibration", "none"], "default": []}
BINS = 15


def calibration_error(scores, right):
    """Mean distance of scores and shares of right answers in bins of equal width, weighted by examples."""
    bins = [[] for _ in range(BINS)]
    for score, hit in zip(scores, right):
        bins[min(int(score * BINS), BINS - 1)].append((score, hit))
    return sum(abs(sum(s for s, _ in b) - sum(h for _, h in b)) for b in bins) / len(scores)


def run_ours(program, options, files, model):
    common = ["--threads", "1", "--json"]
    trained = measures.measure([program, "train", files["train"], "-o", model, "--force", *common, *options])
    evaluated = json.loads(measures.measure([program, "eval", model, files["test"], *common])["out"])
    return {"accuracy": evaluated["accuracy"], "error": evaluated["calibration_error"], "cpu": trained["cpu"]}


def run_sklearn(files):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    labels, texts = text_sklearn.read(files["train"], "")
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)).fit(texts, labels)
    labels, texts = text_sklearn.read(files["test"], "")
    shares = model.predict_proba(texts)
    right = model.classes_[shares.argmax(axis=1)] == labels
    return {"accuracy": float(right.mean()), "error": calibration_error(shares.max(axis=1), right)}


def compare(name, args):
    """none, default: medians; sklearn: where there is one."""
    with tempfile.TemporaryDirectory() as work:
        files, model = text_data.paths(args.data, name, work), os.path.join(work, "model")
        runs = {key: [] for key in SETTINGS}
        for _ in range(args.runs):
            for key, options in SETTINGS.items():
                runs[key].append(run_ours(args.sparse_train, options, files, model))
        row = {key: {what: statistics.median(run[what] for run in rows) for what in rows[0]} for key, rows in runs.items()}
        return {**row, "sklearn": run_sklearn(files) if args.sklearn else {}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default=",".join(n for n in text_data.NAMES if n not in text_data.SEVERAL_LABELS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sparse-train", default=measures.default_program())
    args = parser.parse_args()
    args.sklearn = importlib.util.find_spec("sklearn") is not None

    def percent(row, what):
        return f"{100 * row[what]:.1f}" if row else ""

    print("| data set | accuracy, none | default | scikit-learn | error, none | default | scikit-learn | CPU s, none | default |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in args.sets.split(","):
        row = compare(name, args)
        cells = [percent(row[key], what) for what in ("accuracy", "error") for key in ("none", "default", "sklearn")]
        cells += [f"{row[key]['cpu']:.2f}" for key in ("none", "default")]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
