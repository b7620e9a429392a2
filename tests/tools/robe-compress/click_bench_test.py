#!/usr/bin/env python3
"""The benchmarks of robe-compress run on tiny data, grade as the definitions say, and name absent rivals.

    click_bench_test.py ROBE_COMPRESS
"""
import json
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
import types

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/robe-compress")
sys.path.insert(0, FOLDER)
import accuracy  # noqa: E402
import click_data  # noqa: E402
import click_parts  # noqa: E402


def test_reading(folder):
    path = f"{folder}/two.tsv"
    with open(path, "w", encoding="ascii") as file:
        file.write("1" + "\t3" + "\t-2" + "\t" * 11 + "\tff" + "\t" * 25 + "\n")
        file.write("0" + "\t0" * 13 + "\t68fd1e64" * 26 + "\n")
    labels, numbers, categories = click_data.read_criteo(path)
    assert list(labels) == [1, 0] and len(numbers) == 26 and len(categories) == 52
    assert math.isclose(numbers[0], math.log(4), rel_tol=1e-6) and set(numbers[1:]) == {0}
    assert list(categories[:3]) == [255, -1, -1] and set(categories[26:]) == {0x68fd1e64}


def test_grades():
    assert click_data.auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8]) == 3.5 / 4
    assert math.isclose(click_data.log_loss([1, 0], [math.log(3), math.log(3)]),
                        -(math.log(0.75) + math.log(0.25)) / 2)


