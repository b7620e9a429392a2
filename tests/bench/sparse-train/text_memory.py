#!/usr/bin/env python3
"""Peak memory and CPU time of training on much text, by default, beside scikit-learn's three lines.

Makes a text of --megabytes from a CSV of labels and texts: each example joins sentences of examples of
its label and swaps some words for others of the label, so that pairs of words go on growing. Trains on
nine tenths and tests on the rest. Other builds of sparse-train may stand beside the present one; the
runs alternate.

    text_memory.py REVIEWS.csv [--megabytes 400] [--runs 3] [--threads 2] [--architecture tree] [--sklearn]
        [--tools SPARSE_TRAIN...]
"""
import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SWAPPED = 12  # one word in so many
PLAIN = """
import csv, sys
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC
csv.field_size_limit(1 << 30)
def read(path):
    rows = list(csv.reader(open(path)))[1:]
    return [r[1] for r in rows], [r[0] for r in rows]
texts, labels = read(sys.argv[1])
vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
model = LinearSVC().fit(vectorizer.fit_transform(texts), labels)
texts, labels = read(sys.argv[2])
print(model.score(vectorizer.transform(texts), labels))
"""


def sentences_of(path):
    csv.field_size_limit(1 << 30)
    sentences = {}
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.reader(file):
            if len(row) == 2:
                sentences.setdefault(row[0], []).extend(s for s in row[1].split(". ") if s)
    return {label: of for label, of in sentences.items() if len(of) > 100}


def write_text(sentences, size, path, rng):
    labels = sorted(sentences)
    written = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", "text"])
        while written < size:
            label = rng.choice(labels)
            words = ". ".join(rng.choices(sentences[label], k=rng.randint(3, 20))).split(" ")
            for _ in range(len(words) // SWAPPED):
                words[rng.randrange(len(words))] = rng.choice(rng.choice(sentences[label]).split(" "))
            text = " ".join(words)
            writer.writerow([label, text])
            written += len(text) + len(label) + 2


def run(command):
    """Output, CPU seconds and peak bytes of a command."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: ended with {process.returncode}")
    return output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def precision(tool, model, data):
    return json.loads(run([tool, "eval", model, data, "--json"])[0])["p_at_1"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="CSV of labels and texts")
    parser.add_argument("--tools", nargs="+", metavar="SPARSE_TRAIN")
    parser.add_argument("--megabytes", type=float, default=400)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--architecture", default="auto")
    parser.add_argument("--sklearn", action="store_true")
    options = parser.parse_args()
    tools = options.tools or [os.path.join(ROOT, "build/release/bin/sparse-train")]
    sentences, rng = sentences_of(options.data), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        train, test = (os.path.join(folder, name) for name in ("train.csv", "test.csv"))
        write_text(sentences, options.megabytes * 1e6 * 0.9, train, rng)
        write_text(sentences, options.megabytes * 1e6 * 0.1, test, rng)
        size = os.path.getsize(train)
        found = {tool: [] for tool in tools}
        models = {tool: os.path.join(folder, f"model{number}") for number, tool in enumerate(tools)}
        for _ in range(options.runs):
            for tool in tools:
                found[tool].append(run([tool, "train", train, "-o", models[tool], "--threads",
                                        str(options.threads), "--architecture", options.architecture])[1:])
        for tool in tools:
            cpu, peak = (statistics.median(column) for column in zip(*found[tool]))
            print(f"{tool}: {cpu:.1f} CPU s, {peak / 2**20:.0f} MiB, {peak / size:.2f} times the text; "
                  f"accuracy {100 * precision(tool, models[tool], test):.2f} %")
        if options.sklearn:
            output, cpu, peak = run([sys.executable, "-c", PLAIN, train, test])
            print(f"scikit-learn: {cpu:.1f} CPU s, {peak / 2**20:.0f} MiB, {peak / size:.2f} times the text; "
                  f"accuracy {100 * float(output):.2f} %")


main()
