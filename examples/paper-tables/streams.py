#!/usr/bin/env python3
"""Tables of temporal graph networks, by tgn-train: batch sizes, tiers of memory, sizes of graphs and of the model."""
import tables

GRAPHCORE = ["--config", tables.CONFIGS / "wikipedia-graphcore.yaml"]
LARGE = ["--architecture", "pyg", "--memory-dim", 256, "--time-dim", 256, "--memory-dtype", "bf16", "--batch-size", 256,
         "--new-nodes", 0, "--no-eval", "--epochs", 1, "--weights-only"]
TWITTER_NODES, TWITTER_EVENTS = 15_500_000, 261_000_000


def made(table, name, *options):
    """A generated stream and what the tool says of it."""
    output = table.scratch / f"{name}.safetensors"
    return output, table.run("tgn-train", "generate", *options, "-o", output)


def imported(table):
    """The user's stream, imported where it is text."""
    if table.files[0].endswith(".safetensors"):
        return table.files[0]
    output = table.scratch / "yours.safetensors"
    told = table.run("tgn-train", "import", table.files[0], "--sort", "-o", output)
    features = table.published["data"].get("features", told["edge_features"])
    if told["edge_features"] != features:
        table.cut.append(f"{told['edge_features']} of {features} features an event, so this is no reproduction")
    return output


def edits(table, scale):
    """A stream of the user's or one in Wikipedia's shape, and options to learn from it in the epochs there are."""
    if table.files:
        return imported(table), GRAPHCORE
    path, _ = made(table, "edits", "--shape", "wikipedia", "--scale", 40 if table.small else scale, "--features", 16)
    return path, [*GRAPHCORE, "--learning-rate", 0.001]


def batch_size(table):
    events, options = edits(table, 8)
    batches = "10,200" if table.small else "10,50,100,200"
    swept = table.run("tgn-train", "sweep", events, *options, "--batch-size", batches, "--precision", "f32",
                      "--memory", "exact,window", *table.epochs(25, 4))
    what = {"exact": "memory learns of a batch after it (as published)", "window": "memory learns of each event (frugal)"}
    for point in swept["points"]:
        run = next(run for run in swept["runs"] if (run["memory"], run["batch_size"]) == (point["memory"], point["batch_size"]))
        table.row(f"{point['memory']}-{point['batch_size']}", f"batch {point['batch_size']}, {what[point['memory']]}",
                  validation=100 * point["validation_average_precision_batch200"],
                  test=100 * point["test_average_precision_batch200"], events=point["events_per_second"],
                  cpu_events=point["events_per_cpu_second"], seconds=run["epoch_seconds"])
    table.ran_on(f"made by tgn-train generate in Wikipedia's shape, {run['nodes']:,} nodes", run["events"])


def follows(table, nodes):
    """A stream of the shape of Twitter's follows with so many nodes, and how many events it has."""
    path, told = made(table, f"follows-{nodes}", "--shape", "twitter", "--nodes", nodes, "--events",
                      TWITTER_EVENTS * nodes // TWITTER_NODES)
    return path, told["events"]


def pace(table, kinds):
    """Rows of short trainings in the middle of streams, where nodes have neighbours: the fastest of three in turn.

    kinds: key, what, events file, number of events, options
    """
    runs = {}
    for _ in range(1 if table.small else 3):
        for key, _, events, count, options in kinds:
            runs.setdefault(key, []).append(table.run(
                "tgn-train", "train", events, *LARGE, "--skip-events", count // 2, "--steps", 5 if table.small else 20,
                *options, "-o", table.scratch / "model", "-f"))
    for key, what, *_ in kinds:
        best = max(runs[key], key=lambda run: run["events_per_second"])
        table.row(key, what, batch_ms=256e3 / best["events_per_second"], events=best["events_per_second"],
                  cpu_events=max(run["events_per_cpu_second"] for run in runs[key]), peak_mib=best["peak_mib"])


def tiers(table):
    nodes = 20_000 if table.small else 200_000
    events, count = (imported(table), 0) if table.files else follows(table, nodes)
    if table.files:
        count = table.run("tgn-train", "train", events, *LARGE, "--steps", 1, "-o", table.scratch / "model")["events"]
    pace(table, [("ram", "memory of nodes in RAM", events, count, ["--memory-tier", "ram"]),
                 ("disk", "memory of nodes in a file on disk", events, count, ["--memory-tier", "disk"])])
    table.ran_on(f"made by tgn-train generate in the shape of Twitter's follows, {nodes:,} nodes", count)


def sizes(table):
    kinds = []
    for key, nodes in (("tiny", 1_000), ("large", 10_000)) if table.small else (
            ("tiny", 10_000), ("middle", 100_000), ("large", 500_000)):
        events, count = follows(table, nodes)
        kinds.append((key, f"{nodes:,} nodes, {count:,} events", events, count, []))
    pace(table, kinds)
    table.ran_on(f"made by tgn-train generate in the shape of Twitter's follows, up to {nodes:,} nodes", count)


def hidden(table):
    events, options = edits(table, 16)
    for size in (16, 64) if table.small else (64, 128, 256):
        model = table.scratch / "model"
        trained = table.run("tgn-train", "train", events, *options, "--memory-dim", size, "--time-dim", size,
                            "--batch-size", 256, *table.epochs(25, 4), "-o", model, "-f")
        told = table.run("tgn-train", "eval", model, events, "--ranks", "uniform", "--eval-negatives", 1000, "--no-baselines")
        table.row(f"hidden-{size}", f"hidden size {size}", parameters=trained["parameters"], mrr=told["test_mrr"],
                  test=100 * told["test_average_precision_batch200"], events=trained["events_per_second"])
    table.ran_on(f"made by tgn-train generate in Wikipedia's shape, {trained['nodes']:,} nodes", trained["events"])


if __name__ == "__main__":
    tables.main(__doc__, {"tgn-batch-size": batch_size, "tgn-tiers": tiers, "tgn-sizes": sizes, "tgn-hidden": hidden})
