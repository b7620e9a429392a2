#!/usr/bin/env python3
"""Draws README's picture of results from the tables in results/: how many times as fast, and how much more accurate.

    results_picture.py > man/results.svg
    results_picture.py --check man/results.svg     ends with status 1 where that is not what the tables say

A dot is a row of a table that has time and accuracy of the tool and of a rival. All such rows are drawn, in which
the tool loses, too. Times are CPU seconds, but for graphs, whose table has wall time alone.
"""
import argparse
import math
import os
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
WIDTH, HEIGHT = 790, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 500, 46, 346  # of the plot
FASTEST, MOST, LEAST = 64, 6, -4  # ends of the axes: times, points
COLOURS = {"text, fastText": "#1f77d0", "text, scikit-learn": "#d9730d", "click models, PyTorch": "#2a9d5c",
           "graphs, PyTorch Geometric": "#a34bc4", "event streams, PyTorch": "#d03a4f"}


def section(page, heading):
    """The text of a section of results/PAGE.md, to the next heading."""
    with open(os.path.join(RESULTS, f"{page}.md"), encoding="utf-8") as file:
        found = re.search(rf"^## {re.escape(heading)}.*?(?=^## |\Z)", file.read(), re.M | re.S)
    if not found:
        sys.exit(f"results_picture.py: results/{page}.md has no section '{heading}'")
    return found.group()


def rows(text):
    """Cells of the rows of all tables, without marks of bold."""
    return [[cell.strip().replace("**", "") for cell in line.strip("|\n").split("|")]
            for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]


def numbers(cell):
    return [float(number.replace(",", "")) for number in re.findall(r"[-+]?\d[\d,]*\.?\d*", cell)]


def fasttext():
    for cells in rows(section("sparse-train-text", "fastText")):
        if len(cells) == 4 and "ratio" not in cells[3]:
            ours, rival = numbers(cells[1]), numbers(cells[2])
            yield rival[2] / ours[2], 100 * (ours[0] - rival[0])


def scikit_learn():
    """A user runs three pipelines and keeps the best, so their times add up."""
    for cells in rows(section("sparse-train-text", "scikit-learn")):
        if len(cells) == 10 and len(numbers(cells[1])) == 2:  # P@1 and CPU s of --no-search
            ours, lines, seconds = numbers(cells[2]), [float(c) for c in cells[3:6]], float(cells[7])
            yield seconds / ours[1], ours[0] - max(lines)


def click_models():
    for cells in rows(section("robe-compress", "Training speed")):
        if len(cells) == 5 and cells[0] != "setting":
            ours, rival = numbers(cells[1]), numbers(cells[2])  # samples/s, CPU s, MiB, AUC
            yield rival[1] / ours[1], 100 * (ours[3] - rival[3])


def graphs():
    found = re.search(r"an\s+epoch\s+takes\s+([\d.]+) s and PyG's ([\d.]+) s, .*?test\s+accuracy\s+is\s+([\d.]+)\s+and\s+([\d.]+)\.",
                      section("gnn-sample", "Training"), re.S)
    ours, rival, right, rival_right = map(float, found.groups())
    yield rival / ours, 100 * (right - rival_right)


def event_streams():
    """The default mode of memory on Wikipedia in bf16, at batches of 200."""
    accuracy = next(cells for cells in rows(section("tgn-train", "Accuracy")) if cells[0] == "Wikipedia")
    gained = numbers(accuracy[6])[0] - numbers(accuracy[2])[0]
    speeds = [cells for cells in rows(section("tgn-train", "Training speed")) if cells[0] == "tgn-train, refreshed, bf16"]
    yield numbers(speeds[0][4])[0], gained


def across(times):
    return LEFT + (RIGHT - LEFT) * math.log(max(1 / 2, min(times, FASTEST)) * 2) / math.log(2 * FASTEST)


def up(points):
    return BOTTOM - (BOTTOM - TOP) * (max(LEAST, min(points, MOST)) - LEAST) / (MOST - LEAST)


