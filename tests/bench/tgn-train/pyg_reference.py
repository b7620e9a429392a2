#!/usr/bin/env python3
"""Trains Graphcore's shape of a temporal graph network with PyTorch Geometric; JSON lines as of tgn_reference.py.

    pyg_reference.py EVENTS [--split time|inductive] [--batch-size 200] [--edge-dim D [--random-features SEED]]
                     [--epochs 50] [--patience 5] [--threads 1] [--seed 0] [--state FILE]
                     [--test improved|end|never] [--seconds S] [--device cuda]
    pyg_reference.py EVENTS --dump FILE.safetensors [--double] ...

TGNMemory, LastNeighborLoader and TransformerConv of torch_geometric, dims 100, a second time encoder for the
attention and a decoder on both embeddings side by side, as Graphcore has them: 260,401 parameters with 172 edge
features. Trains as PyG's example does: neighbours and memory as of before the batch, negatives uniform between
the least and the greatest destination, pending messages flushed before evaluation. --split time: all of the
first 70 % of the time trains, as there; inductive: tgn_reference.py's parts. Evaluation: the batches and
negatives of tgn_reference.py. Without edge features one column of zeros, as TGNMemory needs one.
"""
import json

import numpy as np
import tgn_reference
import torch
from torch import nn
from torch_geometric.nn import TransformerConv
from torch_geometric.nn.models.tgn import IdentityMessage, LastAggregator, LastNeighborLoader, TGNMemory, TimeEncoder


class Network(nn.Module):
    """Embeddings of nodes from their memory, and scores of pairs."""
    def __init__(self, dim, edge_dim, dropout):
        super().__init__()
        self.time_encoder = TimeEncoder(dim)
        self.conv = TransformerConv(dim, dim // 2, heads=2, dropout=dropout, edge_dim=edge_dim + dim)
        self.hidden, self.output = nn.Linear(2 * dim, dim), nn.Linear(dim, 1)

    def embed(self, state, updated, edges, times, features):
        phases = self.time_encoder((updated[edges[0]] - times).to(state.dtype))
        return self.conv(state, edges, torch.cat([features, phases], 1))

    def score(self, left, right):
        return self.output(self.hidden(torch.cat([left, right], 1)).relu())[:, 0]


class Model(nn.Module):
    """With the methods of tgn_model.Model that training and evaluation call."""
    def __init__(self, events, args):
        super().__init__()
        features = torch.from_numpy(events.edge_features[1:])
        if features.shape[1] == 0:  # TGNMemory drops such messages
            features = torch.zeros(len(events), 1)
        edge_dim, dim = features.shape[1], args.dim
        # Buffers are moved and stored with the weights; the data need not be.
        self.device = torch.device(args.device)
        self.data = features.to(self.device), torch.from_numpy(events.times).long().to(self.device)
        self.state = TGNMemory(events.num_nodes, edge_dim, dim, dim, IdentityMessage(edge_dim, dim, dim),
                               LastAggregator())
        self.network = Network(dim, edge_dim, args.dropout)
        self.loader = LastNeighborLoader(events.num_nodes, args.neighbors, device=self.device)
        # The loader numbers events in the order in which it was given them: their numbers in the stream.
        self.given = torch.zeros(len(events), dtype=torch.int64, device=self.device)
        self.places = torch.empty(events.num_nodes, dtype=torch.int64, device=self.device)
        for encoder in (self.state.time_enc, self.network.time_encoder):
            encoder.requires_grad_(args.time_encoder == "trainable")
        if args.double:
            self.double()
            self.data = self.data[0].double(), self.data[1]
            self.reset()
        self.to(self.device)

    def reset(self):
        self.state.reset_state()
        self.loader.reset_state()

    def stored(self):
        return {"state": self.state.memory.detach()[1:].clone(), "updated": self.state.last_update[1:].clone()}

    @property
    def memory(self):
        """All that events leave behind. Only in evaluation, where no messages are pending."""
        return Snapshot(self)

    @memory.setter
    def memory(self, snapshot):
        snapshot.restore(self)

    def step(self, batch, _):
        """Scores of the batch's events and of their negatives; then the memory takes the events in."""
        self.state.detach()
        features, times = self.data
        ends = torch.from_numpy(np.concatenate([batch.sources, batch.destinations, batch.negatives])).to(self.device)
        nodes, edges, positions = self.loader(ends.unique())
        self.places[nodes] = torch.arange(len(nodes), device=self.device)
        near = self.given[positions]
        state, updated = self.state(nodes)
        embedding = self.network.embed(state, updated, edges, times[near], features[near])[self.places[ends]]
        count = len(batch.sources)
        scores = self.network.score(embedding[:count].repeat(2, 1), embedding[count:])
        numbers = torch.from_numpy(batch.rows - 1).to(self.device)
        sources, destinations = ends[:count], ends[count:2 * count]
        self.given[self.loader.cur_e_id:self.loader.cur_e_id + count] = numbers
        self.state.update_state(sources, destinations, times[numbers], features[numbers])
        self.loader.insert(sources, destinations)
        return scores[:count], scores[count:]


class Snapshot:
    def __init__(self, model):
        state, loader = model.state, model.loader
        self.parts = (state.memory, state.last_update, loader.neighbors, loader.e_id, model.given)
        self.count = loader.cur_e_id

    def copy(self):
        other = object.__new__(Snapshot)
        other.parts, other.count = tuple(part.clone() for part in self.parts), self.count
        return other

    def restore(self, model):
        state, loader = model.state, model.loader
        state.memory, state.last_update, loader.neighbors, loader.e_id, model.given = self.copy().parts
        loader.cur_e_id = self.count
        state._reset_message_store()  # of events that have not happened yet


class RangeNegatives:
    """Uniform between the least and the greatest destination."""
    def __init__(self, destinations, seed):
        self.range, self.state = (destinations.min(), destinations.max() + 1), np.random.RandomState(seed)

    def draw(self, size):
        return self.state.randint(*self.range, size)


def main():
    parser = tgn_reference.options()
    parser.description = __doc__
    parser.add_argument("--split", choices=["time", "inductive"], default="time")
    parser.add_argument("--device", default="cpu")
    parser.set_defaults(dim=100)
    args = tgn_reference.parse(parser)
    args.new_nodes = args.new_nodes if args.split == "inductive" else 0
    work = tgn_reference.Work(args)
    work.train_negatives = RangeNegatives(work.events.destinations, args.seed)
    tgn_reference.run(Model(work.events, args), work, args)


if __name__ == "__main__":
    main()
