#!/usr/bin/env python3
"""Trains PyTorch Geometric's SAGEConv on the mini-batches of gnn-sample (pip install torch torch_geometric numpy scipy).

    gnn-sample sample GRAPH --semantics frontier --layout coo --seeds test --fanouts 20,20 --level none -o test.batches
    gnn-sample sample GRAPH --semantics frontier --layout coo --fanouts 10,5 --epochs 10 -o - |
        python3 train_pyg.py --classes 12 --test test.batches

A mini-batch is what NeighborLoader gives: one edge_index, nodes in the order of their hops, seeds first; layers
leave out what is too far away to matter (trim_to_layer).
"""
import numpy as np
import torch
import train_pytorch
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import trim_to_layer


class Sage(torch.nn.Module):
    def __init__(self, features, hidden, classes, layers):
        super().__init__()
        sizes = [features] + [hidden] * (layers - 1) + [classes]
        self.layers = torch.nn.ModuleList(map(SAGEConv, sizes, sizes[1:]))

    def forward(self, metadata, arrays):
        known = [int(n) for n in metadata["batch.nodes"].split(",")]  # before the first hop, behind it, ...
        edges = arrays[f"hop.{len(known) - 2}.edge_index"]  # of the last hop, which begins with those before it
        # Edges come by target, so those of a hop are those into the nodes that the hop before it found.
        bounds = np.searchsorted(edges[1], known[:-1])
        nodes_of_hops = np.diff(known, prepend=0).tolist()
        edges_of_hops = np.diff(bounds, prepend=0).tolist()
        rows, edges = train_pytorch.features_of(arrays), torch.from_numpy(edges).long()
        for i, layer in enumerate(self.layers):
            rows, edges, _ = trim_to_layer(i, nodes_of_hops, edges_of_hops, rows, edges)
            rows = layer(rows, edges)
            if layer is not self.layers[-1]:
                rows = torch.nn.functional.dropout(rows.relu(), 0.5, self.training)
        return rows[:known[0]]


if __name__ == "__main__":
    train_pytorch.main(Sage)
