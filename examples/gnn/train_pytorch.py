#!/usr/bin/env python3
"""Trains GraphSAGE in plain PyTorch on the mini-batches of gnn-sample (pip install torch numpy).

    python3 train_pytorch.py GRAPH [--fanouts 10,5] [--epochs 5]

Any fanouts will do, a layer each. Prints the loss and the accuracy on validation nodes of each epoch, and the accuracy on
test nodes. Seeds without a class (-1) do not count.
"""
import argparse
import time

import torch
from frugal_loader import Loader


class SageLayer(torch.nn.Module):
    """Linear in a node's own row and the mean of its neighbours' (Hamilton et al., NIPS 2017, algorithm 1)."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.own = torch.nn.Linear(inputs, outputs)
        self.mean = torch.nn.Linear(inputs, outputs, bias=False)

    def forward(self, rows, offsets, neighbors):
        degrees = offsets.diff()
        targets = torch.repeat_interleave(torch.arange(len(degrees)), degrees)
        sums = rows.new_zeros(len(degrees), rows.shape[1]).index_add(0, targets, rows.index_select(0, neighbors))
        return self.own(rows[:len(degrees)]) + self.mean(sums / degrees.clamp(min=1).unsqueeze(1))


class Sage(torch.nn.Module):
    """A layer a hop; the first reads the farthest hop, whose targets are all nodes known before it."""

    def __init__(self, sizes):
        super().__init__()
        self.layers = torch.nn.ModuleList(map(SageLayer, sizes, sizes[1:]))

    def forward(self, batch):
        rows = batch["features"]
        for i, layer in enumerate(self.layers):
            hop = f"hop.{len(self.layers) - 1 - i}."
            rows = layer(rows, batch[hop + "offsets"], batch[hop + "neighbors"])
            if layer is not self.layers[-1]:
                rows = torch.nn.functional.dropout(rows.relu(), 0.5, self.training)
        return rows


def accuracy(model, loader, labels_of):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for batch in loader:
            labels = labels_of(batch)
            right += (model(batch).argmax(1) == labels).sum().item()
            total += (labels >= 0).sum().item()
    return right / total


def train(form, make_model, labels_of):
    """Trains make_model(sizes of the layers) on mini-batches of the form."""
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("--fanouts", default="10,5")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    fanouts = [int(fanout) for fanout in arguments.fanouts.split(",")]
    loaders = [Loader(arguments.graph, form, fanouts=fanouts, seeds=seeds, shuffle=seeds == "train", dense_features=True, seed=1)
               for seeds in ("train", "valid", "test")]
    with Loader(arguments.graph, fanouts=[1], batch_size=1, dense_features=True) as loader:
        first = next(iter(loader))
        sizes = [first["features"].shape[1], *[arguments.hidden] * (len(fanouts) - 1), int(first.metadata["graph.classes"])]
    model = make_model(sizes)
    optimizer = torch.optim.Adam(model.parameters(), arguments.learning_rate)
    for epoch in range(arguments.epochs):
        model.train()
        losses, waited, began = 0, 0, time.perf_counter()
        before = began
        for batch in loaders[0]:
            waited += time.perf_counter() - before
            loss = torch.nn.functional.cross_entropy(model(batch), labels_of(batch), ignore_index=-1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses += loss.item()
            before = time.perf_counter()
        seconds = before - began
        print(f"epoch {epoch}: loss {losses / len(loaders[0]):.4f}, {seconds:.2f} s, {100 * waited / seconds:.0f} % waiting, "
              f"validation accuracy {accuracy(model, loaders[1], labels_of):.4f}", flush=True)
    print(f"test accuracy {accuracy(model, loaders[2], labels_of):.4f}")


if __name__ == "__main__":
    train("torch", Sage, lambda batch: batch["labels"].long())
