#!/usr/bin/env python3
"""Trains GraphSAGE in plain PyTorch on the mini-batches of gnn-sample (pip install torch numpy scipy).

    gnn-sample sample GRAPH --seeds test --fanouts 20,20 --level none -o test.batches
    gnn-sample sample GRAPH --fanouts 10,5 --epochs 10 -o - |
        python3 train_pytorch.py --classes 12 --test test.batches

Any fanouts will do, a layer each. Prints the loss of each epoch and the accuracy on the mini-batches of --test.
"""
import argparse
import sys
import time

import torch
from minibatches import minibatches


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

    def __init__(self, features, hidden, classes, layers):
        super().__init__()
        sizes = [features] + [hidden] * (layers - 1) + [classes]
        self.layers = torch.nn.ModuleList(map(SageLayer, sizes, sizes[1:]))

    def forward(self, metadata, arrays):
        rows = features_of(arrays)
        for i, layer in enumerate(self.layers):
            hop = f"hop.{len(self.layers) - 1 - i}."
            rows = layer(rows, *(torch.from_numpy(arrays[hop + name]) for name in ("offsets", "neighbors")))
            if layer is not self.layers[-1]:
                rows = torch.nn.functional.dropout(rows.relu(), 0.5, self.training)
        return rows


def features_of(arrays):
    features = arrays["features"]
    if hasattr(features, "toarray"):  # sparse
        return torch.from_numpy(features.toarray())
    if features.dtype == "u2":  # the bits of bfloat16
        return torch.from_numpy(features.view("i2")).view(torch.bfloat16).float()
    return torch.from_numpy(features).float()


def labels_of(arrays):
    """Classes of the seeds; -1 is none."""
    return torch.from_numpy(arrays["labels"]).long()


def loss_of(scores, labels):
    """The mean over seeds that have a class."""
    known = labels >= 0
    return torch.nn.functional.cross_entropy(scores, labels, ignore_index=-1, reduction="sum") / known.sum().clamp(min=1)


def accuracy(model, path):
    model.eval()
    right = total = 0
    with torch.no_grad(), open(path, "rb", buffering=0) as stream:
        for metadata, arrays in minibatches(stream):
            labels = labels_of(arrays)
            right += (model(metadata, arrays).argmax(1) == labels).sum().item()
            total += (labels >= 0).sum().item()
    return right / total


def train(make_model, stream, arguments):
    """Trains make_model(features, hidden, classes, layers) on the stream."""
    model = optimizer = epoch = None
    losses, waited, began = [], 0, time.perf_counter()
    before = began

    def say():
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}", flush=True)
        losses.clear()

    for metadata, arrays in minibatches(stream):
        waited += time.perf_counter() - before
        if model is None:
            layers = metadata["batch.nodes"].count(",")
            model = make_model(arrays["features"].shape[1], arguments.hidden, arguments.classes, layers)
            optimizer = torch.optim.Adam(model.parameters(), arguments.learning_rate)
        if losses and metadata["batch.epoch"] != epoch:
            say()
        epoch = metadata["batch.epoch"]
        model.train()
        loss = loss_of(model(metadata, arrays), labels_of(arrays))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        before = time.perf_counter()
    say()
    seconds = time.perf_counter() - began
    print(f"trained in {seconds:.1f} s, of which {100 * waited / seconds:.0f} % waiting for mini-batches")
    return model


def main(make_model=Sage):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, required=True)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--test", metavar="FILE", help="mini-batches to test with")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model = train(make_model, open(sys.stdin.fileno(), "rb", buffering=0), arguments)
    if arguments.test:
        print(f"test accuracy {accuracy(model, arguments.test):.4f}")


if __name__ == "__main__":
    main()
