#!/usr/bin/env python3
"""The mathematics of Graphcore's TGN (graphcore/examples, gnn/tgn/pytorch), written anew, on the weights, memory and
padded batches of `tgn-train export --ipu`: its scores are those of `tgn-train eval`, and padding changes nothing.

    graphcore_tgn.py EXPORT [PREDICTIONS]   PREDICTIONS of eval --predictions, for a part that it tests
"""
import csv
import sys

import graphcore_file
import numpy as np

AXES = {
    "nodes_mask": [("node_ids", 0)],
    "edges_mask": [("edge_idx", 1), ("edge_t", 0), ("edge_msg", 0)],
    "batch_mask": [("node_idx", 1), ("node_t", 0), ("node_msg", 0), ("most_recent", 1)],
}
IDS = {"edge_idx": ("edges_mask", "nodes_mask"), "node_idx": ("batch_mask", "nodes_mask")}
DIRTY = 7.0  # what row 0 of the memory may have


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Memory:
    """State of the nodes: row 0 is the dummy."""

    def __init__(self, tensors):
        self.ints, self.states, self.direction = (
            tensors["memory." + name].copy() for name in ("_memory_ints", "_memory", "_direction"))
        self.messages = tensors.get("memory._memory_msg", np.zeros((len(self.ints), 0), np.float32)).copy()

    def update(self, batch, states, last_update):
        """The last message of each node of the batch."""
        ends = batch["node_idx"][:2]
        nodes = batch["node_ids"][ends]
        chosen = batch["most_recent"].astype(bool)
        times = np.broadcast_to(batch["node_t"], ends.shape)
        to = nodes[chosen]
        self.states[to] = states[ends[chosen]]
        self.ints[to] = np.stack([times, times - last_update[ends], nodes[::-1]], -1)[chosen]
        self.direction[to] = [1, 0]
        self.messages[to] = np.broadcast_to(batch["node_msg"], (2, *batch["node_msg"].shape))[chosen]