def test_pairs(folder):
    """Every positive is followed by a negative of the same user that is nowhere positive."""
    for name, text in (("a", "0 1 2\n1 3\n"), ("b", "1 4\n2 1\n")):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
    train, test = accuracy.Pairs(["a", "b"], "", "").prepare(types.SimpleNamespace(data=folder), folder)
    parts = []
    for path in (train, test):
        with open(path, encoding="ascii") as file:
            head, *lines = file.read().splitlines()
        assert head == "user,item,click"
        parts.append([tuple(map(int, line.split(","))) for line in lines])
    positives = {row[:2] for part in parts for row in part if row[2]}
    assert positives == {(0, 1), (0, 2), (1, 3), (1, 4), (2, 1)}
    for part in parts:
        assert [row[2] for row in part] == [1, 0] * (len(part) // 2)
        assert [row[0] for row in part[::2]] == [row[0] for row in part[1::2]]
        assert not positives & {row[:2] for row in part[1::2]}


def run(script, *options):
    return subprocess.run([sys.executable, f"{FOLDER}/{script}", *options], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_speed(program, folder):
    # The interpreter without installed packages: the rival is never there.
    done = run("train_speed.py", "--python", make_bare_python(folder), "--runs", "1", "--samples", "600",
               "--scale", "1e6", "--only", "batch 128", "--threads", "1", "--robe-compress", program)
    assert "PyTorch: not installed, left out" in done.stderr, done.stderr
    assert "| full, SGD 0.1, batch 128 | robe-compress |" in done.stdout, done.stdout


def test_accuracy(program, folder):
    os.makedirs(f"{folder}/bundle/ctr-lme4-insteval")
    rng = random.Random(1)
    with open(f"{folder}/bundle/ctr-lme4-insteval/insteval.csv", "w", encoding="ascii") as file:
        file.write("s,d,studage,lectage,service,dept,y\n")
        for _ in range(400):
            teacher = rng.randrange(20)
            file.write(f"{rng.randrange(30)},{teacher},2,2,0,1,{5 if teacher % 2 else 1}\n")
    done = run("accuracy.py", "--data", folder, "--sets", "adult,insteval", "--methods", "full,robe,compressed",
               "--compressions", "2,1000", "--seeds", "1", "--threads", "1", "--robe-compress", program,
               "--json", f"{folder}/out.json")
    with open(f"{folder}/out.json", encoding="utf-8") as file:
        rows = json.load(file)
    assert done.stderr.startswith("adult: not in "), done.stderr
    assert [(row["method"], float(row["compression"])) for row in rows] == [
        ("full", 1), ("robe", 2), ("compressed", 2)], rows
    assert float(rows[0]["auc"]) > 0.95, rows
    assert f"| full (1x) | {float(rows[0]['auc']):.4f} +- 0.0000 | |" in done.stdout, done.stdout
    assert f"| robe | {float(rows[1]['auc']):.4f} +- 0.0000 | too small |" in done.stdout, done.stdout


def test_storages(program, folder):
    """On the data of test_accuracy()."""
    done = run("storages.py", "--data", folder, "--sets", "insteval", "--storages", "f32,int4", "--compressions", "2",
               "--seeds", "1", "--threads", "1", "--robe-compress", program, "--json", f"{folder}/out.json")
    with open(f"{folder}/out.json", encoding="utf-8") as file:
        rows = json.load(file)
    assert len(rows) == 1 + 2 * 3 and all(len(row["aucs"]) == 1 for row in rows), rows
    assert rows[0]["row"] == "full" and rows[0]["aucs"][0] > 0.95, rows
    assert "| | 2x f32 | 2x int4 |" in done.stdout and "| robe, published hash | " in done.stdout, done.stdout


def test_parts(program, folder):
    """Third parties get the samples, rows and held-out tenth of robe-compress; on the data of test_accuracy()."""
    chosen = accuracy.SETS["insteval"]
    (train, held_out, test), tables = click_parts.load(chosen, types.SimpleNamespace(data=folder), folder)
    said = accuracy.run_json([program, "train", f"{folder}/train", "-o", f"{folder}/model", "--epochs", "1",
                              "--held-out", "every:10", *shlex.split(chosen.options), "--compression", "2"])
    assert (said["samples"], said["rows"]) == (len(train.labels), sum(tables)), said
    figures = accuracy.run_json([program, "eval", f"{folder}/model", f"{folder}/test"])
    for part, graded, before in ((held_out, said, "validation_"), (test, figures, "")):
        assert graded[before + "samples"] == len(part.labels) == len(part.rows), graded
        assert math.isclose(graded[before + "mean_label"], sum(part.labels) / len(part.labels), rel_tol=1e-6), graded


def test_formats(folder):
    texts = {"avazu": "id,click,hour,C1,x\n7,1,14102105,a,b\n8,0,14102200,a,c\n", "libfm": "1 3:1 9:1\n-1 4:1 9:1\n",
             "avazu-bare": "7,1,14102105,a,b\n8,0,14102200,a,c\n", "csv": "age,job,pay\n39,a,>5\n40,b,<=5\n"}
    rows = {"avazu": [("05", 1, "a", "b"), ("00", 2, "a", "c")], "libfm": [(b"3:1", b"9:1"), (b"4:1", b"9:1")],
            "csv": [("39", "a"), ("40", "b")]}
    rows["avazu-bare"] = rows["avazu"]
    for name, text in texts.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
        part = click_parts.read(f"{folder}/{name}", f"--format {name.split('-')[0]} --label-column pay --positive '>5'")
        assert part.labels == [True, False] and part.rows == rows[name], (name, part.labels, part.rows)


def test_adult(program, folder):
    """Whole numbers are categories, and there are no layers over numbers."""
    chosen = accuracy.SETS["adult"]
    with open(f"{folder}/adult.csv", "w", encoding="ascii") as file:
        file.write("age,workclass,income-per-year\n" + "39,private,>50K\n40,state,<=50K\n" * 20)
    for layers in (chosen.layers(accuracy.SMALL), chosen.settings):
        accuracy.run_json([program, "train", f"{folder}/adult.csv", "-o", f"{folder}/model", "-f", "--method", "full",
                           *shlex.split(chosen.options), *shlex.split(layers)])


def test_compress(program):
    done = run("compress.py", "--gib", "0.002", "--dim", "16", "--compressions", "100", "--robe-compress", program)
    assert done.stdout.splitlines()[-1].startswith("| 100x | "), done.stdout


def test_scale(program):
    done = run("scale.py", "--samples", "3000", "--test-samples", "500", "--scale", "1e6", "--dim", "8",
               "--bytes", "40000", "--options", "--learning-rate 0.02 --bottom 8 --top 8", "--threads", "1",
               "--robe-compress", program)
    assert done.stdout.splitlines()[-1].startswith("| robe | "), done.stdout


def make_bare_python(folder):
    """An interpreter without installed packages."""
    path = f"{folder}/python"
    with open(path, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    os.chmod(path, 0o755)
    return path


test_grades()
with tempfile.TemporaryDirectory() as temporary:
    test_reading(temporary)
    test_pairs(temporary)
    test_speed(sys.argv[1], temporary)
    test_accuracy(sys.argv[1], temporary)
    test_storages(sys.argv[1], temporary)
    test_parts(sys.argv[1], temporary)
    test_formats(temporary)
    test_adult(sys.argv[1], temporary)
test_scale(sys.argv[1])
test_compress(sys.argv[1])
