"""The text sets of the benchmarks as CSV (class, "text"): as they are, or made from sentence files and one-file sets.

Sentence files hold `class text` a line, in Latin-1 where it is not UTF-8. A set without a test split gives every tenth line to
its test split: the last of each ten, or another of them for cross-validation.
"""
import csv
import io
import os
import random

import measures

# set -> (training file, test file or None), below text/
SENTENCES = {
    "trec": ("sent-conv/TREC.train.all", "sent-conv/TREC.test.all"),
    "sst2": ("sent-conv/stsa.binary.train", "sent-conv/stsa.binary.test"),
    "sst5": ("sent-conv/stsa.fine.train", "sent-conv/stsa.fine.test"),
    "reviews": ("sent-conv/rt-polarity.all", None),
    "products": ("sent-conv/custrev.all", None),
    "opinions": ("sent-conv/mpqa.all", None),
    "subjectivity": ("sent-conv/subj.all", None),
}
ONE_FILE = {"dbpedia": "dbpedia-subset/train.csv"}
CLASSES_AND_TEXT = ["20newsgroups", "imdb", "ag_news_10k", "debian-sections", "package-names"]
SEVERAL_LABELS = {"reuters21578": ";"}  # with a header, and this between the labels of a field
NAMES = [*CLASSES_AND_TEXT, *ONE_FILE, *SENTENCES, *SEVERAL_LABELS]


def lines_of(data, name):
    return measures.read(measures.find(os.path.join(data, "text"), name)).rstrip(b"\n").split(b"\n")


def csv_line(sentence):
    try:
        sentence.decode()
    except UnicodeDecodeError:
        sentence = sentence.decode("latin-1").encode()
    label, _, text = sentence.partition(b" ")
    return label + b',"' + text.replace(b'"', b'""') + b'"'


def has_test_split(name):
    return name not in ONE_FILE and SENTENCES.get(name, ("", "a file"))[1] is not None


def split(lines, tenth):
    return ([line for at, line in enumerate(lines) if at % 10 != tenth],
            [line for at, line in enumerate(lines) if at % 10 == tenth])


def paths(data, name, work, tenth=9):
    """{"train": path, "test": path} of a set; what is not CSV already is written to the folder `work`."""
    if name in ONE_FILE:
        parts = split(lines_of(data, ONE_FILE[name]), tenth)
    elif name in SENTENCES:
        train, test = SENTENCES[name]
        lines = [csv_line(line) for line in lines_of(data, train)]
        parts = (lines, [csv_line(line) for line in lines_of(data, test)]) if test else split(lines, tenth)
    else:
        folder = os.path.join(data, "text", name)
        return {part: measures.find(folder, part + ".csv") for part in ("train", "test")}
    made = {}
    for part, lines in zip(("train", "test"), parts):
        made[part] = os.path.join(work, part + ".csv")
        with open(made[part], "wb") as file:
            file.write(b"\n".join(lines) + b"\n")
    return made


def take_few(path, examples, has_header, work):
    """A CSV file in the folder `work` with so many records of the one at `path`, drawn at random, the same each time."""
    csv.field_size_limit(1 << 30)
    rows = list(csv.reader(io.StringIO(measures.read(path).decode("utf-8", "replace"), newline="")))
    head, rows = (rows[:1], rows[1:]) if has_header else ([], rows)
    few = os.path.join(work, "few.csv")
    with open(few, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(head + random.Random(0).sample(rows, min(examples, len(rows))))
    return few
