#!/usr/bin/env python3
"""Accuracy of the models of gnn-sample and of PyTorch Geometric on whole graphs.

    accuracy.py [--gnn-sample PROGRAM] [--configs FOLDER] [--no-pyg] [--data FOLDER] [--sets NAME,...]
                [--models gcn,sage,gat,gin] [--seeds 5] [--epochs N] [--hidden 64] [--layers 2] [--json FILE]

Needs PyTorch, PyTorch Geometric and scikit-learn in this interpreter: `pip install torch torch_geometric
scikit-learn` (2.15.0, 2.8.1 and 1.9.1 when this was written). FOLDER/graph/NAME holds the sets of this
project's data folder; those that are missing are left out. Models are PyTorch Geometric's own (nn.GCN,
GraphSAGE, GAT with 8 heads; GINConv around two linear layers) trained with Adam on whole graphs, each edge in both directions; of all
epochs the one with the best validation result counts, of equal ones that with the lowest loss (and a run ends
--patience epochs after it). Splits are the sets' own, one a seed where there are
several; where there are none, 20 nodes a class train and 30 validate, drawn anew for each seed (Shchur et al.
2018). Features are as they come, but of cora and citeseer those of each node add up to 1 (on Amazon Photo that
costs GCN 7 %). The result of tolokers is the ROC AUC. gnn-sample trains the same
networks with the same settings on the same splits, with fanouts of -1; sage-ri is its alone.
--configs: of cora and citeseer it takes the settings of FOLDER/cora-MODEL.yaml instead, where there are such. Mean and standard
deviation over seeds, in %.
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
NORMALIZED = {"cora", "citeseer"}
WHOLE = {"cora": 200, "citeseer": 200}  # epochs, where they are customary


class Settings:
    """Learning rate, weight decay, dropout, hidden size and layers of a model on a set."""
    def __init__(self, name, model, args):
        small = name in ("cora", "citeseer")
        self.rate, self.decay = 0.01, 5e-4
        self.dropout = 0.5
        self.hidden = args.hidden or (16 if small and model == "gcn" else 64)
        self.layers = args.layers or 2
        self.heads = 8
        if small and model == "gat":
            self.rate, self.dropout = 0.005, 0.6
        if name in ("tolokers", "debian-deps"):
            self.decay, self.dropout = 0, 0.2
            self.layers, self.hidden = args.layers or 3, args.hidden or 128


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


def build(model, dim, classes, settings):
    from torch_geometric import nn
    common = {"dropout": settings.dropout}
    if model == "gat":
        return nn.GAT(dim, settings.hidden, settings.layers, classes, heads=settings.heads, **common)
    if model == "gin":
        return build_gin(dim, classes, settings)
    kind = nn.GCN if model == "gcn" else nn.GraphSAGE
    return kind(dim, settings.hidden, settings.layers, classes, **common)


def score(outputs, labels, mask, auc):
    if auc:
        from sklearn.metrics import roc_auc_score
        return roc_auc_score(labels[mask], (outputs[mask, 1] - outputs[mask, 0]))
    return (outputs[mask].argmax(1) == labels[mask]).float().mean().item()


def train(torch, model, data, split, settings, epochs, patience, auc):
    """Test result at the epoch of the best validation result, the epochs run, and their seconds of training."""
    features, edges, labels = data
    parts = [split == part for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate, weight_decay=settings.decay)
    best, at, result, seconds = None, 0, 0, 0
    for epoch in range(epochs):
        begin = time.perf_counter()
        model.train()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(features, edges)[parts[0]], labels[parts[0]]).backward()
        optimizer.step()
        seconds += time.perf_counter() - begin
        model.eval()
        with torch.no_grad():
            outputs = model(features, edges)
            loss = torch.nn.functional.cross_entropy(outputs[parts[1]], labels[parts[1]]).item()
        valid = (score(outputs, labels, parts[1], auc), -loss)
        if best is None or valid > best:
            best, at, result = valid, epoch, score(outputs, labels, parts[2], auc)
        if patience and epoch - at >= patience:
            break
    return result, epoch + 1, seconds


def load(torch, folder, name):
    """(features, edges, labels) as tensors, the edges sorted by target, and the set's splits."""
    tensors = graph_data.read_set(folder)
    if name in NORMALIZED:
        tensors["features"] = graph_data.normalized(tensors["features"])
    targets = np.repeat(np.arange(len(tensors["labels"])), np.diff(tensors["offsets"].astype(np.int64)))
    edges = np.stack([tensors["neighbors"].astype(np.int64), targets])
    return (torch.from_numpy(tensors["features"]), torch.from_numpy(edges),
            torch.from_numpy(tensors["labels"]).long()), tensors


