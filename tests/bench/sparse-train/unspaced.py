#!/usr/bin/env python3
"""P@1 of text in scripts that put no blanks between words, beside scikit-learn, as a markdown table.

    unspaced.py [--lists DIR] [--scripts Chinese,Thai] [--seeds 3] [--folds 5] [--sparse-train PATH]

Chinese, Japanese and Korean: translated descriptions of Debian packages, class the section. DIR holds apt's indices
(default /var/lib/apt/lists), with translations after `apt-get -o Acquire::Languages=zh_CN,ja,ko update`. Packages of
one source are on one side of a division. Thai: messages of the programs installed here (/usr/share/locale/th), class
the program. A seed divides a set into --folds parts, each of which is the test part of a division once; a cell is
the mean of the seeds' means, and their standard deviation. scikit-learn: TfidfVectorizer() with words, with pairs of
words (1:2), with characters in words (char_wb, 2:5) and with characters (char, 1:2), and LinearSVC(). "letters" is
char_wb on the letters, marks and digits alone, which is what sparse-train reads.
"""
import argparse
import collections
import csv
import gettext
import glob
import hashlib
import json
import os
import re
import statistics
import subprocess
import tempfile
import unicodedata

import measures

LANGUAGES = {"Chinese": "zh_CN", "Japanese": "ja", "Korean": "ko"}
LINES = {"words": {}, "pairs": {"ngram_range": (1, 2)}, "char_wb 2:5": {"analyzer": "char_wb", "ngram_range": (2, 5)},
         "char 1:2": {"analyzer": "char", "ngram_range": (1, 2)}}
FEWEST_OF_A_CLASS = {"Chinese": 20, "Japanese": 50, "Korean": 50, "Thai": 60}
NOT_PROGRAMS = "iso_"  # lists of countries and languages


def records(lists, pattern):
    for path in glob.glob(os.path.join(lists, pattern)):
        text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], check=True, stdout=subprocess.PIPE).stdout
        yield from text.decode("utf-8", "replace").split("\n\n")


def descriptions(lists, language):
    """(section, text, source package) of each translated description of a package as it is now."""
    packages = {}
    for record in records(lists, "*_main_binary-*_Packages*"):
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", record, re.M))
        if "Package" in fields:
            packages[fields["Package"]] = fields
    rows = []
    for record in records(lists, f"*_Translation-{language.replace('_', '%5f')}*"):
        match = re.match(r"Package: (\S+)\nDescription-md5: (\S+)\nDescription-\S+: (.*)", record, re.S)
        if not match or packages.get(match[1], {}).get("Description-md5") != match[2]:
            continue
        package = packages[match[1]]
        text = " ".join(line.strip() for line in match[3].split("\n") if line.strip() != ".")
        rows.append((package.get("Section", "").split("/")[-1], text, package.get("Source", match[1]).split()[0]))
    return rows


def messages():
    """(program, message, message) of each Thai message once."""
    rows, seen = [], set()
    for path in sorted(glob.glob("/usr/share/locale/th/LC_MESSAGES/*.mo")):
        program = os.path.basename(path)[:-3]
        if program.startswith(NOT_PROGRAMS):
            continue
        with open(path, "rb") as file:
            catalog = gettext.GNUTranslations(file)._catalog
        for key, text in catalog.items():
            if isinstance(key, str) and key and text not in seen and re.search("[\u0e00-\u0e7f]", text):
                seen.add(text)
                rows.append((program, text, text))
    return rows


def frequent(rows, fewest):
    counts = collections.Counter(row[0] for row in rows)
    return [row for row in rows if counts[row[0]] >= fewest]


def letters(text):
    return "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text)


def run_sklearn(line, train, test):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC
    model = make_pipeline(TfidfVectorizer(**line), LinearSVC())
    model.fit([row[1] for row in train], [row[0] for row in train])
    return model.score([row[1] for row in test], [row[0] for row in test])


def run_ours(program, train, test, work):
    files = {name: os.path.join(work, name + ".csv") for name in ("train", "test")}
    for name, rows in zip(files, (train, test)):
        with open(files[name], "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("section", "text"), *(row[:2] for row in rows)])
    model = os.path.join(work, "model")
    subprocess.run([program, "train", files["train"], "-o", model, "--force", "--quiet", "--threads", "1"], check=True)
    return json.loads(measures.measure([program, "eval", model, files["test"], "--json"])["out"])["accuracy"]


def compare(rows, args, work):
    """{what: [mean of a seed's divisions]}"""
    means = collections.defaultdict(list)
    for seed in range(args.seeds):
        part = [int(hashlib.md5(f"{seed} {row[2]}".encode()).hexdigest(), 16) % args.folds for row in rows]
        scores = collections.defaultdict(list)
        for fold in range(args.folds):
            train, test = ([row for row, p in zip(rows, part) if (p == fold) == held] for held in (False, True))
            for name, line in LINES.items():
                scores[name].append(run_sklearn(line, train, test))
            plain = [[(row[0], letters(row[1])) for row in side] for side in (train, test)]
            scores["letters"].append(run_sklearn(LINES["char_wb 2:5"], *plain))
            scores["sparse-train"].append(run_ours(args.sparse_train, train, test, work))
        for name, values in scores.items():
            means[name].append(100 * statistics.mean(values))
    return means


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lists", default="/var/lib/apt/lists")
    parser.add_argument("--scripts", default=",".join(FEWEST_OF_A_CLASS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--sparse-train", default=measures.default_program())
    args = parser.parse_args()
    names = [*LINES, "letters", "sparse-train"]
    print("| data (lines) | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for script in args.scripts.split(","):
        rows = descriptions(args.lists, LANGUAGES[script]) if script in LANGUAGES else messages()
        rows = frequent(rows, FEWEST_OF_A_CLASS[script])
        with tempfile.TemporaryDirectory() as work:
            means = compare(rows, args, work)
        cells = [f"{statistics.mean(means[name]):.1f} +- {statistics.pstdev(means[name]):.1f}" for name in names]
        print(f"| {script} ({len(rows):,}) | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
