#!/usr/bin/env python3
"""What can be checked by machine of the rule of words, in manual pages (so in all help texts) and Markdown documents.

    words.py SOURCE_DIR [PAGES]     0: the rule is kept; 1: each sentence that breaks it, with its file

PAGES is the folder of manual pages that the build makes, by default SOURCE_DIR/build/release/man.

A sentence has at most 25 words. So has each item of a list of choices ("auto: by the first line; csv: columns between
commas") or of another list after a colon. A row of names between commas counts as one word; code blocks, numbers,
addresses and what stands in brackets do not count. "That" and "those" stand with their noun: only forms that are never
anything else are found.
"""
import os
import pathlib
import re
import sys

MOST_WORDS = 25
BARE = [
    r"\bthose (?:that|of|who|whose|which|with|without|from|in|on|between)\b",
    r"\bthose(?=[,.;:)]|$)",
    r"\bthat of\b(?! course)",
    r"\bthat(?=[.;:)]|$)",
    r"\b(?:after|before|for|of|with|without|than|by|below|above|beside|behind|from|like) that(?=,)",
    r"(?:^|(?<=; ))(?:That|Those|that|those) (?:is|are|was|were|has|have|makes?|means?|can|costs?|needs?|takes?|must|would|will)\b",
]
# A choice: its name before ": " or " = ", at the beginning of a sentence or of its part.
CHOICE = re.compile(r"(?:^|(?<=[;,.:] ))[*`\"']*[\w.*%+/-]+(?:\([^)]*\))?[`\"']*(?::| =) ")
NAMES = re.compile(r"(?:[\w.@%*+/:-]+, ){4,}(?=\w)")
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|etc|cf|vs|al|no|Fig|Sec|Eq)\. ")


def manual_paragraphs(text):
    """The prose of a manual page: no synopsis, examples, tables of names, nor the headings of options."""
    text = re.sub(r"\\f[A-Z]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")
    section, words, literal, heading = "", [], False, False
    for line in text.split("\n") + [".PP"]:
        if line.startswith((".nf", ".EX", ".TS", ".fi", ".EE", ".TE")):
            literal = line.startswith((".nf", ".EX", ".TS"))
        elif literal:
            continue
        elif re.match(r"\.[BIR]{1,2} ", line) and not heading:
            alternating = line[2] != " "  # .BR a b is ab, .B a b is a b
            words.append(("" if alternating else " ").join(re.findall(r'[^\s"]+|(?<=")[^"]+(?=")', line.split(" ", 1)[1])))
        elif line.startswith((".SH", ".SS", ".TP", ".PP", ".IP", ".RS", ".RE")):
            if words and section not in ("SYNOPSIS", "SEE ALSO", "NAME"):
                yield " ".join(words)
            words, heading = [], line.startswith(".TP")
            if line.startswith(".SH"):
                section = line[4:].strip('"')
        elif heading:
            heading = False
        elif not line.startswith("."):
            words.append(line)


def markdown_paragraphs(text):
    """The prose of a document: paragraphs, list items and the cells of tables; no code blocks."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    block = []
    for line in text.split("\n") + [""]:
        plain = line.strip()
        begins = re.match(r"(?:[-*+]|\d+\.|#+|>)\s+|\|", plain)
        if (not plain or begins) and block:
            yield " ".join(block)
            block = []
        if plain.startswith("#"):
            yield plain.lstrip("# ")
        elif plain.startswith("|"):
            yield from (cell.strip() for cell in re.split(r"(?<!\\)\|", plain) if len(cell) > 20)
        elif plain and not line.startswith("    ") or block:
            block.append(re.sub(r"^(?:[-*+]|\d+\.|>)\s+", "", plain))


def plain(text):
    """Without emphasis, addresses and brackets; code is one word."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", lambda code: "`" + re.sub(r"\s+", "_", code[0][1:-1]) + "`", text)
    text = text.replace("**", "")
    while re.search(r"\([^()]*\)", text):
        text = re.sub(r" ?\([^()]*\)", "", text)
    return ABBREVIATIONS.sub(r"\1 ", text)


def split_list(sentence):
    """The items of a list of choices or of what follows a colon, between semicolons; else the sentence."""
    if not re.search(r"(?::| =) .*; |; .*(?::| =) ", sentence):
        return [sentence]
    places = [0, *(found.start() for found in CHOICE.finditer(sentence) if found.start()), len(sentence)]
    return [item for begin, end in zip(places, places[1:]) for item in sentence[begin:end].split("; ")]


def sentences(paragraph):
    """Sentences, and each item of a list."""
    for sentence in re.split(r"(?<=[^.][.?!])[\"*]? +| · ", plain(paragraph)):
        yield from split_list(sentence)


def words(sentence):
    sentence = NAMES.sub("", sentence)
    return [word for word in re.findall(r"[^\s,;:]+", sentence) if re.search(r"[A-Za-z]", word)]


def findings(paragraph):
    for sentence in sentences(paragraph):
        count = len(words(sentence))
        if count > MOST_WORDS:
            yield f"{count} words: {sentence}"
    for form in BARE:
        for found in re.finditer(form, plain(paragraph)):
            begin = max(0, found.start() - 40)
            yield f'"{found[0]}" without its noun: ...{plain(paragraph)[begin:found.end() + 20]}...'


def main(root, pages):
    found = set()
    for path in sorted([*pages.glob("*.1"), *root.glob("man/*.[157]"), *root.glob("*.md"), *root.glob("examples/**/*.md"), *root.glob("tests/**/*.md")]):
        paragraphs = markdown_paragraphs if path.suffix == ".md" else manual_paragraphs
        for paragraph in paragraphs(path.read_text(encoding="utf-8")):
            for finding in findings(paragraph):
                if finding not in found:  # options that many commands have are named once
                    found.add(finding)
                    print(f"{os.path.relpath(path, root)}: {finding}")
    return 1 if found else 0


if __name__ == "__main__":
    source, *pages = map(pathlib.Path, sys.argv[1:])
    sys.exit(main(source, *(pages or [source / "build/release/man"])))
