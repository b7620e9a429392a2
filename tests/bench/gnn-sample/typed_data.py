#!/usr/bin/env python3
"""Writes real graphs of several types as CSV files, and prints the commands of gnn-sample that import them.

    typed_data.py debian FOLDER | sh
    typed_data.py aifb|mutag|dblp|imdb FOLDER --source DATA | sh
    typed_data.py leak FOLDER

debian: packages as `apt-cache dumpavail` lists them. Types are package, maintainer, tag and source; the features are the
words of a package's description, the label is its section. All packages of a source are in one part: 60 % train, 20 %
validate, 20 % test. Tags that have the name of a section as a part (implemented-in::perl) are left out. leak: what the other
tags alone say of the section, after debian; needs scikit-learn.

aifb, mutag: the graphs of R-GCN (Schlichtkrull et al. 2018), with one type of nodes and 44 and 23 relations. DATA holds
NAME_stripped.nt.gz, trainingSet.tsv and testSet.tsv as relational-gcn makes them (strip_targets.py takes the relations
away that give the label). Every fifth training node is for validation; split-all.csv has these for training, too, as in
the paper's figures. dblp: DATA holds author_label.txt, paper_author.txt, paper_conf.txt, paper_term.txt and paper.txt of
DBLP_four_area (HAN and MAGNN have it). The label is the area of an author, the features are the words of his titles; 24 %
train, 6 % validate, as in HGB. imdb: DATA holds movie_metadata.csv. The label is the first of action, comedy and drama,
the features are the words of the plot; 400 train, 400 validate, as in MAGNN. Parts of dblp and imdb are drawn here.
"""
import argparse
import collections
import csv
import gzip
import os
import random
import re
import shlex
import sys

import tables

RDF = re.compile(r"(\S+) <([^>]*)> (.*) \.$")


class Writer:
    """Files of a graph, and the command that imports them."""
    def __init__(self, folder):
        self.folder, self.words = folder, ["gnn-sample", "import"]
        os.makedirs(folder, exist_ok=True)

    def table(self, name, header, rows):
        path = os.path.join(self.folder, name)
        with open(path, "w", newline="", encoding="utf-8") as out:
            lines = csv.writer(out)
            lines.writerow(header)
            lines.writerows(rows)
        return path

    def edges(self, source, relation, target, rows):
        path = self.table(f"{source}-{relation}-{target}.csv", ("source", "target"), dict.fromkeys(rows))
        self.words += ["--edges", f"{source}:{relation}:{target}={path}"]

    def finish(self, *options, output="graph.safetensors"):
        print(shlex.join([*self.words, *options, "-o", os.path.join(self.folder, output), "--force"]))


def dependencies(fields, names, known):
    for group in ",".join(fields.get(name, "") for name in names).split(","):
        for other in group.split("|"):
            other = other.strip().split(" ")[0].split(":")[0]
            if other in known:
                yield other


def tags_of(fields):
    """Tags are written as a::b, or a::{b,c} for several."""
    for facet, values in re.findall(r"([\w-]+)::(\{[^}]*\}|[^,\s]+)", fields.get("Tag", "")):
        yield from (f"{facet}::{value.strip()}" for value in values.strip("{}").split(","))


def debian(writer):
    packages = {}
    for fields in tables.paragraphs():
        packages.setdefault(fields["Package"], fields)
    sections = {f["Section"] for f in packages.values() if "Section" in f}
    sources = {name: f.get("Source", name).split(" ")[0] for name, f in packages.items()}
    path = writer.table("packages.csv", ("package", "section", "split", "description"),
                        ((name, f.get("Section", ""), tables.part_of(sources[name]), f.get("Description", ""))
                         for name, f in packages.items()))
    for relation, names in (("depends", ("Pre-Depends", "Depends")), ("recommends", ("Recommends", "Suggests"))):
        writer.edges("package", relation, "package", ((name, other) for name, f in packages.items()
                                                      for other in dependencies(f, names, packages) if other != name))
    writer.edges("package", "maintained_by", "maintainer", ((n, f["Maintainer"]) for n, f in packages.items() if "Maintainer" in f))
    writer.edges("package", "tagged", "tag", ((name, tag) for name, f in packages.items() for tag in tags_of(f)
                                                   if sections.isdisjoint(tag.split("::"))))
    writer.edges("package", "built_from", "source", sources.items())
    writer.finish("--reverse-relations", "--ids", "text", *(
        word for option in ("features", "labels", "split") for word in ("--" + option, f"package={path}")),
        "--columns", "package:id,section:label,split:split,description:words", "--word-features", "1024")


