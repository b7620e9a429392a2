"""XMC files for the benchmarks: reading, forms that rivals read, and one grading for everybody."""
import collections
import math
import re

import measures


def parse(data, limit=None):
    """(examples, features, labels) of the header, and for each line its labels and (feature, value);
    of the first `limit` lines only, where that is given."""
    lines = data.split(b"\n")
    header = tuple(int(number) for number in lines[0].split())
    rows = []
    for line in lines[1:1 + min(header[0], limit or header[0])]:
        labels, _, features = line.partition(b" ")
        pairs = (item.split(b":") for item in features.split())
        rows.append(([int(label) for label in labels.split(b",") if label],
                     [(int(feature), float(value)) for feature, value in pairs]))
    return header, rows


def label_lists(data):
    """The labels of each line: all that grading needs."""
    lines = data.split(b"\n")
    count = int(lines[0].split()[0])
    return [[int(label) for label in line.partition(b" ")[0].split(b",") if label]
            for line in lines[1:count + 1]]


def as_words(rows, repeat):
    """fastText's form: a feature is a word, which stands once, or as often as its value says.

    Values other than counts are scaled so that the largest of a line stands five times."""
    lines = []
    for labels, features in rows:
        largest = max((value for _, value in features), default=1)
        counts = all(value == int(value) and value > 0 for _, value in features)
        scale = 1 if counts else 5 / largest
        words = [f"__label__{label}" for label in labels]
        for feature, value in features:
            words += [f"f{feature}"] * (max(1, round(value * scale)) if repeat else 1)
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


def propensities(train_labels, a=0.55, b=1.5):
    """Probability that a relevant label is given, by label (Jain et al., KDD 2016, section 4)."""
    counts = collections.Counter(label for labels in train_labels for label in labels)
    c = (math.log(len(train_labels)) - 1) * (b + 1) ** a
    known = {label: 1 / (1 + c * math.exp(-a * math.log(n + b))) for label, n in counts.items()}
    return collections.defaultdict(lambda: 1 / (1 + c * math.exp(-a * math.log(b))), known)


def grade(truth, guesses, propensity):
    """P@1, 3, 5 and PSP@1, 3, 5; PSP is over the best that could be had, as the XMC repository does."""
    hits = {k: 0 for k in (1, 3, 5)}
    gained = {k: 0.0 for k in (1, 3, 5)}
    best = {k: 0.0 for k in (1, 3, 5)}
    for labels, ranked in zip(truth, guesses, strict=True):
        ideal = sorted((1 / propensity[label] for label in labels), reverse=True)
        for k in hits:
            right = set(labels).intersection(ranked[:k])
            hits[k] += len(right)
            gained[k] += sum(1 / propensity[label] for label in right)
            best[k] += sum(ideal[:k])
    return {**{f"p{k}": hits[k] / k / len(truth) for k in hits},
            **{f"psp{k}": gained[k] / best[k] if best[k] else 0.0 for k in hits}}


class Problem:
    """One data set, decompressed into a folder, with what grading needs."""

    def __init__(self, folder, work):
        self.files = {}
        self.work = work
        self.words = {}
        for part in ("train", "test"):
            data = measures.read(measures.find(folder, part + ".txt"))
            self.files[part] = f"{work}/{part}.txt"
            with open(self.files[part], "wb") as file:
                file.write(data)
            if part == "train":
                self.num_labels = int(data.split(b"\n", 1)[0].split()[2])
                self.weighted = re.search(rb":(?!1(?:\.0*)?[ \n])", data) is not None
                self.propensity = propensities(label_lists(data))
            else:
                self.truth = label_lists(data)

    def as_words(self, part, repeat):
        """The file for fastText, written on first use."""
        key = part, repeat
        if key not in self.words:
            self.words[key] = f"{self.work}/{part}{'.repeated' if repeat else ''}.ft"
            with open(self.words[key], "w", encoding="ascii") as file:
                file.write(as_words(parse(measures.read(self.files[part]))[1], repeat))
        return self.words[key]

    def grade(self, guesses):
        return grade(self.truth, guesses, self.propensity)
