#!/usr/bin/env python3
"""robe-compress, killed and resumed: see tests/support/kill_resume.py. kill_resume.py ROBE_COMPRESS [kills]"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import kill_resume  # noqa: E402


def write_data(path, samples=4000):
    with open(path, "w") as out:
        out.write("click,a,b,c,x\n")
        for _ in range(samples):
            a, b, c = random.randrange(50), random.randrange(400), random.randrange(9)
            click = (a * 7 + b + c) % 5 == 0
            out.write(f"{int(click)},{a},{b},{c},{random.random():.3f}\n")


def arguments(variant):
    if "--compression" not in variant:
        return ["train", "../data.txt", *variant.split()]
    return ["train", "../data.txt", *variant.split(), "--batch-size", "16", "--bottom", "16", "--top", "32,16",
            "--dim", "8", *([] if "stream" in variant else ["--epochs", "4", "--held-out", "every:9"])]


kill_resume.check(sys.argv[1],
                  ("--compression 4 --optimizer adagrad",
                   "--compression 4 --optimizer adam --method robe-hot --hot-share 0.5",
                   "--compression 4 --stream --ids hash --hash-rows 1000 --method qr",
                   "--architecture linear --epochs 300"),
                  arguments, write_data, int(sys.argv[2]) if len(sys.argv) > 2 else 20)