def ours(args, name, model, graph, seed, splits):
    """What gnn-sample reaches on the test nodes, and its epochs and seconds."""
    config = os.path.join(args.configs or "", f"cora-{model}.yaml")
    if args.configs and name in WHOLE and os.path.exists(config):
        return run_train([args.gnn_sample, "train", graph, "--config", config, "--seed", str(seed),
                          "--threads", str(args.threads)], graph, name)
    s = Settings(name, model, args)
    gat = model == "gat"
    command = [args.gnn_sample, "train", graph, "--model", model, "--fanouts", ",".join(["-1"] * s.layers),
               "--hidden", str(s.hidden // s.heads if gat else s.hidden), "--learning-rate", str(s.rate),
               "--weight-decay", str(s.decay), "--dropout", str(s.dropout), "--batch-size", "1000000",
               "--epochs", str(args.epochs or WHOLE.get(name, 500)), "--patience", str(args.patience),
               "--split", str(seed % splits), "--seed", str(seed), "--threads", str(args.threads),
               "--select", "auc" if name in AUC else "accuracy"]
    if gat:
        command += ["--heads", "8", "--output-heads", "8", "--attention-dropout", str(s.dropout), "--activation", "relu"]
    if model in ("gin", "sage-ri"):
        command += ["--batch-norm"]
    return run_train(command, graph, name)


def run_train(command, graph, name):
    command = [*command, "-o", graph + ".model", "--json", "--quiet"]
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result["test_auc" if name in AUC else "test_accuracy"], result["epochs"], result["fit_seconds"]


def run_ours(args, name):
    folder = os.path.join(args.data, "graph", name)
    with tempfile.TemporaryDirectory() as scratch:
        graph = os.path.join(scratch, "graph.safetensors")
        tensors = graph_data.read_set(folder)
        tensors["split"] = graph_data.splits_of(tensors, args.seeds)
        if name in NORMALIZED:
            tensors["features"] = graph_data.normalized(tensors["features"])
        graph_data.write_graph(graph, *graph_data.sparse_features(tensors, graph_data.metadata_of(tensors)))
        rows = []
        for model in args.models.split(","):
            runs = [ours(args, name, model, graph, seed, tensors["split"].shape[1]) for seed in range(args.seeds)]
            results = [100 * run[0] for run in runs]
            rows.append({"set": name, "model": model, "by": "gnn-sample", "mean": statistics.mean(results),
                         "deviation": statistics.stdev(results) if len(results) > 1 else 0, "results": results,
                         "epoch_seconds": sum(run[2] for run in runs) / sum(run[1] for run in runs)})
            print(f"{name}: {model}: {rows[-1]}", file=sys.stderr)
    return rows


def run_pyg(args, name):
    import torch
    torch.set_num_threads(args.threads)
    data, tensors = load(torch, os.path.join(args.data, "graph", name), name)
    splits = torch.from_numpy(graph_data.splits_of(tensors, args.seeds))
    rows = []
    for model in args.models.split(","):
        if model == "sage-ri":
            continue
        settings = Settings(name, model, args)
        results, epochs, seconds = [], 0, 0
        for seed in range(args.seeds):
            torch.manual_seed(seed)
            network = build(model, data[0].shape[1], int(data[2].max()) + 1, settings)
            result, ran, took = train(torch, network, data, splits[:, seed % splits.shape[1]], settings,
                                args.epochs or WHOLE.get(name, 500), args.patience, name in AUC)
            results.append(100 * result)
            epochs += ran
            seconds += took
        rows.append({"set": name, "model": model, "by": "PyG", "mean": statistics.mean(results),
                     "deviation": statistics.stdev(results) if len(results) > 1 else 0, "results": results,
                     "epoch_seconds": seconds / epochs})
        print(f"{name}: {model}: {rows[-1]}", file=sys.stderr)
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
    parser.add_argument("--epochs", type=int, default=0, help="at most; 0 = 200 for cora and citeseer, else 500")
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
