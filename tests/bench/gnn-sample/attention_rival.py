#!/usr/bin/env python3
"""GAT or GATv2 of PyTorch Geometric on a graph file, on the whole graph at once; prints one JSON object.

    attention_rival.py GRAPH --architecture gat|gatv2 [--epochs 50] [--seed 1]
    attention_rival.py GRAPH --architecture gat|gatv2 --model MODEL --predictions PREDICTIONS

GATConv or GATv2Conv in two layers: 4 heads of 32 units, batch norm, ELU and dropout 0.5, then one head. Adam, learning rate
0.01. The epoch with the best validation counts, every fifth is validated. One thread. With --model, nothing is trained: prints
the largest difference of its probabilities to those that `gnn-sample predict --probabilities` wrote. MODEL is of `train
--hidden 32 --heads 4 --norm batch --fanouts=-1,-1`. Files are not compressed. Needs PyTorch Geometric.
"""
import argparse
import json
import warnings

import graph_data
import numpy as np

HEADS, HIDDEN = 4, 32


class Rival:
    def __init__(self, torch, args, tensors):
        from torch_geometric import nn
        self.torch = torch
        torch.manual_seed(args.seed)
        offsets = tensors["offsets"].astype(np.int64)
        self.x, self.labels = (torch.from_numpy(np.array(tensors[name])) for name in ("features", "labels"))
        split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, 0]
        self.parts = [torch.from_numpy(np.flatnonzero((split == part) & (tensors["labels"] >= 0)))
                      for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
        targets = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        self.edges = torch.from_numpy(np.stack([tensors["neighbors"].astype(np.int64), targets]))
        kind = {"gat": nn.GATConv, "gatv2": nn.GATv2Conv}[args.architecture]
        outputs = int(tensors["labels"].max()) + 1
        self.layers = torch.nn.ModuleList([kind(self.x.shape[1], HIDDEN, heads=HEADS), torch.nn.BatchNorm1d(HEADS * HIDDEN),
                                           kind(HEADS * HIDDEN, outputs)])
        self.adam = torch.optim.Adam(self.layers.parameters(), 0.01)

    def forward(self, training):
        first, norm, last = self.layers
        self.layers.train(training)
        x = self.torch.nn.functional.elu(norm(first(self.x, self.edges)))
        return last(self.torch.nn.functional.dropout(x, 0.5, training), self.edges)

    def step(self):
        train = self.parts[0]
        loss = self.torch.nn.functional.cross_entropy(self.forward(True)[train], self.labels[train].long())
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()

    def figures(self):
        """Of validation and test."""
        with self.torch.no_grad():
            right = self.forward(False).argmax(1) == self.labels
        return tuple(float(right[part].float().mean()) for part in self.parts[1:])

    def difference(self, model, predictions):
        places = {"convs.0.": "0.", "bns.0.": "1.", "convs.1.": "2."}
        state = {}
        for name, tensor in model.items():
            for own, other in places.items():
                if name.startswith(own):
                    state[other + name.removeprefix(own)] = self.torch.from_numpy(np.array(tensor))
        missing, unexpected = self.layers.load_state_dict(state, strict=False)
        assert not unexpected and missing in ([], ["1.num_batches_tracked"]), (missing, unexpected)
        with self.torch.no_grad():
            probabilities = self.forward(False).softmax(1).numpy()
        return float(np.abs(probabilities[predictions["nodes"]] - predictions["probabilities"]).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--architecture", required=True, choices=["gat", "gatv2"])
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model")
    parser.add_argument("--predictions")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch
    torch.set_num_threads(1)
    rival = Rival(torch, args, graph_data.read_graph(args.graph)[0])
    if args.model:
        model, predictions = (graph_data.read_graph(path)[0] for path in (args.model, args.predictions))
        print(json.dumps({"largest_difference": rival.difference(model, predictions)}))
        return
    best = (-1, 0)
    for epoch in range(args.epochs):
        rival.step()
        if epoch % 5 == 4:
            best = max(best, rival.figures())
    print(json.dumps({"validation_accuracy": best[0], "test_accuracy": best[1]}))


if __name__ == "__main__":
    main()
