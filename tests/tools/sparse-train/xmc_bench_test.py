#!/usr/bin/env python3
"""The XMC benchmark runs on generated data, grades as the definitions say, and names absent rivals.

    xmc_bench_test.py SPARSE_TRAIN GENERATE_XMC
"""
import json
import math
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/sparse-train")
sys.path.insert(0, FOLDER)
import xmc_data  # noqa: E402
import xmc_tables  # noqa: E402


def test_reading():
    header, rows = xmc_data.parse(b"2 9 4\n1,3 0:1 8:0.5\n 2:2\n")
    assert header == (2, 9, 4)
    assert rows == [([1, 3], [(0, 1.0), (8, 0.5)]), ([], [(2, 2.0)])], rows


def test_words():
    rows = [([1, 3], [(0, 1.0), (8, 3.0)]), ([2], [(4, 0.2), (5, 0.05)])]
    assert xmc_data.as_words(rows, False) == "__label__1 __label__3 f0 f8\n__label__2 f4 f5\n"
    assert xmc_data.as_words(rows, True) == ("__label__1 __label__3 f0 f8 f8 f8\n"
                                             "__label__2 f4 f4 f4 f4 f4 f5\n")


def test_grades():
    train = [[0], [0], [0], [0, 1]]
    propensity = xmc_data.propensities(train)
    c = (math.log(4) - 1) * 2.5 ** 0.55
    assert math.isclose(1 / propensity[0], 1 + c * 5.5 ** -0.55)
    assert math.isclose(1 / propensity[9], 1 + c * 1.5 ** -0.55), "a label that training lacks"
    got = xmc_data.grade([[0, 1], [1]], [[0, 5, 1, 6, 7], [5, 1]], propensity)
    first, second = 1 / propensity[0], 1 / propensity[1]
    assert (got["p1"], got["p3"], got["p5"]) == (1 / 2, 3 / 6, 3 / 10), got
    assert math.isclose(got["psp1"], first / (2 * second)), got
    assert math.isclose(got["psp3"], 1) and math.isclose(got["psp5"], 1), got


def test_duels():
    def row(p1, p5, cpu):
        return {"p1": p1, "p3": 0.2, "p5": p5, "cpu": cpu}
    rows = {("sparse-train", "slow"): row(0.6, 0.3, 8.0), ("sparse-train", "quick"): row(0.5, 0.3, 1.0),
            ("A", "x"): row(0.5, 0.25, 4.0), ("A", "y"): row(0.4, 0.25, 1.0),
            ("B", "x"): row(0.5, 0.35, 4.0)}
    assert list(xmc_tables.duels(rows)) == [
        "| A, x | 50.00 | 20.00 | 25.00 | 4.00 | quick | 50.00 | 20.00 | 30.00 | 1.00 | 4.0 |",
        "| B, x | 50.00 | 20.00 | 35.00 | 4.00 | slow (below) | 60.00 | 20.00 | 30.00 | 8.00 | 0.5 |"]
    rows = {("sparse-train", "slow"): row(0.6, 0.3, 8.0), ("sparse-train", "quick"): row(0.5, 0.3, 1.0),
            ("fastText", "hs, x"): row(0.5, 0.25, 4.0), ("fastText", "repeated hs, y"): row(0.6, 0.25, 1.0),
            ("fastText", "ova, x"): row(0.4, 0.35, 4.0), ("A", "x"): row(0.4, 0.35, 4.0)}
    assert [key[1] for key in xmc_tables.most_accurate(rows)] == ["slow", "quick", "repeated hs, y",
                                                                  "ova, x", "x"]


def test_run(program, generate):
    with tempfile.TemporaryDirectory() as folder:
        shape = ["points=600", "test_points=100", "labels=20", "features=300", "noise=0.4"]
        said = subprocess.run([generate, "5k", f"{folder}/tiny", *shape], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        assert said.startswith("train: 600 points, "), said
        again = f"{folder}/again"
        subprocess.run([generate, "5k", again, *shape], check=True, stdout=subprocess.DEVNULL)
        for part in ("train.txt", "test.txt"):
            with open(f"{folder}/tiny/{part}", "rb") as one, open(f"{again}/{part}", "rb") as other:
                assert one.read() == other.read(), "the same command gives the same bytes"
        run = subprocess.run([sys.executable, f"{FOLDER}/xmc.py", "--data", folder, "--sets", "tiny",
                              "--runs", "1", "--only", "sparse-train|napkinXC PLT: default",
                              "--ours", "ours=--epochs 20", "--sparse-train", program,
                              # -S leaves installed packages out: the rival is never there
                              "--python", make_bare_python(folder), "--json", f"{folder}/out.json",
                              "--report", f"{folder}/page.html"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with open(f"{folder}/out.json", encoding="utf-8") as file:
            rows = json.load(file)
        with open(f"{folder}/page.html", encoding="utf-8") as file:
            page = file.read()
    # One point: a sentence, not a chart.
    assert "tiny: accuracy for CPU time: " in page and page.count("<figure>") == 0, page
    assert "napkinXC PLT: not installed, left out" in run.stderr, run.stderr
    assert [(row["program"], row["setting"]) for row in rows] == [("sparse-train", "ours")], rows
    # Labels drawn at random would be right about once in seven times.
    assert 0.6 < rows[0]["p1"] <= 1 and rows[0]["cpu"] > 0 and rows[0]["size"] > 0, rows
    assert f"| tiny | sparse-train | ours | {100 * rows[0]['p1']:.2f} |" in run.stdout, run.stdout


def make_bare_python(folder):
    """An interpreter without installed packages."""
    path = f"{folder}/python"
    with open(path, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    os.chmod(path, 0o755)
    return path


test_reading()
test_words()
test_grades()
test_duels()
test_run(sys.argv[1], sys.argv[2])
