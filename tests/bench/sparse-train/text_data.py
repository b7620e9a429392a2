"""The text sets of the benchmarks as CSV (class, "text"): as they are, or made from sentence files and one-file sets.

Sentence files hold `class text` a line, in Latin-1 where it is not UTF-8. A set without a test split gives every tenth line to its test split.
"""
import os

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


def split(lines):
    return ([line for at, line in enumerate(lines) if at % 10 != 9],
            [line for at, line in enumerate(lines) if at % 10 == 9])


def paths(data, name, work):
    """{"train": path, "test": path} of a set; what is not CSV already is written to the folder `work`."""
    if name in ONE_FILE:
        parts = split(lines_of(data, ONE_FILE[name]))
    elif name in SENTENCES:
        train, test = SENTENCES[name]
        lines = [csv_line(line) for line in lines_of(data, train)]
        parts = (lines, [csv_line(line) for line in lines_of(data, test)]) if test else split(lines)
    else:
        folder = os.path.join(data, "text", name)
        return {part: measures.find(folder, part + ".csv") for part in ("train", "test")}
    made = {}
    for part, lines in zip(("train", "test"), parts):
        made[part] = os.path.join(work, part + ".csv")
        with open(made[part], "wb") as file:
            file.write(b"\n".join(lines) + b"\n")
    return made