def rdf(writer, source, name):
    numbers, relations = collections.OrderedDict(), {}
    with gzip.open(os.path.join(source, f"{name}_stripped.nt.gz"), "rt", encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            head, relation, tail = RDF.match(line.rstrip("\n")).groups()
            ends = tuple(numbers.setdefault(end, len(numbers)) for end in (head, tail))
            relations.setdefault(relation, []).append(ends)
    short = {}
    for uri in relations:
        word = re.split("[#/]", uri)[-1]
        short[uri] = word if word not in short.values() else f"{word}{len(short)}"
        writer.edges("entity", short[uri], "entity", relations[uri])
    labels, parts, all_parts = [], [], []
    for file, part in (("trainingSet.tsv", "train"), ("testSet.tsv", "test")):
        with open(os.path.join(source, file), newline="", encoding="utf-8") as lines:
            for i, row in enumerate(csv.DictReader(lines, delimiter="\t")):
                uri = row["person" if name == "aifb" else "bond"]
                node = numbers[f"<{uri}>"]
                labels.append((node, row["label_affiliation" if name == "aifb" else "label_mutagenic"]))
                parts.append((node, "valid" if part == "train" and i % 5 == 4 else part))
                all_parts.append((node, part))
    tables_of = [writer.table(file, ("id", what), rows) for file, what, rows in
                 (("labels.csv", "label", labels), ("split.csv", "split", parts), ("split-all.csv", "split", all_parts))]
    for split, output in zip(tables_of[1:], ("graph.safetensors", "graph-all.safetensors")):
        writer.finish("--reverse-relations", "--nodes", f"entity={len(numbers)}", "--labels", f"entity={tables_of[0]}",
                      "--split", f"entity={split}", "--label-type", "class", "--columns", "id:id,label:label,split:split",
                      output=output)


def rows_of(source, name, encoding="utf-8"):
    with open(os.path.join(source, name), encoding=encoding) as lines:
        return [line.rstrip("\r\n").split("\t") for line in lines]


def labelled(writer, kind, rows, train, valid):
    """The nodes of a type, with random parts and the words that become features."""
    order = list(range(len(rows)))
    random.Random(0).shuffle(order)
    part = ["test"] * len(rows)
    for place, i in enumerate(order[:train + valid]):
        part[i] = "train" if place < train else "valid"
    path = writer.table(f"{kind}s.csv", ("id", "label", "split", "text"), ((*row[:2], p, row[2]) for row, p in zip(rows, part)))
    writer.finish("--undirected", "--ids", "text", *(
        word for option in ("features", "labels", "split") for word in ("--" + option, f"{kind}={path}")),
        "--columns", "id:id,label:label,split:split,text:words", "--word-features", "1024")


def dblp(writer, source):
    areas = {row[0]: row[1] for row in rows_of(source, "author_label.txt")}
    writes = [(author, paper) for paper, author in rows_of(source, "paper_author.txt") if author in areas]
    papers = {paper for _, paper in writes}
    titles = {row[0]: row[1] for row in rows_of(source, "paper.txt", "cp1252")}
    words = collections.defaultdict(list)
    for author, paper in writes:
        words[author].append(titles[paper])
    writer.edges("author", "writes", "paper", writes)
    for relation, target in (("has", "term"), ("appears_at", "conf")):
        writer.edges("paper", relation, target, (tuple(row) for row in rows_of(source, f"paper_{target}.txt") if row[0] in papers))
    rows = [(author, area, " ".join(words[author])) for author, area in sorted(areas.items(), key=lambda row: int(row[0]))]
    labelled(writer, "author", rows, round(0.24 * len(rows)), round(0.06 * len(rows)))


def imdb(writer, source):
    movies, directs, acts = [], [], []
    with open(os.path.join(source, "movie_metadata.csv"), newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            genre = [g for g in row["genres"].split("|") if g in ("Action", "Comedy", "Drama")]
            if not genre or not row["actor_1_name"] or not row["director_name"]:
                continue
            movie = f"m{len(movies)}"
            movies.append((movie, genre[0], row["plot_keywords"].replace("|", " ")))
            directs.append((row["director_name"], movie))
            acts += [(row[f"actor_{k}_name"], movie) for k in (1, 2, 3) if row[f"actor_{k}_name"]]
    writer.edges("director", "directs", "movie", directs)
    writer.edges("actor", "acts_in", "movie", acts)
    labelled(writer, "movie", movies, 400, 400)


def leak(folder):
    """Prints how well tags alone tell the section."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    tags = collections.defaultdict(dict)
    with open(os.path.join(folder, "package-tagged-tag.csv"), newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            tags[row["source"]][row["target"]] = 1
    with open(os.path.join(folder, "packages.csv"), newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["section"]]
    print(f"{len(rows)} packages, {sum(bool(tags[row['package']]) for row in rows)} with a tag")
    parts = [[row for row in rows if row["split"] == part and tags[row["package"]]] for part in ("train", "test")]
    vectors = DictVectorizer()
    inputs = [vectors.fit_transform(tags[row["package"]] for row in parts[0]),
              vectors.transform(tags[row["package"]] for row in parts[1])]
    model = LogisticRegression(C=10, max_iter=200).fit(inputs[0], [row["section"] for row in parts[0]])
    right = (model.predict(inputs[1]) == [row["section"] for row in parts[1]]).mean()
    print(f"logistic regression of tags alone: {100 * right:.1f} % of {len(parts[1])} test packages with a tag")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=["debian", "aifb", "mutag", "dblp", "imdb", "leak"])
    parser.add_argument("folder")
    parser.add_argument("--source")
    args = parser.parse_args()
    if args.set == "leak":
        return leak(args.folder)
    if args.set != "debian" and not args.source:
        sys.exit(f"typed_data.py {args.set}: --source is missing, the folder of its files")
    writer = Writer(args.folder)
    if args.set == "debian":
        return debian(writer)
    if args.set in ("aifb", "mutag"):
        return rdf(writer, args.source, args.set)
    return {"dblp": dblp, "imdb": imdb}[args.set](writer, args.source)


main()
