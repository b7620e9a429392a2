"""The sets of accuracy.py for programs of third parties: the samples, rows and held-out tenth that robe-compress has.

Standard library only. Criteo's format has numbers, the other sets have categories alone.
"""
import collections
import csv
import datetime
import io
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402
import click_data  # noqa: E402


class Part:
    """Labels [n], numbers [n][k] and categories or rows [n][fields]."""
    def __init__(self, labels=(), numbers=(), rows=()):
        self.labels, self.numbers, self.rows = list(labels), list(numbers), list(rows)

    def add(self, other, i):
        self.labels.append(other.labels[i])
        self.numbers.append(other.numbers[i])
        self.rows.append(other.rows[i])


def chunks(values, size):
    return [tuple(values[i:i + size]) for i in range(0, len(values), size)]


def read_criteo(path):
    labels, numbers, categories = click_data.read_criteo(path)
    return Part(labels, chunks(numbers, click_data.NUMBERS), chunks(categories, click_data.CATEGORIES))


def read_libfm(path):
    lines = [line.split() for line in measures.read(path).split(b"\n") if line]
    return Part([float(line[0]) > 0 for line in lines], [()] * len(lines), [tuple(line[1:]) for line in lines])


def read_rows(path):
    text = io.StringIO(measures.read(path).decode(), newline="")
    return csv.reader(text)


def read_avazu(path):
    """With or without a header."""
    part = Part()
    for _, click, time, *rest in read_rows(path):
        if click == "click":
            continue
        day = datetime.date(2000 + int(time[:2]), int(time[2:4]), int(time[4:6]))
        part.labels.append(click == "1")
        part.numbers.append(())
        part.rows.append((time[6:], day.weekday(), *rest))
    return part


def read_csv(path, options):
    """With --label-column or --columns NAME:TYPE,... of categories, and --positive NAME>=N or a text."""
    declared = dict(item.split(":") for item in options.get("--columns", "*:category").split(","))
    label = options.get("--label-column") or next(name for name, use in declared.items() if use == "label")
    rule = re.fullmatch(r"\w+>=(\d+)", options["--positive"])
    part, lines = Part(), read_rows(path)
    names = next(lines)
    for line in lines:
        row = dict(zip(names, line))
        text = row.pop(label)
        part.labels.append(float(text) >= float(rule[1]) if rule else text == options["--positive"])
        part.numbers.append(())
        part.rows.append(tuple(value for name, value in row.items()
                               if declared.get(name, declared.get("*")) == "category"))
    return part


def read(path, text):
    """The samples of a file, by robe-compress's options."""
    words = shlex.split(text)
    options = dict(zip(words[::2], words[1::2]))
    if options["--format"] == "csv":
        return read_csv(path, options)
    return {"criteo": read_criteo, "avazu": read_avazu, "libfm": read_libfm}[options["--format"]](path)


def split(part, every):
    """Training samples, and the tenth that is held out: every tenth, or the last."""
    parts, n = (Part(), Part()), len(part.labels)
    for i in range(n):
        parts[i % 10 == 9 if every else i >= n - n // 10].add(part, i)
    return parts


def number_rows(parts):
    """Makes categories of each of `parts` rows, by falling count in the first; what that lacks is row 0. The rows of
    each table."""
    indices = []
    for values in zip(*parts[0].rows):
        ranked = collections.Counter(values).most_common()
        indices.append({value: i for i, (value, _) in enumerate(ranked, 1)})
    for part in parts:
        part.rows = [tuple(index.get(value, 0) for index, value in zip(indices, row)) for row in part.rows]
    return [len(index) + 1 for index in indices]


def load(chosen, args, work):
    """Training, held-out and test part of a set of accuracy.py, and the rows of each table."""
    train, test = (read(path, chosen.options) for path in chosen.prepare(args, work))
    parts = (*split(train, chosen.split == "every"), test)
    return parts, number_rows(parts)
