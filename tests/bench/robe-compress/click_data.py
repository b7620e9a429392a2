"""Criteo's format for the rivals: the same samples that robe-compress reads, as plain arrays; and how
predictions are graded. Standard library only.
"""
import array
import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402

NUMBERS, CATEGORIES = 13, 26


def read_criteo(path):
    """Labels [n], numbers [n * 13] as log(1 + x) with missing and negative ones 0, and categories
    [n * 26] as integers with missing ones -1."""
    labels, numbers, categories = array.array("f"), array.array("f"), array.array("q")
    logs = {b"": 0.0}
    ids = {b"": -1}
    for number, line in enumerate(measures.read(path).split(b"\n"), 1):
        if not line:
            continue
        fields = line.split(b"\t")
        if len(fields) != 1 + NUMBERS + CATEGORIES:
            sys.exit(f"{path}: line {number}: expected 40 fields, found {len(fields)}")
        labels.append(float(fields[0]))
        for field in fields[1:1 + NUMBERS]:
            if field not in logs:
                logs[field] = math.log1p(max(0, int(field)))
            numbers.append(logs[field])
        for field in fields[1 + NUMBERS:]:
            if field not in ids:
                ids[field] = int(field, 16)
            categories.append(ids[field])
    return labels, numbers, categories


def sets_here(args, sets):
    """(name, folder for its files) of each of args.sets whose data are in args.data; the others are named."""
    for name in args.sets.split(","):
        if all(os.path.exists(os.path.join(args.data, file)) for file in sets[name].files):
            with tempfile.TemporaryDirectory() as work:
                yield name, work
        else:
            print(f"{name}: not in {args.data}, left out", file=sys.stderr)


def write_json(path, rows):
    """The figures of a run in a file, where one is named."""
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def auc(labels, scores):
    """The share of pairs of a click and another sample that are in the right order, ties half."""
    order = sorted(range(len(scores)), key=scores.__getitem__)
    positives = sum(1 for label in labels if label > 0.5)
    negatives = len(labels) - positives
    wins, below, i = 0.0, 0, 0
    while i < len(order):
        end = i
        while end < len(order) and scores[order[end]] == scores[order[i]]:
            end += 1
        clicks = sum(1 for k in order[i:end] if labels[k] > 0.5)
        others = end - i - clicks
        wins += clicks * (below + others / 2)
        below += others
        i = end
    return wins / (positives * negatives)


def log_loss(labels, logits):
    """Mean of -log p of what happened."""
    return sum(math.log1p(math.exp(-abs(x))) + max(x, 0) - x * y
               for x, y in zip(logits, labels)) / len(labels)