class NumpyTgn:
    def __init__(self, tensors, heads):
        self.w, self.heads = tensors, heads

    def linear(self, name, x):
        return x @ self.w[name + ".weight"].T + self.w.get(name + ".bias", np.float32(0))

    def time(self, name, t):
        phase = t[:, None].astype(np.float64) * self.w[name + ".lin.weight"][:, 0] + self.w[name + ".lin.bias"]
        return np.cos(phase).astype(np.float32)

    def states(self, memory, n):
        """Memory with its last message, and the time of that."""
        last_update, rel_t, other = memory.ints[n].T
        own, others = memory.states[n], memory.states[other]
        first, second = memory.direction[n].T[:, :, None]
        x = np.concatenate([own * first + others * second, own * second + others * first, memory.messages[n],
                            self.time("memory.time_enc", rel_t)], 1)
        gates_x = x @ self.w["memory.gru.weight_ih"].T + self.w["memory.gru.bias_ih"]
        gates_h = own @ self.w["memory.gru.weight_hh"].T + self.w["memory.gru.bias_hh"]
        (rx, zx, nx), (rh, zh, nh) = np.split(gates_x, 3, 1), np.split(gates_h, 3, 1)
        z = sigmoid(zx + zh)
        new = (1 - z) * np.tanh(nx + sigmoid(rx + rh) * nh) + z * own
        return new * (other > 0)[:, None], last_update

    def embed(self, x, last_update, batch):
        """Attention over the edges of each local node."""
        source, target = batch["edge_idx"]
        features = np.concatenate(
            [batch["edge_msg"], self.time("gnn.time_enc", last_update[source] - batch["edge_t"])], 1)
        split = lambda rows: rows.reshape(len(rows), self.heads, x.shape[1] // self.heads)
        edge = split(features @ self.w["gnn.conv.lin_edge.weight"].T)
        query, key, value = (split(self.linear(f"gnn.conv.lin_{part}", x)) for part in ("query", "key", "value"))
        scores = (query[target] * (key[source] + edge)).sum(-1) / np.sqrt(query.shape[-1])
        most = np.full((len(x), self.heads), -np.inf, np.float32)
        np.maximum.at(most, target, scores)
        shares = np.exp(scores - most[target])
        sums = np.zeros((len(x), self.heads), np.float32)
        np.add.at(sums, target, shares)
        out = np.zeros(value.shape, np.float32)
        np.add.at(out, target, (value[source] + edge) * (shares / sums[target])[:, :, None])
        return out.reshape(len(x), -1) + self.linear("gnn.conv.lin_skip", x)

    def score(self, a, b):
        hidden = np.maximum(self.linear("link_predictor.lin_hid", np.concatenate([a, b], 1)), 0)
        return self.linear("link_predictor.lin_final", hidden)[:, 0]

    def step(self, memory, batch):
        """States, times of last updates, logits of the events and of the destinations that they had not."""
        states, last_update = self.states(memory, batch["node_ids"])
        z = self.embed(states, last_update, batch)
        source, destination, other = z[batch["node_idx"]]
        return states, last_update, self.score(source, destination), self.score(source, other)


def torch_tgn(tensors, heads):
    """The same of PyTorch's modules, whose state has the names of the file."""
    import torch
    from torch import nn

    shape = {name: t.shape for name, t in tensors.items()}
    dim, time_dim = shape["gnn.conv.lin_query.weight"][0], len(tensors["gnn.time_enc.lin.bias"])

    class Time(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(1, time_dim)

        def forward(self, t):
            return (t[:, None].double() @ self.lin.weight.double().T + self.lin.bias.double()).cos().float()

    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            for part in ("key", "query", "value", "skip"):
                setattr(self, "lin_" + part, nn.Linear(dim, dim))
            self.lin_edge = nn.Linear(shape["gnn.conv.lin_edge.weight"][1], dim, bias=False)

        def forward(self, x, edges, features):
            source, target = edges
            per_head = lambda rows: rows.view(len(rows), heads, dim // heads)
            edge = per_head(self.lin_edge(features))
            scores = (per_head(self.lin_query(x))[target] * (per_head(self.lin_key(x))[source] + edge)).sum(-1)
            scores = scores / (dim // heads) ** 0.5
            most = torch.full((len(x), heads), -torch.inf).scatter_reduce(
                0, target[:, None].expand(-1, heads), scores, "amax")
            shares = (scores - most[target]).exp()
            sums = torch.zeros(len(x), heads).index_add(0, target, shares)
            values = (per_head(self.lin_value(x))[source] + edge) * (shares / sums[target])[:, :, None]
            return torch.zeros(len(x), heads, dim // heads).index_add(0, target, values).flatten(1) + self.lin_skip(x)

    class Tgn(nn.Module):
        def __init__(self):
            super().__init__()
            self.memory, self.gnn, self.link_predictor = nn.Module(), nn.Module(), nn.Module()
            self.memory.time_enc, self.memory.gru = Time(), nn.GRUCell(shape["memory.gru.weight_ih"][1], dim)
            for name in ("_memory_ints", "_memory", "_memory_msg", "_direction"):
                if "memory." + name in tensors:
                    self.memory.register_buffer(name, torch.zeros(shape["memory." + name]))
            self.gnn.time_enc, self.gnn.conv = Time(), Conv()
            self.link_predictor.lin_hid, self.link_predictor.lin_final = nn.Linear(2 * dim, dim), nn.Linear(dim, 1)

        def score(self, a, b):
            return self.link_predictor.lin_final(self.link_predictor.lin_hid(torch.cat([a, b], 1)).relu())[:, 0]

        @torch.no_grad()
        def step(self, memory, batch):
            batch = {name: torch.from_numpy(np.ascontiguousarray(rows)) for name, rows in batch.items()}
            n = batch["node_ids"].long()
            ints, states, direction, messages = (
                torch.from_numpy(a) for a in (memory.ints, memory.states, memory.direction, memory.messages))
            last_update, rel_t, other = ints[n].long().unbind(1)
            own, others, (first, second) = states[n], states[other], direction[n].T[:, :, None]
            x = torch.cat([own * first + others * second, own * second + others * first, messages[n],
                           self.memory.time_enc(rel_t)], 1)
            new = self.memory.gru(x, own) * (other > 0)[:, None]
            edges = batch["edge_idx"].long()
            rel = self.gnn.time_enc(last_update[edges[0]] - batch["edge_t"])
            z = self.gnn.conv(new, edges, torch.cat([batch["edge_msg"], rel], 1))
            source, destination, negative = z[batch["node_idx"].long()]
            scores = self.score(source, destination), self.score(source, negative)
            return new.numpy(), last_update.numpy(), scores[0].numpy(), scores[1].numpy()

    module = Tgn()
    module.load_state_dict({name: torch.from_numpy(t.astype(np.float32)) for name, t in tensors.items()}, strict=True)
    return module


def with_messages(batch):
    """Arrays of no columns where events have no features."""
    for name, rows in (("node_msg", "node_t"), ("edge_msg", "edge_t")):
        batch.setdefault(name, np.zeros((len(batch[rows]), 0), np.float32))
    return batch


def run(tgn, tensors, batches):
    """Probabilities of all real events of the batches, [events, 2], while memory goes on."""
    memory, all_scores = Memory(tensors), []
    for batch in batches:
        states, last_update, link, other = tgn.step(memory, batch)
        memory.update(batch, states, last_update)
        all_scores.append(sigmoid(np.stack([link, other], 1))[batch["batch_mask"]])
    return np.concatenate(all_scores)


def expect(name, got, expected, most):
    assert got.shape == expected.shape, (name, got.shape, expected.shape)
    difference = np.abs(got - expected).max()
    print(f"{name}: largest difference {difference:.1e} of {len(got)} events")
    assert difference <= most, name


def told_scores(predictions, part):
    """What eval says of a part: [events, 2]."""
    with open(predictions) as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == part]
    scores = np.array([float(row["score"]) for row in rows]).reshape(-1, 2)
    assert scores.std() > 0.02, f"scores are alike: {scores.std()}"
    return scores


def main(export, predictions=None):
    tensors, batches, metadata = graphcore_file.read(export)
    batches = [with_messages(batch) for batch in batches]
    for batch in batches:
        graphcore_file.check(batch, AXES, IDS)
        assert not batch["most_recent"][:, ~batch["batch_mask"]].any() and batch["node_ids"].max() < len(tensors["memory._memory"])
    assert any(not batch["edges_mask"].all() for batch in batches) and not batches[0]["nodes_mask"][0]
    heads = int(metadata["static.heads"])
    tgn = NumpyTgn(tensors, heads)
    scores = run(tgn, tensors, batches)
    if predictions:
        expect("tgn-train eval", scores, told_scores(predictions, metadata["static.part"]), 1e-5)
    real = [graphcore_file.unpadded(batch, AXES, IDS) for batch in batches]
    expect("without padding", run(tgn, tensors, real), scores, 1e-6)
    dirty = dict(tensors)
    for name in ("memory._memory", "memory._memory_msg"):
        if name in dirty:
            dirty[name] = dirty[name].copy()
            dirty[name][0] = DIRTY
    random = np.random.default_rng(0)
    soiled = [graphcore_file.soiled(batch, AXES, IDS, random) for batch in batches]
    expect("other numbers in the padding", run(tgn, dirty, soiled), scores, 1e-7)
    try:
        import torch  # noqa: F401
    except ImportError:
        print("PyTorch: not there")
        return
    expect("PyTorch", run(torch_tgn(tensors, heads), tensors, batches), scores, 1e-5)


main(*sys.argv[1:])
