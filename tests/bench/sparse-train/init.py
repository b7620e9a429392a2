#!/usr/bin/env python3
"""Trains models further with --init, on examples that they know and on new ones; prints a markdown table.

A fifth of each training part is held out; the other examples fall into two halves. P@1 / P@3 on the held-out
fifth: of a model of all, of the same after it trained further on one half again, of a model of one half, and
of the same after it trained further on the other; means of --splits such divisions, and the largest loss of one
by half of the data again. Test parts have no part in it.

    init.py [--data DIR] [--only REGEX] [--splits 3] [--sparse-train PATH]

DIR holds SET/train.txt[.zst]: xmc below $SHARED_DATA, else below ../shared/data beside the repository.
"""
import argparse
import json
import os
import random
import re
import statistics
import subprocess
import tempfile

import measures

SETS = {"bibtex": ["tree", "hybrid", "dense"], "stackex_cs": ["tree", "hybrid", "dense"],
        "wordnet-hypernyms": ["tree"], "debian-depends": ["tree"], "delicious": ["tree", "hybrid", "dense"]}


def write_parts(data, seed, folder):
    """all.txt, one.txt, other.txt (its halves) and held.txt, in the form that xmc has."""
    header, *lines = data.rstrip(b"\n").split(b"\n")
    sizes = header.split()[1:]
    random.Random(seed).shuffle(lines)
    cut = len(lines) // 5
    half = cut + (len(lines) - cut) // 2
    for name, part in (("held", lines[:cut]), ("all", lines[cut:]), ("one", lines[cut:half]), ("other", lines[half:])):
        with open(os.path.join(folder, name + ".txt"), "wb") as file:
            file.write(b"\n".join([b" ".join([str(len(part)).encode(), *sizes]), *part]) + b"\n")


def measure(program, folder, output):
    """P@1 and P@3 of the four models of one architecture, in percent."""
    def train(name, data, *options):
        subprocess.run([program, "train", f"{folder}/{data}.txt", "-o", f"{folder}/{name}", "--architecture", output,
                        "-q", *options], check=True)

    def score(name):
        text = subprocess.run([program, "eval", f"{folder}/{name}", f"{folder}/held.txt", "--json"], check=True,
                              stdout=subprocess.PIPE).stdout
        figures = json.loads(text)
        return 100 * figures["p_at_1"], 100 * figures["p_at_3"]

    train("of-all", "all", "--calibration", "none")
    train("again", "one", "--init", f"{folder}/of-all")
    train("of-one", "one", "--calibration", "none")
    train("both", "other", "--init", f"{folder}/of-one")
    return [score(name) for name in ("of-all", "again", "of-one", "both")]


def row(program, data, output, splits):
    """Cells of the means, and of the largest loss of P@1."""
    figures = []
    for seed in range(1, splits + 1):
        with tempfile.TemporaryDirectory() as folder:
            write_parts(data, seed, folder)
            figures.append(measure(program, folder, output))
    means = [[statistics.fmean(split[i][k] for split in figures) for k in (0, 1)] for i in range(4)]
    worst = max(of_all[0] - again[0] for of_all, again, *_ in figures)
    return [f"{first:.1f} / {third:.1f}" for first, third in means] + [f"{worst:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(measures.default_data(), "xmc"))
    parser.add_argument("--only", default="")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sparse-train", default=measures.default_program())
    options = parser.parse_args()
    print("| data, `--architecture` | all | half of it again | one half | then the other | largest loss |")
    print("|---|---|---|---|---|---|", flush=True)
    for name, outputs in SETS.items():
        data = measures.read(measures.find(os.path.join(options.data, name), "train.txt"))
        for output in outputs:
            label = f"{name}, {output}"
            if re.search(options.only, label):
                cells = row(options.sparse_train, data, output, options.splits)
                print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
