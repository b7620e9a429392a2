#!/usr/bin/env python3
"""Test AUC and log-loss of robe-compress's defaults beside the plainest rivals: logistic regression on hashed
categories (scikit-learn), gradient-boosted trees (LightGBM) and DLRM with full tables (PyTorch).

    plain_rivals.py PROGRAM FOLDER [--sets NAME,...] [--seeds 3] [--rivals linear,trees,dlrm] [--options '...']

FOLDER has NAME-train.csv and NAME-test.csv with a column click of 0 and 1 (plain_sets.py). All other columns are
categories, as robe-compress has them; LightGBM reads those named in --numbers as numbers, DLRM where it gains by it. A
tenth of the training samples chooses the rivals' strength of regularisation, number of trees, and settings
(plain_dlrm.py). One thread each.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import tempfile
import time

import plain_sets

STRENGTHS = (0.03, 0.1, 0.3, 1)


def robe(program, folder, name, seed, options):
    """AUC, log-loss and seconds of a model of the defaults."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, "model")
        started = time.time()
        subprocess.run([program, "train", f"{folder}/{name}-train.csv", "-o", model, "-q", "--threads", "1", "--seed",
                        str(seed), *shlex.split(options)], check=True, stderr=subprocess.DEVNULL)
        seconds = time.time() - started
        graded = json.loads(subprocess.run([program, "eval", model, f"{folder}/{name}-test.csv", "-q", "--json"],
                                           check=True, capture_output=True, text=True).stdout)
    return graded["auc"], graded["log_loss"], seconds


def tables(folder, name):
    """Columns, and click, of the training and the test part."""
    import pandas
    parts = [pandas.read_csv(f"{folder}/{name}-{part}.csv", dtype=str).fillna("") for part in ("train", "test")]
    return parts, [part.pop("click").astype(int).to_numpy() for part in parts]


def graded(labels, scores):
    from sklearn.metrics import log_loss, roc_auc_score
    return roc_auc_score(labels, scores), log_loss(labels, scores)


def line(title, figures):
    """Means over seeds of AUC and log-loss."""
    aucs, losses = zip(*figures)
    deviation = f" +- {statistics.stdev(aucs):.4f}" if len(aucs) > 1 else ""
    return f"{title} {statistics.mean(aucs):.4f}{deviation}, log-loss {statistics.mean(losses):.4f}"


def logistic_regression(parts, labels, held_out, *_):
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import LogisticRegression
    hasher = FeatureHasher(2**20, input_type="string", alternate_sign=False)
    train, test = (hasher.transform([f"{name}={value}" for name, value in zip(part.columns, row)]
                                    for row in part.to_numpy()) for part in parts)

    def fit(strength, rows):
        return LogisticRegression(C=strength, max_iter=1000).fit(train[rows], labels[0][rows])

    def loss(strength):
        scores = fit(strength, ~held_out).predict_proba(train[held_out])[:, 1]
        return graded(labels[0][held_out], scores)[1]
    scores = fit(min(STRENGTHS, key=loss), held_out | ~held_out).predict_proba(test)[:, 1]
    return line("logistic regression", [graded(labels[1], scores)])


def boosted_trees(parts, labels, held_out, numbers, *_):
    import lightgbm
    train, test = (part.copy() for part in parts)
    for name in train.columns:
        codes = {value: code for code, value in enumerate(train[name].value_counts().index)}
        for part in (train, test):
            part[name] = part[name].astype(float) if name in numbers else part[name].map(codes).astype(float)
    model = lightgbm.LGBMClassifier(n_estimators=2000, learning_rate=0.05, n_jobs=1, verbose=-1)
    model.fit(train[~held_out], labels[0][~held_out], eval_set=[(train[held_out], labels[0][held_out])],
              categorical_feature=[name for name in train.columns if name not in numbers],
              callbacks=[lightgbm.early_stopping(50, verbose=False)])
    return line("LightGBM", [graded(labels[1], model.predict_proba(test)[:, 1])])


def dlrm(parts, labels, held_out, numbers, seeds):
    import plain_dlrm
    plain_dlrm.torch.set_num_threads(1)
    chosen, scores = plain_dlrm.grade(parts, labels, held_out, numbers, seeds)
    return line("PyTorch's DLRM", [graded(labels[1], part) for part in scores]) + f" ({chosen})"


RIVALS = {"linear": logistic_regression, "trees": boosted_trees, "dlrm": dlrm}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--sets", default="")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rivals", default="linear,trees,dlrm", help='some of these, or ""')
    parser.add_argument("--numbers", default=",".join(plain_sets.NUMBERS),
                        help="columns that LightGBM and DLRM read as numbers")
    parser.add_argument("--options", default="", help="of robe-compress train")
    args = parser.parse_args()
    names = args.sets.split(",") if args.sets else sorted(
        file.removesuffix("-train.csv") for file in os.listdir(args.folder) if file.endswith("-train.csv"))
    for name in names:
        runs = [robe(args.program, args.folder, name, seed, args.options) for seed in range(1, args.seeds + 1)]
        aucs, losses, seconds = zip(*runs)
        deviation = statistics.stdev(aucs) if len(aucs) > 1 else 0
        print(f"{name}: robe-compress {statistics.mean(aucs):.4f} +- {deviation:.4f}, log-loss "
              f"{statistics.mean(losses):.4f}, {statistics.median(seconds):.1f} s", flush=True)
        if not args.rivals:
            continue
        import numpy
        parts, labels = tables(args.folder, name)
        held_out = numpy.random.default_rng(0).random(len(labels[0])) < 0.1
        numbers = [column for column in args.numbers.split(",") if column in parts[0].columns]
        for rival in args.rivals.split(","):
            print(f"{name}: {RIVALS[rival](parts, labels, held_out, numbers, args.seeds)}", flush=True)


if __name__ == "__main__":
    main()
