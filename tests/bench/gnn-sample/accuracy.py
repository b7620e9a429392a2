#!/usr/bin/env python3
"""Accuracy of the models of gnn-sample and of PyTorch Geometric on whole graphs.

    accuracy.py [--gnn-sample PROGRAM] [--configs FOLDER] [--no-pyg] [--data FOLDER] [--sets NAME,...] [--random-splits]
                [--models gcn,sage,gat,gin] [--seeds 5] [--epochs N] [--hidden 64] [--layers 2] [--json FILE]

Needs PyTorch, PyTorch Geometric and scikit-learn in this interpreter: `pip install torch torch_geometric scikit-learn`
(2.15.0, 2.8.1 and 1.9.1 when this was written). FOLDER/graph/NAME holds the sets of this project's data folder; those
that are missing are left out. Models are PyTorch Geometric's own (nn.GCN and GraphSAGE; GATConv with 8 heads; GINConv
around two linear layers) trained with Adam on whole graphs, each edge in both directions; of all epochs the one with
the best validation result counts, of equal ones that with the lowest loss (and a run ends --patience epochs after it).
Splits are the sets' own, one a seed where there are several; where there are none, or with --random-splits, all is as
in Shchur et al. 2018: the largest connected component, of which 20 nodes a class train and 30 validate, drawn anew for
each seed, and the settings that they found, with the epoch of the lowest validation loss. Features are as they come,
but on their own splits those of cora and citeseer add up to 1 for each node, and of coauthor_cs for GCN, which gains
1.6 % by it. The result of tolokers is the ROC AUC. gnn-sample trains the same networks with the same settings on the
same splits, with fanouts of -1; sage-ri is its alone. --configs: of cora and citeseer it takes the settings of
FOLDER/cora-MODEL.yaml instead, where there are such. Mean and standard deviation over seeds, in %.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import graph_data
import numpy as np

MODELS = "gcn,sage,gat,gin"
SETS = "cora,citeseer,amazon_cs,amazon_photo,coauthor_cs,tolokers,debian-deps"
AUC = {"tolokers"}
RANDOM_SPLITS = {"amazon_cs", "amazon_photo", "coauthor_cs"}
WHOLE = {"cora": 200, "citeseer": 200}  # epochs, where they are customary
SHCHUR = {"gcn": {"hidden": 64, "rate": 0.01, "decay": 1e-3, "dropout": 0.8},
          "sage": {"hidden": 32, "rate": 0.001, "decay": 0.1, "dropout": 0.4},
          "gat": {"hidden": 64, "rate": 0.01, "decay": 0.01, "dropout": 0.6, "attention_dropout": 0.3}}


class Settings:
    """What a model is trained with on a set; `hidden` is that of all heads together."""
    def __init__(self, name, model, args):
        small = name in ("cora", "citeseer")
        self.rate, self.decay, self.decay_first_only = 0.01, 5e-4, False
        self.dropout, self.input_dropout, self.attention_dropout = 0.5, 0, None
        self.hidden = 16 if small and model == "gcn" else 64
        self.layers = 2
        self.heads, self.output_heads, self.activation = 8, 8, "relu"
        self.select, self.patience = "auc" if name in AUC else "accuracy", args.patience
        self.epochs = WHOLE.get(name, 500)
        if small and model == "gat":
            self.rate, self.dropout = 0.005, 0.6
        if name in ("tolokers", "debian-deps"):
            self.decay, self.dropout = 0, 0.2
            self.layers, self.hidden = 3, 128
        if random_splits(args, name) and model in SHCHUR:
            vars(self).update(SHCHUR[model], decay_first_only=True, output_heads=1, activation="elu", select="loss",
                              patience=50, epochs=2000)
            self.input_dropout = self.dropout
        if self.attention_dropout is None:
            self.attention_dropout = self.dropout
        self.epochs, self.hidden, self.layers = (args.epochs or self.epochs, args.hidden or self.hidden,
                                                 args.layers or self.layers)


def build_gin(dim, classes, settings):
    """As gnn-sample's: a batch norm and a hidden layer in each convolution. nn.GIN also has a norm between
    convolutions, and as many hidden units in the last one as there are classes."""
    import torch
    from torch_geometric.nn import GINConv

    class Gin(torch.nn.Module):
        def __init__(self):
            super().__init__()
            sizes = [dim] + [settings.hidden] * (settings.layers - 1) + [classes]
            self.convs = torch.nn.ModuleList(GINConv(torch.nn.Sequential(
                torch.nn.Linear(begin, settings.hidden), torch.nn.BatchNorm1d(settings.hidden), torch.nn.ReLU(),
                torch.nn.Linear(settings.hidden, end))) for begin, end in zip(sizes, sizes[1:]))

        def forward(self, features, edges):
            for conv in self.convs[:-1]:
                features = conv(features, edges).relu()
                features = torch.nn.functional.dropout(features, settings.dropout, self.training)
            return self.convs[-1](features, edges)

    return Gin()


def build_gat(dim, classes, settings):
    """nn.GAT has as many heads in its last layer as in the others, and one dropout for all."""
    import torch
    from torch_geometric.nn import GATConv
    each, dropout = settings.hidden // settings.heads, {"dropout": settings.attention_dropout}

    class Gat(torch.nn.Module):
        def __init__(self):
            super().__init__()
            sizes = [dim] + [settings.hidden] * (settings.layers - 1)
            self.convs = torch.nn.ModuleList(GATConv(size, each, settings.heads, **dropout) for size in sizes[:-1])
            self.convs.append(GATConv(sizes[-1], classes, settings.output_heads, concat=False, **dropout))

        def forward(self, features, edges):
            for conv in self.convs[:-1]:
                features = getattr(torch.nn.functional, settings.activation)(conv(features, edges))
                features = torch.nn.functional.dropout(features, settings.dropout, self.training)
            return self.convs[-1](features, edges)

    return Gat()


def build(model, dim, classes, settings):
    from torch_geometric import nn
    if model == "gat":
        return build_gat(dim, classes, settings)
    if model == "gin":
        return build_gin(dim, classes, settings)
    kind = nn.GCN if model == "gcn" else nn.GraphSAGE
    return kind(dim, settings.hidden, settings.layers, classes, dropout=settings.dropout)


def score(outputs, labels, mask, auc):
    if auc:
        from sklearn.metrics import roc_auc_score
        return roc_auc_score(labels[mask], (outputs[mask, 1] - outputs[mask, 0]))
    return (outputs[mask].argmax(1) == labels[mask]).float().mean().item()


def train(torch, model, data, split, settings):
    """Test result at the epoch of the best validation result, the epochs run, and their seconds of training."""
    features, edges, labels = data
    parts = [split == part for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
    first = list(model.convs[0].parameters())
    later = list(model.convs[1:].parameters())
    optimizer = torch.optim.Adam(
        [{"params": first, "weight_decay": settings.decay},
         {"params": later, "weight_decay": 0 if settings.decay_first_only else settings.decay}], lr=settings.rate)
    auc, drop = settings.select == "auc", torch.nn.functional.dropout
    best, at, result, seconds = None, 0, 0, 0
    for epoch in range(settings.epochs):
        begin = time.perf_counter()
        model.train()
        optimizer.zero_grad()
        outputs = model(drop(features, settings.input_dropout), edges)
        torch.nn.functional.cross_entropy(outputs[parts[0]], labels[parts[0]]).backward()
        optimizer.step()
        seconds += time.perf_counter() - begin
        model.eval()
        with torch.no_grad():
            outputs = model(features, edges)
            loss = torch.nn.functional.cross_entropy(outputs[parts[1]], labels[parts[1]]).item()
        valid = (0 if settings.select == "loss" else score(outputs, labels, parts[1], auc), -loss)
        if best is None or valid > best:
            best, at, result = valid, epoch, score(outputs, labels, parts[2], auc)
        if settings.patience and epoch - at >= settings.patience:
            break
    return result, epoch + 1, seconds


def read_set(args, name):
    """The set's tensors, with its splits or one for each seed."""
    tensors = graph_data.read_set(os.path.join(args.data, "graph", name))
    if random_splits(args, name):
        tensors = graph_data.largest_component({**tensors, "split": tensors["split"][:, :0]})
    return {**tensors, "split": graph_data.splits_of(tensors, args.seeds)}


