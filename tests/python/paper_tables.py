#!/usr/bin/env python3
"""What paper_tables.sh measured: rows, labels, and that models are better than guessing.  paper_tables.py stand-ins|yours"""
import json
import pathlib
import sys

# Rows that each table has to have, a figure that all of them have, and bounds of this figure.
ROWS = {
    "bolt-amazon-670k": ("dense lsh shared tree", "p_at_1", 25, 100),
    "bolt-yelp": ("network automatic", "accuracy", 60, 100),
    "bolt-dbpedia": ("network automatic", "accuracy", 60, 100),
    "slide": ("lsh dense shared", "p_at_1", 25, 100),
    "salient-ladder": ("plain sampling slicing", "batches_seconds", 1e-6, 60),
    "salient-architectures": ("sage gat gin sage-ri", "test", 40, 100),
    "robe-auc": ("full published-10 robe-10", "auc", 0.6, 0.95),
    "robe-throughput": ("full robe", "inference", 100, 1e8),
    "tgn-batch-size": ("exact-10 exact-200 window-10 window-200", "test", 52, 100),
    "tgn-tiers": ("ram disk", "events", 1, 1e7),
    "tgn-sizes": ("tiny large", "batch_ms", 0.01, 1e5),
    "tgn-hidden": ("hidden-16 hidden-64", "mrr", 0.012, 1),  # 0.0075 by chance
}
# Of the user's data the texts of the label; streams so short teach nothing in batches of 200.
YOURS = {"bolt-yelp": ("train.csv.zst: 60,000", "Yelp polarity has 560,000, so this is no reproduction"),
         "robe-auc": ("clicks.tsv: 5,142", "no reproduction"),
         "salient-ladder": ("graph.safetensors: 2,500", "no reproduction"),
         "tgn-batch-size": ("edits.csv: 2,000", "1 of 172 features", "2 of 25 epochs")}
wrong = []


def claim(holds, *what):
    if not holds:
        wrong.append(" ".join(map(str, what)))


def check_table(name, section, yours):
    keys, figure, least, most = ROWS[name]
    measured = json.loads(pathlib.Path(f"{name}.json").read_text(encoding="utf-8"))
    published = json.loads(pathlib.Path(f"published/{name}.json").read_text(encoding="utf-8"))
    rows = {row["key"]: row for row in measured["rows"]}
    for key in keys.split():
        if yours and key.endswith("-200"):
            continue
        claim(least <= rows.get(key, {}).get(figure, -1) <= most, name, key, figure, rows.get(key))
    lines = section.splitlines()
    label = "measured, your data" if yours else "measured, STAND-IN"
    claim(sum(line.startswith(f"| {label} |") for line in lines) == len(rows), name, "measured rows")
    claim(sum(line.startswith("| published |") for line in lines) == len(published["rows"]) > 0, name, "published rows")
    claim(published["source"] in section and all(row["on"] for row in published["rows"]), name, "source and machines")
    claim(all(row["what"] in section for row in [*published["rows"], *measured["rows"]]), name, "rows in the report")
    claim(("STAND-IN" in section) != yours, name, "stand-in")
    claim("cut short by SCALE=small" in measured["data"] and measured["data"] in section, name, measured["data"])
    if not yours:
        claim(f"because {published['data']['name']}" in measured["data"], name, measured["data"])
    for ratio in published["ratios"]:
        first, second = (rows.get(key, {}).get(ratio["column"]) for key in ratio["rows"])
        if first and second and ratio["operation"] == "/":
            claim(f"| {ratio['what']} | {ratio['published'] or '-'} | {first / second:.2f}x |" in section, name, ratio["what"])
    return rows


def main(kind):
    tables = ROWS if kind == "stand-ins" else YOURS
    head, *sections = pathlib.Path("report.md").read_text(encoding="utf-8").split("\n## ")
    claim("no reproduction" in head, "the report's head")
    claim({path.stem for path in pathlib.Path("published").glob("*.json")} == set(ROWS), "published tables")
    found = {section.splitlines()[0].rsplit("`", 2)[1]: section for section in sections}
    claim(set(found) == set(tables), "tables:", *found)
    rows = {name: check_table(name, found.get(name, ""), kind == "yours") for name in tables}
    if kind == "stand-ins":
        slow, fast = (rows["robe-throughput"][key]["bytes"] for key in ("full", "robe"))
        claim(999 < slow / fast < 1002, "ROBE's tables are not a thousandth:", slow, fast)
        claim("5,130" in found["bolt-amazon-670k"] and "50.4" in found["salient-ladder"], "published figures")
        claim("no counterpart" in found["salient-ladder"], "the rung that a CPU does not have")
    else:
        for name, texts in YOURS.items():
            claim(all(text in found[name] for text in texts), name, texts)
        claim({"published-1000", "robe-1000"} <= set(rows["robe-auc"]), "ROBE's published compression on the user's data")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
