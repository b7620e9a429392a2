#!/usr/bin/env python3
"""Tables of graph neural networks, by gnn-sample: SALIENT's ladder and architectures."""
import statistics

import tables

NOUNS = tables.BUNDLED / "graph-wordnet-nouns"
# Steps of `gnn-sample bench --ladder` by the rung of SALIENT's ladder whose optimisations they end.
RUNGS = {"plain: mapped file, hash table": ("plain", "a plain sampler (in PyG's place)"),
         "+ prefetch": ("sampling", "+ fast sampling: huge pages, table of ids, prefetch"),
         "as given": ("slicing", "+ features gathered by all threads into shared memory")}
ARCHITECTURES = {"sage": "GraphSAGE", "gat": "GAT", "gin": "GIN", "sage-ri": "GraphSAGE-RI"}


def graph(table, *stand_in):
    """A graph file: the user's own or what gnn-sample makes with the options `stand_in`."""
    if table.files:
        return table.files[0]
    output = table.scratch / "graph.safetensors"
    table.run("gnn-sample", *stand_in, "-o", output)
    return output


def ladder(table):
    scale = 100 if table.small else 10
    path = graph(table, "generate", "--shape", "products", "--scale", scale)
    size = ["--batches", 5] if table.small else ["--round-time", "3s"]
    bench = table.run("gnn-sample", "bench", path, "--ladder", "--features", "--fanouts", "15,10,5", "--rounds", 3, *size)
    ways = {way["name"]: way for way in bench["ways"]}
    for name, (key, what) in RUNGS.items():
        seconds = statistics.median(ways[name]["seconds"]) / bench["batches"] * bench["batches_of_epoch"]
        table.row(key, what, batches_seconds=seconds, edges=ways[name]["sampled_edges_per_second"] / 1e6)
    table.row("pipelined", "+ pipelined transfers: no counterpart, nothing is copied to a CPU", seconds="-", batches_seconds=None)
    steps = [] if table.files else ["--steps", 3 if table.small else 50]
    trained = table.run("gnn-sample", "train", path, "--config", tables.CONFIGS / "salient-sage.yaml", "--epochs", 1,
                        *steps, "-o", table.scratch / "model")
    table.row("training", "training GraphSAGE, batches sampled ahead by idle threads", seconds=trained["epoch_seconds"],
              waiting=100 * trained["waiting_share"])
    table.ran_on(f"made by gnn-sample generate in the shape of ogbn-products / {scale}, {trained['edges']:,} edges",
                 trained["nodes"])


def architectures(table):
    path = graph(table, "import", NOUNS / "edges.csv.zst", "--undirected", "--features", NOUNS / "features.libsvm.zst",
                 "--split", NOUNS / "split.txt.zst")
    for architecture, what in ARCHITECTURES.items():
        options = table.epochs(25, 5)
        if not table.files:
            options += ["--hidden", 32 if table.small else 128, "--fanouts", "10,5", "--eval-fanouts", "20,20"]
        trained = table.run("gnn-sample", "train", path, "--config", tables.CONFIGS / f"salient-{architecture}.yaml",
                            *options, "-o", table.scratch / "model", "-f")
        table.row(architecture, f"{what} (salient-{architecture}.yaml)", seconds=trained["epoch_seconds"],
                  cpu_seconds=trained["epoch_cpu_seconds"], peak_mib=trained["peak_mib"],
                  validation=100 * trained["validation_accuracy"], test=100 * trained["test_accuracy"])
    if not table.files:
        table.cut.append("2 layers, fanouts 10,5 and narrower layers")
    table.ran_on(f"WordNet's nouns (examples/data/{NOUNS.name}), 12 classes, {trained['edges']:,} edges", trained["nodes"])


if __name__ == "__main__":
    tables.main(__doc__, {"salient-ladder": ladder, "salient-architectures": architectures})
