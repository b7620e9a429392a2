#!/usr/bin/env python3
"""Checks pages of sample_report with the standard library's parsers: report_structure_test.py SAMPLE_REPORT

Well-formed SVG with title and description, nothing that loads or runs, drawings within their boxes, and
hostile text that stays text.
"""
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "link", "br", "img", "input", "hr"}
ALLOWED = set(
    "html head meta link title style body header article main footer section nav ol ul li a details summary h1 h2 h3 p "
    "dl div dt dd figure figcaption "
    "table thead tbody tr th td pre script svg desc g line polyline polygon rect path text".split())
FIGURES = ["Learning curve", "Precision at 1 against published results", "Time of an epoch",
           "Accuracy against cost", "Roofline, one thread", "Time to add a row of a table"]


class Page(HTMLParser):
    """Elements must nest; texts are collected by the element that holds them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.texts, self.attributes = [], [], {}, []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> inside {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment: " + data)


def points_of(element):
    for pair in element.get("points", "").split():
        yield tuple(map(float, pair.split(",")))
    for x, y in (("x", "y"), ("x1", "y1"), ("x2", "y2")):
        if element.get(x) is not None:
            yield float(element.get(x)), float(element.get(y))


def check_svg(text):
    svg = ElementTree.fromstring(text)
    children = [child.tag for child in svg]
    assert children[:2] == [SVG + "title", SVG + "desc"], children[:2]
    assert svg.find(SVG + "desc").text.strip() and svg.get("role") == "img"
    left, top, width, height = map(float, svg.get("viewBox").split())
    assert (left, top) == (0, 0) and width > 0 and height > 0
    for element in svg.iter():
        for x, y in points_of(element):
            assert -1 <= x <= width + 1 and -1 <= y <= height + 1, (
                f"{element.tag} at {x}, {y} leaves {width} x {height}")
        for name, value in element.items():
            assert "nan" not in value.lower() or name == "aria-label", (name, value)
            assert "inf" not in value.lower() or name == "aria-label", (name, value)
    return svg


def check_page(text):
    page = Page(text)
    assert set(page.tags) <= ALLOWED, set(page.tags) - ALLOWED
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("src", "style", "action", "srcset"), (tag, name)
        if name == "href":
            assert value == "data:," or (tag == "a" and value[0] == "#"), value
    ids = [value for tag, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids)), ids
    links = [value[1:] for tag, name, value in page.attributes if tag == "a" and name == "href"]
    assert links and set(links) <= set(ids), set(links) - set(ids)
    assert text.index('<section class="runs">') < text.index("<nav") < text.index("<article")
    assert page.tags.count("script") == 1
    assert ("script", "type", "application/json") in page.attributes
    policy = [v for t, n, v in page.attributes if t == "meta" and n == "content" and "src" in v]
    assert policy and policy[0].startswith("default-src 'none'"), policy
    assert text.startswith("<!doctype html>") and "lang=\"en\"" in text
    drawings = [check_svg(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.S)]
    assert len(drawings) == 2 * page.tags.count("figure")
    data = json.loads("".join(page.texts["script"]))
    return page, drawings, data


def check_full(text):
    page, drawings, data = check_page(text)
    titles = [svg.find(SVG + "title").text for svg in drawings]
    assert titles == [title for title in FIGURES for _ in range(2)], titles
    assert [entry["figure"] for entry in data if "figure" in entry] == FIGURES
    assert len(data[1]["series"][0]["y"]) == 6000
    assert "Results" in page.texts["h3"] and page.tags.count("table") == 2
    assert page.texts["summary"] == ["Configuration"] and page.texts["h2"][1:] == [data[0]["run"]]
    # A sentence, the table and the list of contents name the run; the list also names each figure and table.
    assert page.texts["a"] == [data[0]["run"]] * 3 + FIGURES[:4] + ["Results"] + FIGURES[4:], page.texts["a"]
    style = "".join(page.texts["style"])
    for rule in ("prefers-color-scheme: dark", "@media print", "max-width: 600px"):
        assert rule in style, rule
    used = set(re.findall(r"var\((--[a-z0-9]+)\)", style))
    defined = set(re.findall(r"(--[a-z0-9]+):", style))
    assert used <= defined, used - defined


def check_hostile(text):
    page, _, data = check_page(text)
    assert "alert(1)" in page.texts["h2"][1] and "<script>" in page.texts["h2"][1]
    assert all("alert(1)" in cell for cell in page.texts["td"][:7]), page.texts["td"][:7]
    assert len(data) == 1 + 2 + 24
    assert "\x01" not in text


def main():
    with tempfile.TemporaryDirectory() as folder:
        for words, check in ((["full"], check_full), (["hostile", "hostile"], check_hostile)):
            path = f"{folder}/{words[0]}.html"
            subprocess.run([sys.argv[1], path] + words[1:], check=True)
            with open(path, encoding="utf-8", errors="strict", newline="") as file:
                check(file.read())


main()
