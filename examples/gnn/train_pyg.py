#!/usr/bin/env python3
"""Trains PyTorch Geometric's SAGEConv on the mini-batches of gnn-sample (pip install torch torch_geometric numpy).

    python3 train_pyg.py GRAPH [--fanouts 10,5] [--epochs 5]

A mini-batch is what NeighborLoader gives: one edge_index, nodes in the order of their hops, seeds first; layers
leave out what is too far away to matter (trim_to_layer).
"""
import torch
import train_pytorch
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import trim_to_layer


class Sage(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = torch.nn.ModuleList(map(SAGEConv, sizes, sizes[1:]))

    def forward(self, batch):
        rows, edges = batch.x, batch.edge_index
        for i, layer in enumerate(self.layers):
            rows, edges, _ = trim_to_layer(i, batch.num_sampled_nodes, batch.num_sampled_edges, rows, edges)
            rows = layer(rows, edges)
            if layer is not self.layers[-1]:
                rows = torch.nn.functional.dropout(rows.relu(), 0.5, self.training)
        return rows[:batch.batch_size]


if __name__ == "__main__":
    train_pytorch.train("pyg", Sage, lambda batch: batch.y)
