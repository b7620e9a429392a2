#!/usr/bin/env python3
"""Tables of text and of huge outputs, by sparse-train: BOLT's three and SLIDE's."""
import json
import sys

import tables

HYPERNYMS = "WordNet's hypernyms (examples/data/xmc-wordnet-hypernyms)"
GLOSSES = "WordNet's glosses in 45 categories (examples/data/text-wordnet-lexnames)"
# Share of the outputs that BOLT computes below so many labels, by its automatic choice; 0.5 % above.
BOLT_SHARES = ((450, 1.0), (900, 0.2), (1800, 0.1), (4000, 0.05), (10000, 0.02), (20000, 0.01))


def data(table, folder, ending):
    if len(table.files) == 1:
        sys.exit(f"{table.name}: name your training data and your test data")
    return table.files or [tables.BUNDLED / folder / f"{part}.{ending}" for part in ("train", "test")]


def bolt_outputs(labels):
    share = next((share for below, share in BOLT_SHARES if labels < below), 0.005)
    return max(1, round(share * labels))


def looked_up(trained):
    """Percentages: the labels that an example computes, and the 10 best that are found, where some are looked up."""
    if "lsh_active_fraction" not in trained:
        return {}
    return {"active": 100 * trained["lsh_active_fraction"], "recall": 100 * trained["lsh_recall"]}


def bolt_amazon(table):
    train, test = data(table, "xmc-wordnet-hypernyms", "txt.zst")
    network = ["--hidden", 256, "--batch-size", 256, "--optimizer", "adam", "--learning-rate", 0.001,
               "--schedule", "constant", *table.epochs(5, 5, 2)]

    def fit(key, what, *options):
        model = table.scratch / "model"
        trained = table.run("sparse-train", "train", train, "-o", model, "-f", *options, "--calibration", "none")
        told = table.run("sparse-train", "eval", model, test)
        table.row(key, what, seconds=trained["fit_seconds"], cpu_seconds=trained["cpu_seconds"],
                  peak_mib=trained["peak_mib"], p_at_1=100 * told["p_at_1"], p_at_5=100 * told["p_at_5"],
                  **looked_up(trained))
        if key == "dense":
            table.row("frequent", "without learning: the most frequent labels", p_at_1=100 * told["frequent_p_at_1"],
                      p_at_5=100 * told["frequent_p_at_5"])
        return trained

    dense = fit("dense", "network, all outputs (as TensorFlow, PyTorch)", "--architecture", "dense", *network)
    table.ran_on(f"{HYPERNYMS}, {dense['labels']:,} labels", dense["examples"])
    outputs = bolt_outputs(dense["labels"])
    fit("lsh", f"network, {outputs:,} outputs by hash tables (BOLT's way)", "--architecture", "lsh",
        "--lsh-mode", "vanilla", "--no-lsh-center", "--lsh-active", outputs, "--lsh-random", 0,
        "--no-lsh-share-random", "--no-lsh-correct-sampling", "--lsh-freeze-after", 1, *network)
    fit("signatures", f"network, {outputs:,} outputs by signatures (frugal)", "--architecture", "lsh",
        "--lsh-active", outputs, *network)
    fit("shared", "network, outputs shared by a batch (frugal)", "--architecture", "shared", *network)
    fit("tree", "label trees (frugal, amazon-670k-fast.yaml)", "--config", tables.CONFIGS / "amazon-670k-fast.yaml")


def epochs_of(path):
    """(P@1, seconds of training) after each epoch of a metrics log."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(line["validation_p_at_1"], line["fit_seconds"]) for line in lines if
            line["type"] == "metric" and "validation_p_at_1" in line]


def slide(table):
    train, test = data(table, "xmc-wordnet-hypernyms", "txt.zst")
    epochs = table.epochs(5, 5, 2)
    same = ["--hidden", 128, "--batch-size", 256, "--optimizer", "adam", "--learning-rate", 0.001, "--schedule", "constant",
            "--activation", "relu", "--loss", "softmax", "--dropout", 0, *epochs]
    published = ["--config", tables.CONFIGS / "slide-amazon-670k.yaml", *epochs]
    if not table.files:
        # 1,000 outputs would be half of the stand-in's labels, and K = 8 is for tables of many more.
        published += ["--lsh-min-active", 193, "--lsh-k", "auto"]
        table.cut.append("K by the number of labels, a tenth of the outputs")
    ways = {"lsh": ("outputs by hash tables (SLIDE, slide-amazon-670k.yaml)", published),
            "signatures": ("as many outputs by signatures (frugal)",
                           ["--architecture", "lsh", *same, *([] if table.files else ["--lsh-active", 193])]),
            "dense": ("all outputs (TensorFlow's way)", ["--architecture", "dense", *same]),
            "shared": ("outputs shared by a batch (frugal)", ["--architecture", "shared", *same])}
    runs, curves = {}, {}
    for key, (_, options) in ways.items():
        log = table.scratch / f"{key}.jsonl"
        runs[key] = table.run("sparse-train", "train", train, "--validation", test, *options, "--calibration", "none",
                              "--metrics", log, "-o", table.scratch / "model", "-f")
        curves[key] = epochs_of(log)
    table.ran_on(f"{HYPERNYMS}, {runs['lsh']['labels']:,} labels", runs["lsh"]["examples"])
    # The time to an accuracy that all of them reach: nine tenths of the best of the worst.
    goal = 0.9 * min(max(accuracy for accuracy, _ in curve) for curve in curves.values())
    for key, (what, _) in ways.items():
        reached = next(seconds for accuracy, seconds in curves[key] if accuracy >= goal)
        table.row(key, what, seconds=runs[key]["fit_seconds"], cpu_seconds=runs[key]["cpu_seconds"],
                  goal_seconds=reached, goal=100 * goal, p_at_1=100 * max(curves[key])[0],
                  p_at_5=100 * runs[key]["validation_p_at_5"], **looked_up(runs[key]))
    table.row("frequent", "without learning: the most frequent labels",
              p_at_1=100 * runs["dense"]["validation_frequent_p_at_1"],
              p_at_5=100 * runs["dense"]["validation_frequent_p_at_5"])


def text(table):
    train, test = data(table, "text-wordnet-lexnames", "csv.zst")
    network = ["--no-search", "--architecture", "dense", "--epochs", 1]
    automatic = ["--no-search"] if table.small else []
    for key, what, options in (("network", "network, all outputs, one epoch", network),
                               ("automatic", "what sparse-train chooses; seconds of its search included", automatic)):
        model = table.scratch / "model"
        trained = table.run("sparse-train", "train", train, "-o", model, "-f", *options)
        told = table.run("sparse-train", "eval", model, test)
        table.row(key, what, seconds=trained["train_seconds"], cpu_seconds=trained["cpu_seconds"],
                  peak_mib=trained["peak_mib"], accuracy=100 * told["accuracy"])
    table.ran_on(GLOSSES, trained["examples"])


if __name__ == "__main__":
    tables.main(__doc__, {"bolt-amazon-670k": bolt_amazon, "bolt-yelp": text, "bolt-dbpedia": text, "slide": slide})
