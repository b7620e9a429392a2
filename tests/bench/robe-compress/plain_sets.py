#!/usr/bin/env python3
"""The seven sets of plain_rivals.py, as NAME-train.csv and NAME-test.csv with a column click, from the data folder.

    plain_sets.py FOLDER [--data FOLDER]

Adult, InstEval and MovieLens are split at random with a fifth for testing. The others keep their parts: Frappe trains on
its validation part. Clicks are incomes above 50K, and ratings from 4 (InstEval, MovieLens) or 8 (MovieTweetings) on.
Criteo's numbers are log(1 + x), Avazu's times an hour and a weekday, as robe-compress reads these formats.
"""
import argparse
import csv
import io
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402
import click_parts  # noqa: E402

NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week",
           *(f"I{i}" for i in range(1, 14)))


def table(path):
    """Names of columns, and the rows that have them all."""
    names, *rows = csv.reader(io.StringIO(measures.read(path).decode(), newline=""))
    return names, [[value.strip() for value in row] for row in rows if len(row) == len(names)]


def by_chance(rows):
    """Training and test part: a fifth for testing."""
    random.Random(1).shuffle(rows)
    cut = len(rows) * 4 // 5
    return rows[:cut], rows[cut:]


def adult(data):
    names, rows = table(f"{data}/ctr/adult/adult.csv.zst")
    return names[:-1], by_chance([[int(row[-1] == ">50K"), *row[:-1]] for row in rows])


def insteval(data):
    names, rows = table(f"{data}/bundle/ctr-lme4-insteval/insteval.csv")
    return names[:-1], by_chance([[int(int(row[-1]) >= 4), *row[:-1]] for row in rows])


def movielens(data):
    _, rows = table(f"{data}/bundle/ctr-dslabs-movielens/ratings.csv")
    return ["user", "item"], by_chance([[int(float(row[2]) >= 4), *row[:2]] for row in rows])


def tweetings(data):
    parts = [table(f"{data}/ctr/movietweetings-100k/{part}.csv.zst") for part in ("train", "test")]
    return parts[0][0][1:], [[[int(int(row[0]) >= 8), *row[1:]] for row in rows] for _, rows in parts]


def of_parts(names, parts):
    """Rows of click_parts.Part."""
    return names, [[[int(click), *row] for click, row in zip(part.labels, part.rows)] for part in parts]


def frappe(data):
    parts = [click_parts.read_libfm(f"{data}/ctr/frappe-partial/frappe.{part}.libfm.zst")
             for part in ("validation", "test")]
    for part in parts:  # a letter before the numbers: all are categories
        part.rows = [["v" + pair.decode().split(":")[0] for pair in row] for row in part.rows]
    return of_parts([f"f{i}" for i in range(len(parts[0].rows[0]))], parts)


def avazu(data):
    names, _ = table(f"{data}/ctr/avazu-10k/train.csv.zst")
    parts = [click_parts.read_avazu(f"{data}/ctr/avazu-10k/{part}") for part in ("train.csv.zst", "test.csv")]
    for part in parts:
        part.rows = [[f"h{row[0]}", f"d{row[1]}", *row[2:]] for row in part.rows]
    return of_parts(["hour", "weekday", *names[3:]], parts)


def criteo(data):
    names = [f"I{i}" for i in range(1, 14)] + [f"C{i}" for i in range(1, 27)]
    parts = []
    for part in ("train.tsv.zst", "test.tsv"):
        lines = [line.split("\t") for line in measures.read(f"{data}/ctr/criteo-10k/{part}").decode().split("\n") if line]
        parts.append([[int(line[0]), *(log_of(text) for text in line[1:14]), *line[14:]] for line in lines])
    return names, parts


def log_of(text):
    return f"{math.log1p(max(0, int(text))):.4f}" if text else ""


SETS = {"adult": adult, "avazu": avazu, "criteo": criteo, "frappe": frappe, "insteval": insteval,
        "movielens": movielens, "tweetings": tweetings}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--data", default=measures.default_data())
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for name, make in SETS.items():
        names, parts = make(args.data)
        for part, rows in zip(("train", "test"), parts):
            with open(f"{args.folder}/{name}-{part}.csv", "w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([["click", *names], *rows])


if __name__ == "__main__":
    main()
