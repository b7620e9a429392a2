#!/usr/bin/env python3
"""Puts measured tables beside the published ones:  report.py NAME.json... > report.md"""
import json
import pathlib
import sys

import tables

HEAD = """# Tables of papers, measured here

Rows marked "published" ran on their papers' machines. Rows marked "measured" ran on this machine, on your data or on a
stand-in. A STAND-IN is other and smaller data: its accuracies and times are no reproduction of the published ones.
Compare ratios, which mean the same on both machines, before absolute figures.
"""


def main(paths):
    print(HEAD)
    for path in paths:
        measured = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        published = json.loads((tables.HERE / "published" / f"{measured['table']}.json").read_text(encoding="utf-8"))
        print("\n".join(tables.markdown(published, measured)))


if __name__ == "__main__":
    main(sys.argv[1:])
