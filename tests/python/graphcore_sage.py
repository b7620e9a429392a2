#!/usr/bin/env python3
"""The mathematics of a GraphSAGE network of mean layers (SAGEConv, as in graphcore/examples), written anew, on the weights
and padded mini-batches of `gnn-sample export --ipu`: its outputs are those of `gnn-sample predict`, and padding changes
nothing.

    graphcore_sage.py EXPORT PREDICTIONS GRAPH    PREDICTIONS of predict --probabilities, or of a model of links
"""
import sys

import graphcore_file
import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file


def described(layers, batch):
    """The axes and ids of graphcore_file."""
    axes = {"nodes_mask": [("x", 0), ("n_id", 0)], "batch_mask": [("seeds", 0)]}
    if "y" in batch:
        axes["batch_mask"].append(("y", 0))
    ids = {"seeds": ("batch_mask", "nodes_mask")}
    for layer in range(layers):
        name = f"adjs.{layer}."
        axes[name + "edges_mask"] = [(name + "edge_index", 1)]
        ids[name + "edge_index"] = (name + "edges_mask", "nodes_mask")
    return axes, ids


def mean_of_neighbors(x, edges):
    source, target = edges
    sums, counts = np.zeros_like(x), np.zeros(len(x), np.float32)
    np.add.at(sums, target, x[source])
    np.add.at(counts, target, 1)
    return sums / np.maximum(counts, 1)[:, None]


def numpy_sage(tensors, layers):
    def outputs(batch):
        x = batch["x"]
        for layer in range(layers):
            mean = mean_of_neighbors(x, batch[f"adjs.{layer}.edge_index"])
            w = {part: tensors.get(f"convs.{layer}.{part}") for part in ("lin_l.weight", "lin_l.bias", "lin_r.weight")}
            x = mean @ w["lin_l.weight"].T + x @ w["lin_r.weight"].T
            if w["lin_l.bias"] is not None:
                x = x + w["lin_l.bias"]
            if layer + 1 < layers:
                x = np.maximum(x, 0)
        return x[batch["seeds"]]
    return outputs


def torch_sage(tensors, layers):
    """The same of PyTorch's modules, whose state has the names of the file."""
    import torch
    from torch import nn

    class SageConv(nn.Module):
        def __init__(self, inputs, outputs, bias):
            super().__init__()
            self.lin_l, self.lin_r = nn.Linear(inputs, outputs, bias=bias), nn.Linear(inputs, outputs, bias=False)

        def forward(self, x, edges):
            source, target = edges
            sums = torch.zeros_like(x).index_add(0, target, x[source])
            counts = torch.zeros(len(x)).index_add(0, target, torch.ones(len(target)))
            return self.lin_l(sums / counts.clamp(min=1)[:, None]) + self.lin_r(x)

    class Sage(nn.Module):
        def __init__(self):
            super().__init__()
            weights = [tensors[f"convs.{layer}.lin_l.weight"] for layer in range(layers)]
            self.convs = nn.ModuleList(SageConv(*w.shape[::-1], f"convs.{layer}.lin_l.bias" in tensors)
                                       for layer, w in enumerate(weights))

        @torch.no_grad()
        def forward(self, batch):
            x = torch.from_numpy(batch["x"])
            for layer, conv in enumerate(self.convs):
                x = conv(x, torch.from_numpy(batch[f"adjs.{layer}.edge_index"]).long())
                x = x.relu() if layer + 1 < layers else x
            return x[torch.from_numpy(batch["seeds"]).long()].numpy()

    module = Sage()
    module.load_state_dict({name: torch.from_numpy(t) for name, t in tensors.items()}, strict=True)
    return module


def answers(outputs, predictions):
    """What predict writes of the outputs."""
    if "embeddings" in predictions:
        return outputs
    if "labels" in predictions:
        return 1 / (1 + np.exp(-outputs))
    shares = np.exp(outputs - outputs.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def expect(name, got, expected, most):
    assert got.shape == expected.shape, (name, got.shape, expected.shape)
    difference = np.abs(got - expected).max()
    print(f"{name}: largest difference {difference:.1e} of {len(got)} nodes")
    assert difference <= most, name


def main(export, told, graph):
    tensors, batches, metadata = graphcore_file.read(export)
    layers = int(metadata["static.layers"])
    axes, ids = described(layers, batches[0])
    for batch in batches:
        graphcore_file.check(batch, axes, ids)
        assert not batch["nodes_mask"][0]
    assert any(not batch["adjs.0.edges_mask"].all() for batch in batches)
    predictions = load_file(told)
    run = lambda model, all: np.concatenate([model(batch)[batch["batch_mask"]] for batch in all])
    nodes = np.concatenate([batch["n_id"][batch["seeds"]][batch["batch_mask"]] for batch in batches])
    assert (nodes == predictions["nodes"]).all(), "other nodes"
    if "y" in batches[0]:
        labels = np.concatenate([batch["y"][batch["batch_mask"]] for batch in batches])
        with safe_open(graph, "np") as file:
            assert (labels == file.get_tensor("labels")[nodes]).all(), "other labels"
    else:
        assert "embeddings" in predictions
    expected = predictions["embeddings" if "embeddings" in predictions else "probabilities"]
    assert expected.std() > 0.05, "answers are alike"
    sage = numpy_sage(tensors, layers)
    outputs = run(sage, batches)
    expect("gnn-sample predict", answers(outputs, predictions), expected, 1e-5)
    real = [graphcore_file.unpadded(batch, axes, ids) for batch in batches]
    expect("without padding", run(sage, real), outputs, 1e-5)
    random = np.random.default_rng(0)
    soiled = [graphcore_file.soiled(batch, axes, ids, random) for batch in batches]
    expect("other numbers in the padding", run(sage, soiled), outputs, 1e-6)
    try:
        import torch  # noqa: F401
    except ImportError:
        print("PyTorch: not there")
        return
    expect("PyTorch", run(torch_sage(tensors, layers), batches), outputs, 1e-5)


main(*sys.argv[1:])
