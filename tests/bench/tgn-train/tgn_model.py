"""Temporal graph network in plain PyTorch, as twitter-research/tgn defines it: memory, messages, embedding, decoder.

Written for the benchmarks. What that program does in loops over Python lists and dictionaries (pending
messages, their aggregation, the search for neighbours) are operations on whole arrays here. The same is computed
in the same order (published.py --compare), but for a second update of the memory, which repeats the first. One layer.
"""
import collections

import numpy as np
import torch
from torch import nn

Preset = collections.namedtuple("Preset", "updater embedding memory dyrep", defaults=(True, False))
PRESETS = {"attn": Preset("gru", "attention"), "sum": Preset("gru", "sum"), "id": Preset("gru", "identity"),
           "time": Preset("gru", "time"), "jodie": Preset("rnn", "time"),
           "no-mem": Preset("gru", "attention", memory=False), "dyrep": Preset("rnn", "attention", dyrep=True)}
Batch = collections.namedtuple("Batch", "sources destinations negatives times rows")


class TimeEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = nn.Linear(1, dim)
        with torch.no_grad():
            self.linear.weight.copy_(torch.from_numpy(10.0 ** -np.linspace(0, 9, dim))[:, None])
            self.linear.bias.zero_()

    def forward(self, times):
        return self.linear(times[..., None].to(self.linear.weight.dtype)).cos()


class Merge(nn.Module):
    """Two layers over two inputs side by side."""
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.hidden, self.output = nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)
        nn.init.xavier_normal_(self.hidden.weight)
        nn.init.xavier_normal_(self.output.weight)

    def forward(self, left, right):
        return self.output(self.hidden(torch.cat([left, right], 1)).relu())


class Attention(nn.Module):
    def __init__(self, dim, edge_dim, heads, dropout):
        super().__init__()
        keys = 2 * dim + edge_dim
        self.heads = nn.MultiheadAttention(2 * dim, heads, dropout, kdim=keys, vdim=keys, batch_first=True)
        self.merge = Merge(3 * dim, dim, dim)

    def forward(self, node, now, neighbors, edges, phases, there):
        alone = ~there.any(1, keepdim=True)
        query = torch.cat([node, now], 1)[:, None]
        # A row without neighbours would be 0 / 0; what it attends to is masked below.
        found, _ = self.heads(query, keys := torch.cat([neighbors, edges, phases], 2), keys,
                              key_padding_mask=~(there | alone), need_weights=False)
        return self.merge(found[:, 0].masked_fill(alone, 0), node)


class Sum(nn.Module):
    def __init__(self, dim, edge_dim):
        super().__init__()
        self.neighbor, self.merge = nn.Linear(2 * dim + edge_dim, dim), nn.Linear(3 * dim, dim)

    def forward(self, node, now, neighbors, edges, phases, there):
        # Neighbours that are not there count, as in the published program: with zeros at time 0.
        summed = self.neighbor(torch.cat([neighbors, phases, edges], 2)).sum(1).relu()
        return self.merge(torch.cat([summed, node, now], 1))


class Memory:
    """What is known of each node: its state, the time of its last update, and one pending message."""
    def __init__(self, num_nodes, dim, message_dim, dtype):
        self.state = torch.zeros(num_nodes, dim, dtype=dtype)
        self.updated = torch.zeros(num_nodes, dtype=torch.float64)
        self.message = torch.zeros(num_nodes, message_dim, dtype=dtype)
        self.message_time = torch.zeros(num_nodes, dtype=torch.float64)
        self.pending = torch.zeros(num_nodes, dtype=torch.bool)

    def copy(self):
        other = object.__new__(Memory)
        other.__dict__ = {name: tensor.clone() for name, tensor in self.__dict__.items()}
        return other