def dots(found, colour):
    out = []
    for times, points in found:
        x, y = across(times), up(points)
        if points > MOST or points < LEAST:
            out.append(f'<path d="M{x:.1f} {y - 6:.1f}l6 11h-12z" fill="{colour}"/>'
                       f'<text x="{x + 9:.1f}" y="{y + 4:.1f}" class="soft" font-size="12">{points:+.0f}</text>')
        else:
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{colour}" fill-opacity="0.8"/>')
    return out


def axes():
    out = []
    for times in (0.5, 1, 2, 4, 8, 16, 32, 64):
        kind = "zero" if times == 1 else "grid"
        out += [f'<path class="{kind}" d="M{across(times):.1f} {TOP}V{BOTTOM}"/>',
                f'<text class="soft" x="{across(times):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{times:g}x</text>']
    for points in range(LEAST, MOST + 1, 2):
        kind, tick = ("zero", "0") if points == 0 else ("grid", f"{points:+d}")
        out += [f'<path class="{kind}" d="M{LEFT} {up(points):.1f}H{RIGHT}"/>',
                f'<text class="soft" x="{LEFT - 8}" y="{up(points) + 5:.1f}" text-anchor="end">{tick}</text>']
    out += [f'<text class="ink" x="{LEFT - 44}" y="{TOP - 22}">points of accuracy or AUC above the rival</text>',
            f'<text class="ink" x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 40}" text-anchor="middle">'
            'times as fast as the rival</text>']
    return out


def picture():
    groups = [("text, fastText", fasttext, "sparse-train --no-search, text", "fastText"),
              ("text, scikit-learn", scikit_learn, "sparse-train, text", "scikit-learn, best of three"),
              ("click models, PyTorch", click_models, "robe-compress, click models", "PyTorch's DLRM"),
              ("graphs, PyTorch Geometric", graphs, "gnn-sample, GraphSAGE", "PyTorch Geometric"),
              ("event streams, PyTorch", event_streams, "tgn-train, Wikipedia's edits", "PyTorch's TGN")]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'role="img" font-family="system-ui, sans-serif" font-size="14">',
           "<title>Speed and accuracy of frugal's tools beside other programs</title>",
           "<style>.ink { fill: #24303c; } .soft { fill: #5b6875; } .grid { stroke: #5b6875; stroke-opacity: 0.18; }",
           ".zero { stroke: #5b6875; stroke-width: 1.5; }",
           "@media (prefers-color-scheme: dark) { .ink { fill: #e6edf3; } .soft { fill: #9aa7b4; } }</style>",
           *axes()]
    y = TOP + 12
    for name, read, ours, rival in groups:
        found = list(read())
        if not found:
            sys.exit(f"results_picture.py: results/ has no rows of '{name}' any more")
        out += dots(found, COLOURS[name])
        out += [f'<circle cx="{RIGHT + 30}" cy="{y - 5}" r="5.5" fill="{COLOURS[name]}"/>',
                f'<text class="ink" x="{RIGHT + 44}" y="{y}">{ours}</text>',
                f'<text class="soft" x="{RIGHT + 44}" y="{y + 18}" font-size="12">beside {rival} ({len(found)})</text>']
        y += 52
    out += [f'<text class="soft" x="{RIGHT + 24}" y="{BOTTOM - 12}" font-size="12">All rows of tests/bench/results with</text>',
            f'<text class="soft" x="{RIGHT + 24}" y="{BOTTOM + 4}" font-size="12">time and accuracy of both programs.</text>',
            f'<text class="soft" x="{RIGHT + 24}" y="{BOTTOM + 20}" font-size="12">Triangles lie beyond the axis.</text>',
            "</svg>"]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="SVG")
    options = parser.parse_args()
    drawn = picture()
    if not options.check:
        sys.stdout.write(drawn)
        return
    with open(options.check, encoding="utf-8") as file:
        if file.read() != drawn:
            sys.exit(f"{options.check}: differs from what the pages say; draw it again:\n"
                     "    tests/bench/results_picture.py > man/results.svg")


if __name__ == "__main__":
    main()
