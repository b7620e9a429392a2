#!/usr/bin/env python3
"""Trains one of the shortest useful lines of scikit-learn on text in CSV and prints a JSON line of figures.

    text_sklearn.py LINE TRAIN TEST [SEPARATOR]

LINE is words, bigrams or characters (LINES below), each with LinearSVC() and all else at its default. TRAIN and TEST are
CSV files (.zst or not) with the label in the first column; with a SEPARATOR they have a header and several labels in
a field. cpu: seconds to read, weight and fit, without starting Python, importing and predicting.
"""
import csv
import io
import json
import os
import sys

import measures

LINES = {"words": {}, "bigrams": {"ngram_range": (1, 2)},
         "characters": {"analyzer": "char_wb", "ngram_range": (2, 5)}}


def read(path, separator):
    """Labels (a list for each example where there is a separator) and texts."""
    csv.field_size_limit(1 << 30)
    text = measures.read(path).decode("utf-8", "replace")
    rows = list(csv.reader(io.StringIO(text, newline="")))[1 if separator else 0:]
    labels = [row[0].split(separator) if separator else row[0] for row in rows]
    return labels, [" ".join(row[1:]) for row in rows]


def fit(line, labels, texts, several):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer
    from sklearn.svm import LinearSVC
    begin = sum(os.times()[:2])
    weights = TfidfVectorizer(**LINES[line])
    features = weights.fit_transform(texts)
    binarizer = MultiLabelBinarizer() if several else None
    target = binarizer.fit_transform(labels) if several else labels
    model = OneVsRestClassifier(LinearSVC()) if several else LinearSVC()
    model.fit(features, target)
    return weights, binarizer, model, sum(os.times()[:2]) - begin


def score_several(binarizer, model, features, labels):
    """P@1 of the highest decision value, and F1 of what is above 0, summed over labels and mean over them."""
    import numpy
    from sklearn.metrics import f1_score
    first = model.decision_function(features).argmax(axis=1)
    hits = [binarizer.classes_[best] in truth for best, truth in zip(first, labels)]
    known = set(binarizer.classes_)
    truth = binarizer.transform([[name for name in names if name in known] for names in labels])
    guess = model.predict(features)
    return {"accuracy": float(numpy.mean(hits)),
            "micro_f1": f1_score(truth, guess, average="micro", zero_division=0),
            "macro_f1": f1_score(truth, guess, average="macro", zero_division=0)}


def main():
    line, train, test, *separator = sys.argv[1:]
    begin = sum(os.times()[:2])
    labels, texts = read(train, *(separator or [""]))
    reading = sum(os.times()[:2]) - begin
    weights, binarizer, model, seconds = fit(line, labels, texts, bool(separator))
    labels, texts = read(test, *(separator or [""]))
    features = weights.transform(texts)
    if separator:
        figures = score_several(binarizer, model, features, labels)
    else:
        figures = {"accuracy": model.score(features, labels)}
    print(json.dumps({**figures, "cpu": seconds + reading}))


if __name__ == "__main__":
    main()
