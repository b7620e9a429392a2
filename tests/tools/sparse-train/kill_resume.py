#!/usr/bin/env python3
"""sparse-train, killed and resumed: see tests/support/kill_resume.py. kill_resume.py SPARSE_TRAIN [kills]"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import kill_resume  # noqa: E402


def write_data(path, examples=400, labels=50):
    with open(path, "w") as out:
        out.write(f"{examples} {2 * labels} {labels}\n")
        for _ in range(examples):
            label = random.randrange(labels)
            features = sorted({2 * label, 2 * label + 1, random.randrange(2 * labels)})
            out.write(f"{label},{(label + 1) % labels} " + " ".join(f"{f}:1" for f in features) + "\n")


kill_resume.check(sys.argv[1], ("dense", "shared", "shared --label-weights bf16",
                                 "dense --validation ../data.txt --patience 2"),
                  lambda output: ["train", "../data.txt", "--architecture", *output.split(), "--epochs", "40",
                                  "--batch-size", "16"],
                  write_data, int(sys.argv[2]) if len(sys.argv) > 2 else 20)
