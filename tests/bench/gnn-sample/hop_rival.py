#!/usr/bin/env python3
"""HOGA (Deng et al., DAC 2024) in PyTorch on the hops of a graph file; prints one JSON object.

    hop_rival.py GRAPH MODEL [--epochs 30] [--batch 512] [--rate 0.002] [--input-dropout 0] [--seed 1] [--bf16]
    hop_rival.py GRAPH MODEL --predictions PREDICTIONS

MODEL is of `gnn-sample train --architecture hoga --propagation symmetric` with one dense layer and without --norm. The rival
has its sizes, its number of hops and the scaling of their columns. It trains new parameters by Adam with a cosine schedule and
dropout 0.5, on one thread, and computes the validation nodes after every epoch. The epoch of the highest accuracy counts, among
equal ones that of the lowest loss; its parameters compute the test nodes once, at the end. --bf16: products by autocast. With
--predictions, nothing is trained: prints the largest difference of the probabilities that MODEL's parameters give to those that
`gnn-sample predict --probabilities` wrote. Sparse features become dense, and their hops keep all numbers, where gnn-sample keeps
256 of each row. Files are not compressed. Needs PyTorch and SciPy.
"""
import argparse
import contextlib
import copy
import json
import math

import graph_data
import numpy as np
import scipy.sparse
import torch
from torch import nn
from torch.nn import functional


def hops_of(tensors, count, mean, factor):
    """[nodes, hops, features] with GCN's matrix, which has self-loops, each column scaled."""
    offsets, neighbors = (tensors[name].astype(np.int64) for name in ("offsets", "neighbors"))
    nodes = len(offsets) - 1
    edges = scipy.sparse.csr_matrix((np.ones(len(neighbors), np.float32), neighbors, offsets), (nodes, nodes))
    edges.setdiag(1)
    scale = scipy.sparse.diags(1 / np.sqrt(np.asarray(edges.sum(1)).ravel()))
    matrix = (scale @ edges @ scale).tocsr().astype(np.float32)
    rows = [np.asarray(tensors["features"], np.float32)]
    while len(rows) < count:
        rows.append(matrix @ rows[-1])
    return torch.from_numpy((np.concatenate(rows, 1) - mean) * factor).view(nodes, count, -1)


class Hoga(nn.Module):
    def __init__(self, model):
        super().__init__()
        width, features = model["convs.0.lin.weight"].shape
        _, self.heads, _ = model["convs.0.att"].shape
        self.lin = nn.Linear(features, width, bias=False)
        self.hop_bias = nn.Parameter(torch.empty(model["convs.0.hop_bias"].shape).uniform_(-1, 1) / math.sqrt(features))
        self.in_proj = nn.Linear(width, 4 * width, bias=False)
        self.norm = nn.LayerNorm(width)
        self.att = nn.Linear(width, 1, bias=False)
        self.last = nn.Linear(width, len(model["lins.0.bias"]))

    def forward(self, x):
        h = self.lin(x) + self.hop_bias.T
        gates, *others = self.in_proj(h).chunk(4, -1)
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in others)
        mixed = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        z = functional.dropout(self.norm(gates * mixed).relu(), 0.5, self.training)
        weights = self.att(z[:, 1:]).softmax(1)
        return self.last(z[:, 0] + (weights * z[:, 1:]).sum(1))

    def load(self, model):
        state = {name.removeprefix("convs.0.").replace("lins.0", "last"): torch.from_numpy(np.array(tensor))
                 for name, tensor in model.items() if not name.startswith("hops.")}
        state["att.weight"] = state.pop("att").reshape(1, -1)
        self.load_state_dict(state)


def outputs(network, x):
    network.eval()
    with torch.no_grad():
        return torch.cat([network(rows) for rows in x.split(4096)])


def score(network, x, labels):
    """Accuracy, and the negative loss."""
    found = outputs(network, x)
    return float((found.argmax(1) == labels).float().mean()), -float(functional.cross_entropy(found.float(), labels))


def train(args, network, x, labels, parts):
    valid, test = ((x[part], labels[part]) for part in parts[1:])
    optimizer = torch.optim.Adam(network.parameters(), args.rate)
    steps = args.epochs * math.ceil(len(parts[0]) / args.batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    precision = torch.autocast("cpu", torch.bfloat16) if args.bf16 else contextlib.nullcontext()
    best, kept = (-1, 0), None
    for _ in range(args.epochs):
        network.train()
        for rows in parts[0][torch.randperm(len(parts[0]))].split(args.batch):
            with precision:
                loss = functional.cross_entropy(network(functional.dropout(x[rows], args.input_dropout)), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with precision:
            reached = score(network, *valid)
        if reached > best:
            best, kept = reached, copy.deepcopy(network.state_dict())
    network.load_state_dict(kept)
    with precision:
        return {"validation_accuracy": best[0], "test_accuracy": score(network, *test)[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("model")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--input-dropout", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--predictions")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    tensors, model = (graph_data.read_graph(path)[0] for path in (args.graph, args.model))
    x = hops_of(tensors, model["convs.0.hop_bias"].shape[1], model["hops.mean"], model["hops.factor"])
    network = Hoga(model)
    if args.predictions:
        network.load(model)
        wanted = graph_data.read_graph(args.predictions)[0]
        own = outputs(network, x).softmax(1).numpy()[wanted["nodes"]]
        print(json.dumps({"largest_difference": float(np.abs(own - wanted["probabilities"]).max())}))
        return
    split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, 0]
    parts = [torch.from_numpy(np.flatnonzero((split == part) & (tensors["labels"] >= 0)))
             for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
    print(json.dumps(train(args, network, x, torch.from_numpy(np.array(tensors["labels"])).long(), parts)))


if __name__ == "__main__":
    main()