class Model(nn.Module):
    def __init__(self, events, args, time_shifts):
        super().__init__()
        self.preset, self.args, self.time_shifts = PRESETS[args.preset], args, time_shifts
        self.num_nodes, dim = events.num_nodes, args.dim
        self.edge_features = torch.from_numpy(events.edge_features)
        edge_dim = self.edge_features.shape[1]
        self.message_dim = 3 * dim + edge_dim
        self.time_encoder = TimeEncoder(dim).requires_grad_(args.time_encoder == "trainable")
        if self.preset.memory:
            wide = args.message_dim if args.message == "mlp" else self.message_dim
            self.message = nn.Identity() if args.message == "identity" else nn.Sequential(
                nn.Linear(self.message_dim, self.message_dim // 2), nn.ReLU(), nn.Linear(self.message_dim // 2, wide))
            self.updater = {"gru": nn.GRUCell, "rnn": nn.RNNCell}[self.preset.updater](wide, dim)
        kind = self.preset.embedding
        if kind == "attention":
            self.embedding = Attention(dim, edge_dim, args.heads, args.dropout)
        elif kind == "sum":
            self.embedding = Sum(dim, edge_dim)
        elif kind == "time":
            self.embedding = nn.Linear(1, dim)
            nn.init.normal_(self.embedding.weight)
            nn.init.normal_(self.embedding.bias)
        self.decoder = Merge(2 * dim, dim, 1)
        if args.double:  # after the draws, so that both precisions begin with the same weights
            self.double()
            self.edge_features = self.edge_features.double()
        self.dtype = self.edge_features.dtype
        self.reset()

    def reset(self):
        sizes = self.num_nodes, self.args.dim, self.message_dim
        self.memory = Memory(*sizes, self.dtype) if self.preset.memory else None

    def stored(self):
        """The memory of nodes from 0, for dumps."""
        return {name: getattr(self.memory, name)[1:].clone() for name in ("state", "updated")} if self.memory else {}

    def updated_memory(self, nodes):
        """State and time of these nodes with their pending messages taken in; nothing is stored."""
        memory = self.memory
        state, updated = memory.state[nodes], memory.updated[nodes]
        rows = memory.pending[nodes].nonzero()[:, 0]
        if len(rows):
            due = nodes[rows]
            state = state.index_copy(0, rows, self.updater(self.message(memory.message[due]), state[rows]))
            updated[rows] = memory.message_time[due]
        return state, updated

    def step(self, batch, finder):
        """Scores of the batch's events and of their negatives; then the memory takes the events in."""
        count = len(batch.sources)
        queries = np.concatenate([batch.sources, batch.destinations, batch.negatives])
        times = np.tile(batch.times, 3)
        all_nodes, found = queries, None
        if self.preset.embedding in ("attention", "sum"):
            found = finder.find(queries, times, self.args.neighbors)
            all_nodes = np.concatenate([queries, found[0].ravel()])
        if self.args.update == "all":
            nodes, places = torch.arange(self.num_nodes), torch.from_numpy(all_nodes)
        else:
            nodes, places = map(torch.from_numpy, np.unique(all_nodes, return_inverse=True))
        if self.memory:
            state, updated = self.updated_memory(nodes)
        else:
            state, updated = torch.zeros(len(nodes), self.args.dim, dtype=self.dtype), None
        node = state[places[:3 * count]]
        embedding = self.embed(node, times, state, updated, places, found)
        scored = node if self.preset.dyrep else embedding
        scores = self.decoder(scored[:count].repeat(2, 1), scored[count:])[:, 0]
        if self.memory:
            with torch.no_grad():
                positives = places[:2 * count]
                self.take_in(batch, node[:2 * count], updated[positives], embedding[:2 * count])
        return scores[:count], scores[count:]

    def embed(self, node, times, state, updated, places, found):
        """[queries, dim] embeddings from the states `node` of the queries and what is near them."""
        kind = self.preset.embedding
        if kind == "identity":
            return node
        if kind == "time":
            since = torch.from_numpy(times).long() - updated[places].long()
            count = len(times) // 3
            (mean, deviation), (other_mean, other_deviation) = self.time_shifts
            since = torch.cat([(since[:count] - mean) / deviation, (since[count:] - other_mean) / other_deviation])
            return node * (1 + self.embedding(since[:, None].to(self.dtype)))
        neighbors, rows, neighbor_times = map(torch.from_numpy, found)
        phases = self.time_encoder(torch.from_numpy(times)[:, None] - neighbor_times)
        now = self.time_encoder(torch.zeros(1)).expand(len(node), -1)
        others = state[places[len(node):]].view(*neighbors.shape, -1)
        return self.embedding(node, now, others, self.edge_features[rows], phases, neighbors != 0)

    def take_in(self, batch, state, updated, embedding):
        """Stores the updated states of the batch's nodes, then the messages of its events."""
        memory, count = self.memory, len(batch.sources)
        nodes = np.concatenate([batch.sources, batch.destinations])
        ids = torch.from_numpy(nodes)
        memory.state[ids], memory.updated[ids] = state, updated
        # What was pending is part of the state now, and every node gets something new.
        memory.pending[ids] = True
        # Last of a node's messages: those of sources come before those of destinations.
        unique, last = np.unique(nodes[::-1], return_index=True)
        last = len(nodes) - 1 - last
        kept = torch.from_numpy(last if self.args.aggregator == "last" else np.arange(len(nodes)))
        times = torch.from_numpy(np.tile(batch.times, 2))
        other = embedding if self.preset.dyrep else state
        messages = torch.cat([state[kept], other[(kept + count) % (2 * count)],
                              self.edge_features[torch.from_numpy(np.tile(batch.rows, 2))[kept]],
                              self.time_encoder(times[kept] - updated[kept])], 1)
        unique_ids = torch.from_numpy(unique)
        if self.args.aggregator == "mean":
            places = torch.from_numpy(np.searchsorted(unique, nodes))
            sums = messages.new_zeros(len(unique), messages.shape[1]).index_add_(0, places, messages)
            messages = sums / torch.bincount(places)[:, None]
        memory.message[unique_ids], memory.message_time[unique_ids] = messages, times[torch.from_numpy(last)]


def time_shifts(events):
    """Mean and deviation of the time since a source's last event as a source, and since a destination's."""
    def of(nodes):
        order = np.argsort(nodes, kind="stable")
        same = np.concatenate([[False], np.diff(nodes[order]) == 0])
        times = events.times[order]
        since = times - np.where(same, np.roll(times, 1), 0)
        return since.mean(), since.std()
    return of(events.sources), of(events.destinations)
