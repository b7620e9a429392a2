#!/usr/bin/env python3
"""The text benchmark runs, and gives fastText what fastText's own recipe would.

    text_bench_test.py SPARSE_TRAIN
"""
import importlib.util
import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/sparse-train/text.py")


def test_normalisation():
    sys.path.insert(0, os.path.dirname(SCRIPT))  # for the modules beside it
    spec = importlib.util.spec_from_file_location("text", SCRIPT)
    text = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(text)
    lines = text.normalise(b'"3","Wall St.","It\'s (1:2); <br />OK?  ""No!"""\r\n"1","a","b"\n')
    expected = [b"__label__3 , wall st . , it ' s ( 1 2 ) ok ? no !", b"__label__1 , a , b"]
    assert lines == expected, lines


def test_run(program):
    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "text", "tiny")
        os.makedirs(where)
        for part in ("train", "test"):
            with open(os.path.join(where, part + ".csv"), "w", encoding="ascii") as file:
                for i in range(200):
                    file.write('"%d","word%d and word%d"\n' % (i % 2, i % 2, i % 2 + 2))
        out = subprocess.run([sys.executable, SCRIPT, "--data", folder, "--sets", "tiny", "--runs", "1",
                              "--fasttext", "", "--sklearn", "", "--sparse-train", program, "--examples", "150",
                              "--ours", "--epochs 5"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    row = [cell.strip() for cell in out.split("\n")[2].split("|")]
    assert row[1:5] == ["tiny", "sparse-train", "--epochs 5", "1.0000"], out


def test_tenths():
    """Every line is tested once, and never trained on in the same division."""
    import text_data
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "text", "sent-conv"))
        with open(os.path.join(folder, "text/sent-conv/custrev.all"), "w", encoding="ascii") as file:
            file.writelines(f"{i % 2} line{i}\n" for i in range(25))
        tested = []
        for tenth in range(10):
            made = text_data.paths(folder, "products", folder, tenth)
            train, test = (open(made[part], encoding="ascii").read().splitlines() for part in ("train", "test"))
            assert len(train) + len(test) == 25 and not set(train) & set(test)
            tested += test
        few = text_data.take_few(made["train"], 7, False, folder)
        assert len(set(open(few, encoding="ascii").read().splitlines())) == 7
    assert len(set(tested)) == 25
    assert [name for name in ("products", "dbpedia", "trec", "imdb") if not text_data.has_test_split(name)] == \
        ["products", "dbpedia"]


test_normalisation()
test_tenths()
test_run(sys.argv[1])
