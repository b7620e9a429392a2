#!/usr/bin/env python3
"""GraphSAGE of PyTorch Geometric on a graph file without features, on the whole graph at once; prints one JSON object.

    featureless_rival.py GRAPH --way pyg-embedding|pyg-degree [--task nodes|links] [--epochs 100] [--seed 1]
                         [--metric accuracy|auc]

pyg-embedding: a trained row of 64 numbers for each node (torch.nn.Embedding). pyg-degree: its number of edges, one-hot,
up to 1,000. Two SAGEConv layers of 256 units with batch norm, ReLU and dropout 0.5; Adam, learning rate 0.01 for nodes,
0.003 for links. The epoch with the best validation counts. links: a tenth of the edges is held out, half of it to validate
with; each step has as many random pairs as edges. A held-out edge is ranked among 100 random nodes. One thread. Needs
PyTorch Geometric.
"""
import argparse
import json
import warnings

import graph_data
import numpy as np

SIZE, HIDDEN, OUT, NEGATIVES, MOST_DEGREE = 64, 256, 64, 100, 1000


def auc(scores, labels):
    order = np.argsort(np.argsort(scores, kind="stable")) + 1
    positives = labels.sum()
    return (order[labels == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(labels) - positives))


class Rival:
    def __init__(self, torch, args, tensors):
        from torch_geometric.nn import SAGEConv
        self.torch, self.args = torch, args
        torch.manual_seed(args.seed)
        nodes = len(tensors["offsets"]) - 1
        targets = np.repeat(np.arange(nodes), np.diff(tensors["offsets"].astype(np.int64)))
        self.edges = torch.from_numpy(np.stack([tensors["neighbors"].astype(np.int64), targets]))
        self.nodes, self.labels = nodes, torch.from_numpy(tensors["labels"].astype(np.int64))
        split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, 0]
        self.parts = [torch.from_numpy(np.flatnonzero((split == part) & (tensors["labels"] >= 0)))
                      for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
        if args.task == "links":
            self.hold_out()
        outputs = OUT if args.task == "links" else int(self.labels.max()) + 1
        self.embedding = torch.nn.Embedding(nodes, SIZE) if args.way == "pyg-embedding" else None
        if self.embedding is None:
            degrees = torch.bincount(self.edges[1], minlength=nodes).clamp(max=MOST_DEGREE)
            self.inputs = torch.nn.functional.one_hot(degrees).float()
        width = SIZE if self.embedding is not None else self.inputs.shape[1]
        self.layers = torch.nn.ModuleList([SAGEConv(width, HIDDEN), torch.nn.BatchNorm1d(HIDDEN),
                                           SAGEConv(HIDDEN, outputs)])
        parameters = list(self.layers.parameters())
        if self.embedding is not None:
            parameters += list(self.embedding.parameters())
        self.adam = torch.optim.Adam(parameters, 0.01 if args.task == "nodes" else 0.003)

    def hold_out(self):
        torch = self.torch
        once = self.edges[:, self.edges[0] < self.edges[1]]
        once = once[:, torch.randperm(once.shape[1])]
        held = once.shape[1] // 20
        self.held = [once[:, :held], once[:, held:2 * held]]
        self.links = once[:, 2 * held:]
        self.edges = torch.cat([self.links, self.links.flip(0)], 1)
        self.others = [torch.randint(self.nodes, (links.shape[1], NEGATIVES)) for links in self.held]

    def forward(self, training):
        first, norm, last = self.layers
        self.layers.train(training)
        x = first(self.inputs if self.embedding is None else self.embedding.weight, self.edges)
        x = self.torch.nn.functional.dropout(norm(x).relu(), 0.5, training)
        return last(x, self.edges)

    def step(self):
        functional = self.torch.nn.functional
        out = self.forward(True)
        if self.args.task == "nodes":
            loss = functional.cross_entropy(out[self.parts[0]], self.labels[self.parts[0]])
        else:
            sources, targets = self.links
            random = self.torch.randint(self.nodes, targets.shape)
            scores = self.torch.cat([(out[sources] * out[targets]).sum(1), (out[sources] * out[random]).sum(1)])
            wanted = self.torch.cat([self.torch.ones(len(sources)), self.torch.zeros(len(sources))])
            loss = functional.binary_cross_entropy_with_logits(scores, wanted)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()

    def figures(self):
        """Of validation and test."""
        with self.torch.no_grad():
            out = self.forward(False)
            return [self.figure(out, part) for part in (0, 1)]

    def figure(self, out, part):
        if self.args.task == "links":
            sources, targets = self.held[part]
            score = (out[sources] * out[targets]).sum(1, keepdim=True)
            others = self.torch.einsum("ld,lnd->ln", out[sources], out[self.others[part]])
            ranks = 1 + (others > score).sum(1) + 0.5 * (others == score).sum(1)
            return float((1 / ranks).mean())
        nodes = self.parts[1 + part]
        if self.args.metric == "auc":
            return float(auc((out[nodes, 1] - out[nodes, 0]).numpy(), self.labels[nodes].numpy()))
        return float((out[nodes].argmax(1) == self.labels[nodes]).float().mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--way", required=True, choices=["pyg-embedding", "pyg-degree"])
    parser.add_argument("--task", default="nodes", choices=["nodes", "links"])
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--metric", default="accuracy")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch
    torch.set_num_threads(1)
    tensors, _ = graph_data.read_graph(args.graph)
    rival = Rival(torch, args, tensors)
    best = (-1, 0)
    for epoch in range(args.epochs):
        rival.step()
        if epoch % 5 == 4:
            best = max(best, tuple(rival.figures()))
    metric = "mrr" if args.task == "links" else args.metric
    print(json.dumps({"validation_" + metric: best[0], "test_" + metric: best[1]}))


if __name__ == "__main__":
    main()
