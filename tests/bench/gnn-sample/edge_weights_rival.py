#!/usr/bin/env python3
"""GCN or GraphSAGE of PyTorch Geometric on a graph file, on the whole graph at once; prints one JSON object.

    edge_weights_rival.py GRAPH --architecture gcn|sage [--edge-weights] [--epochs 50] [--seed 1]
    edge_weights_rival.py GRAPH --architecture gcn|sage [--edge-weights] --model MODEL --predictions PREDICTIONS

Two layers with 128 units, batch norm, ReLU and dropout 0.5; Adam, learning rate 0.01. gcn: GCNConv, with edge_weight or without. sage:
SAGEConv; with weights GraphConv, which adds up neighbours, with the weights of a node's edges divided by their sum. Edges
are a sparse matrix (adj_t), which is several times as fast as edge_index; GCNConv normalises it once. The epoch with the
best validation counts, every fifth is validated. One thread. With --model, nothing is trained: prints the
largest difference of its probabilities to those that `gnn-sample predict --probabilities` wrote. MODEL is of `train
--hidden 128 --norm batch --fanouts=-1,-1`. Files are not compressed. Needs PyTorch Geometric.
"""
import argparse
import json
import warnings

import graph_data
import numpy as np

HIDDEN = 128


class Rival:
    def __init__(self, torch, args, tensors):
        from torch_geometric.nn import GCNConv, GraphConv, SAGEConv
        self.torch = torch
        torch.manual_seed(args.seed)
        nodes = len(tensors["offsets"]) - 1
        offsets = tensors["offsets"].astype(np.int64)
        self.x, self.labels = (torch.from_numpy(np.array(tensors[name])) for name in ("features", "labels"))
        split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, 0]
        self.parts = [torch.from_numpy(np.flatnonzero((split == part) & (tensors["labels"] >= 0)))
                      for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
        kind, given = (GCNConv, {"cached": True}) if args.architecture == "gcn" else (SAGEConv, {})
        values = np.array(tensors["weights"]) if args.edge_weights else np.ones(len(tensors["neighbors"]), np.float32)
        if args.edge_weights and kind is SAGEConv:
            kind = GraphConv
            targets = np.repeat(np.arange(nodes), np.diff(offsets))
            sums = np.bincount(targets, values, minlength=nodes)
            values = (values / np.where(sums > 0, sums, 1)[targets]).astype(np.float32)
        neighbors = torch.from_numpy(tensors["neighbors"].astype(np.int64))
        self.adjacency = torch.sparse_csr_tensor(torch.from_numpy(offsets), neighbors, torch.from_numpy(values), (nodes, nodes))
        outputs = int(tensors["labels"].max()) + 1
        self.layers = torch.nn.ModuleList([kind(self.x.shape[1], HIDDEN, **given), torch.nn.BatchNorm1d(HIDDEN),
                                           kind(HIDDEN, outputs, **given)])
        self.adam = torch.optim.Adam(self.layers.parameters(), 0.01)

    def forward(self, training):
        first, norm, last = self.layers
        self.layers.train(training)
        x = norm(first(self.x, self.adjacency)).relu()
        return last(self.torch.nn.functional.dropout(x, 0.5, training), self.adjacency)

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
        state = {}
        for name, tensor in model.items():
            layer, _, rest = name.removeprefix("convs.").removeprefix("bns.").partition(".")
            rest = rest.replace("lin_l", "lin_rel").replace("lin_r.", "lin_root.") if self.is_graph_conv() else rest
            place = 1 if name.startswith("bns.") else 2 * int(layer)
            state[f"{place}.{rest}"] = self.torch.from_numpy(np.array(tensor))
        missing, unexpected = self.layers.load_state_dict(state, strict=False)
        assert not unexpected and missing in ([], ["1.num_batches_tracked"]), (missing, unexpected)
        with self.torch.no_grad():
            probabilities = self.forward(False).softmax(1).numpy()
        return float(np.abs(probabilities[predictions["nodes"]] - predictions["probabilities"]).max())

    def is_graph_conv(self):
        return type(self.layers[0]).__name__ == "GraphConv"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--architecture", required=True, choices=["gcn", "sage"])
    parser.add_argument("--edge-weights", action="store_true")
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model")
    parser.add_argument("--predictions")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch
    torch.set_num_threads(1)
    tensors, _ = graph_data.read_graph(args.graph)
    rival = Rival(torch, args, tensors)
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