def random_splits(args, name):
    return args.random_splits or name in RANDOM_SPLITS


def normalizes(args, name, model):
    if random_splits(args, name):
        return (name, model) == ("coauthor_cs", "gcn")
    return name in ("cora", "citeseer")


def load(torch, tensors, normalize):
    """(features, edges, labels) as PyTorch's tensors, the edges sorted by target."""
    targets = np.repeat(np.arange(len(tensors["labels"])), np.diff(tensors["offsets"].astype(np.int64)))
    edges = np.stack([tensors["neighbors"].astype(np.int64), targets])
    features = graph_data.normalized(tensors["features"]) if normalize else tensors["features"]
    return torch.from_numpy(features), torch.from_numpy(edges), torch.from_numpy(tensors["labels"]).long()


def ours(args, name, model, graph, seed, splits):
    """What gnn-sample reaches on the test nodes, and its epochs and seconds."""
    config = os.path.join(args.configs or "", f"cora-{model}.yaml")
    if args.configs and name in WHOLE and os.path.exists(config):
        return run_train([args.gnn_sample, "train", graph, "--config", config, "--seed", str(seed),
                          "--threads", str(args.threads)], graph, name)
    s = Settings(name, model, args)
    gat = model == "gat"
    command = [args.gnn_sample, "train", graph, "--architecture", model, "--fanouts", ",".join(["-1"] * s.layers),
               "--hidden", str(s.hidden // s.heads if gat else s.hidden), "--learning-rate", str(s.rate),
               "--weight-decay", str(s.decay), "--dropout", str(s.dropout), "--input-dropout", str(s.input_dropout),
               "--batch-size", "1000000", "--epochs", str(s.epochs), "--patience", str(s.patience),
               "--metric", s.select, "--split", str(seed % splits), "--seed", str(seed), "--threads", str(args.threads)]
    if s.decay_first_only:
        command += ["--decay-first-only"]
    if gat:
        command += ["--heads", str(s.heads), "--output-heads", str(s.output_heads),
                    "--attention-dropout", str(s.attention_dropout), "--activation", s.activation]
    if model in ("gin", "sage-ri"):
        command += ["--batch-norm"]
    return run_train(command, graph, name)


def run_train(command, graph, name):
    command = [*command, "-o", graph + ".model", "--json", "--quiet"]
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result["test_auc" if name in AUC else "test_accuracy"], result["epochs"], result["fit_seconds"]


def summary(name, model, program, runs):
    """A row of the table, of (accuracy, epochs, seconds) of each seed."""
    results = [100 * run[0] for run in runs]
    row = {"set": name, "model": model, "by": program, "mean": statistics.mean(results),
           "deviation": statistics.stdev(results) if len(results) > 1 else 0, "results": results,
           "epoch_seconds": sum(run[2] for run in runs) / sum(run[1] for run in runs)}
    print(f"{name}: {model}: {row}", file=sys.stderr, flush=True)
    return row


def run_ours(args, name):
    tensors = read_set(args, name)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        graphs = {}
        for model in args.models.split(","):
            normalize = normalizes(args, name, model)
            if normalize not in graphs:
                graphs[normalize] = os.path.join(scratch, f"graph-{normalize}.safetensors")
                features = graph_data.normalized(tensors["features"]) if normalize else tensors["features"]
                content = graph_data.sparse_features({**tensors, "features": features},
                                                     graph_data.metadata_of(tensors))
                graph_data.write_graph(graphs[normalize], *content)
            rows.append(summary(name, model, "gnn-sample", [
                ours(args, name, model, graphs[normalize], seed, tensors["split"].shape[1])
                for seed in range(args.seeds)]))
    return rows


def run_pyg(args, name):
    import torch
    torch.set_num_threads(args.threads)
    tensors = read_set(args, name)
    splits = torch.from_numpy(tensors["split"])
    rows = []
    for model in args.models.split(","):
        if model == "sage-ri":
            continue
        data = load(torch, tensors, normalizes(args, name, model))
        settings = Settings(name, model, args)
        runs = []
        for seed in range(args.seeds):
            torch.manual_seed(seed)
            network = build(model, data[0].shape[1], int(data[2].max()) + 1, settings)
            runs.append(train(torch, network, data, splits[:, seed % splits.shape[1]], settings))
        rows.append(summary(name, model, "PyG", runs))
    return rows


def print_table(rows, models):
    print("| set | " + " | ".join(models) + " |\n|---|" + "---:|" * len(models))
    for name, by in dict.fromkeys((row["set"], row["by"]) for row in rows):
        cells = {row["model"]: f"{row['mean']:.1f} +- {row['deviation']:.1f}" for row in rows
                 if (row["set"], row["by"]) == (name, by)}
        print(f"| {name}{', ROC AUC' if name in AUC else ''}, {by} | " +
              " | ".join(cells.get(model, "") for model in models) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=graph_data.measures.default_data())
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=0, help="at most; 0 = what is customary for the set")
    parser.add_argument("--random-splits", action="store_true", help="of all sets")
    parser.add_argument("--patience", type=int, default=100)
    parser.add_argument("--hidden", type=int, default=0, help="0 = what is customary for the set")
    parser.add_argument("--layers", type=int, default=0)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--gnn-sample", metavar="PROGRAM", help="the program to measure beside PyG")
    parser.add_argument("--configs", metavar="FOLDER", help="settings for cora and citeseer")
    parser.add_argument("--no-pyg", action="store_true")
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    for name in args.sets.split(","):
        if not os.path.isdir(os.path.join(args.data, "graph", name)):
            print(f"{name}: not in {args.data}/graph, left out", file=sys.stderr)
            continue
        if args.gnn_sample:
            rows += run_ours(args, name)
        if not args.no_pyg:
            rows += run_pyg(args, name)
    print_table(rows, args.models.split(","))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
