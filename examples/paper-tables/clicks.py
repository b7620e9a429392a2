#!/usr/bin/env python3
"""Tables of click models with small embedding tables, by robe-compress: ROBE's accuracy and throughput."""
import tables

RATINGS = tables.BUNDLED / "ctr-insteval"
PUBLISHED = ["--method", "robe", "--hash", "robe2021", "--storage", "f32"]


def parts(table):
    """Options that name the data to train on and to test on; one file is cut as the reference DLRM cuts Criteo's."""
    if len(table.files) > 1:
        return [table.files[0]], [table.files[1]]
    if table.files:
        return [table.files[0], "--lines", "0:6/7"], [table.files[0], "--lines", "6/7:1"]
    return [RATINGS / "train.csv.zst", "--positive", "y>=4"], [RATINGS / "test.csv.zst"]


def auc(table):
    train, test = parts(table)
    # A thousandth of the stand-in's tables would be 66 numbers.
    sizes = [10, *([] if table.small else [100]), *([1000] if table.files else [])]
    ways = [("full", "full tables", ["--method", "full"])]
    for size in sizes:
        ways += [(f"published-{size}", f"ROBE, {size}x smaller, as published (f32)", [*PUBLISHED, "--compression", size]),
                 (f"robe-{size}", f"ROBE, {size}x smaller, robe-compress' defaults", ["--compression", size])]
    for key, what, options in ways:
        model = table.scratch / "model"
        trained = table.run("robe-compress", "train", *train, *options, *table.epochs(1, 2), "-o", model, "-f")
        told = table.run("robe-compress", "eval", model, *test)
        table.row(key, what, bytes=trained["embedding_bytes"], auc=told["auc"], log_loss=told["log_loss"],
                  samples=trained["samples_per_second"], peak_mib=trained["peak_mib"])
    table.ran_on(f"ratings of lecturers (examples/data/{RATINGS.name})", trained["samples"])


def throughput(table):
    scale = 100 if table.small else 4
    if table.files:
        train, test = parts(table)
    else:
        clicks, shape = table.scratch / "clicks.tsv", f"kaggle/{scale}"
        table.run("robe-compress", "generate", "--shape", "kaggle", "--scale", scale, "--samples",
                  20000 if table.small else 200000, "-o", clicks)
        train, test = [clicks, "--ids", "number", "--rows", shape], [clicks]
    same = ["--storage", "f32", "--optimizer", "sgd"]
    steps = [] if table.files else ["--epochs", 1, "--steps", 50]  # enough to time them; speed does not depend on what was learnt
    for key, what, options in (("full", "full tables", ["--method", "full"]),
                               ("robe", "ROBE, 1000x smaller", ["--method", "robe", "--compression", 1000])):
        model = table.scratch / "model"
        trained = table.run("robe-compress", "train", *train, *same, *options, *(steps or table.epochs(1, 1)), "-o", model, "-f")
        told = min((table.run("robe-compress", "eval", model, *test) for _ in range(1 if table.small else 3)),
                   key=lambda run: run["seconds"])
        table.row(key, what, bytes=trained["embedding_bytes"], inference=told["samples"] / told["seconds"],
                  training=trained["samples_per_second"], peak_mib=trained["peak_mib"])
    swept = table.run("robe-compress", "sweep", *train, *same, "--method", "full,robe", "--compression", 1000,
                      "--held-out", "every:20", "--epochs", 1, "--steps", 50)
    for row, point in zip(table.rows, swept["points"]):
        row["lookups"] = point["lookups_per_second"] / 1e6
    table.ran_on(f"made by robe-compress generate in the shape of Criteo's Kaggle data / {scale}", trained["samples"])


if __name__ == "__main__":
    tables.main(__doc__, {"robe-auc": auc, "robe-throughput": throughput})
