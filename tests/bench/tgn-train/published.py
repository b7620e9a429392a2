#!/usr/bin/env python3
"""Speed of twitter-research/tgn itself, and whether tgn_reference.py computes what it computes.

    published.py EVENTS --program FOLDER --seconds S [--batch-size 200] [--threads 1] [options of tgn_reference.py]
    published.py EVENTS --program FOLDER --compare STEPS [--double] [--preset ...] [options of tgn_reference.py]

--program: a checkout of https://github.com/twitter-research/tgn (commit d55bbe6); its model is driven as its
train_self_supervised.py does it. --compare: both programs take the same steps from the same weights, dropout 0;
prints for each step both losses and the largest differences of gradients (in parts of the largest) and of the memory.
"""
import contextlib
import io
import json
import sys

import numpy as np
import tgn_reference
import torch
from tgn_model import PRESETS, Model, time_shifts

EMBEDDINGS = {"attention": "graph_attention", "sum": "graph_sum", "identity": "identity", "time": "time"}
# Where the published program has our weights, the longer names first.
NAMES = {"embedding.heads": "embedding_module.attention_models.0.multi_head_target",
         "embedding.merge.hidden": "embedding_module.attention_models.0.merger.fc1",
         "embedding.merge.output": "embedding_module.attention_models.0.merger.fc2",
         "embedding.neighbor": "embedding_module.linear_1.0", "embedding.merge": "embedding_module.linear_2.0",
         "embedding": "embedding_module.embedding_layer", "time_encoder.linear": "time_encoder.w",
         "decoder.hidden": "affinity_score.fc1", "decoder.output": "affinity_score.fc2",
         "message": "message_function.mlp", "updater": "memory_updater.memory_updater"}


class Published:
    """Their model on our events."""
    def __init__(self, work, args):
        sys.path.insert(0, args.program)
        from model.tgn import TGN
        from utils.utils import get_neighbor_finder
        events, preset, shifts = work.events, PRESETS[args.preset], time_shifts(work.events)
        self.events, self.args = events, args
        finder = get_neighbor_finder(self.part(work.split.train), False, events.num_nodes - 1)
        self.model = TGN(
            neighbor_finder=finder, node_features=np.zeros((events.num_nodes, args.dim)),
            edge_features=events.edge_features, device="cpu", n_layers=1, n_heads=args.heads, dropout=args.dropout,
            use_memory=preset.memory, message_dimension=args.message_dim, memory_dimension=args.dim,
            embedding_module_type=EMBEDDINGS[preset.embedding], message_function=args.message,
            mean_time_shift_src=shifts[0][0], std_time_shift_src=shifts[0][1], mean_time_shift_dst=shifts[1][0],
            std_time_shift_dst=shifts[1][1], n_neighbors=args.neighbors, aggregator_type=args.aggregator,
            memory_updater_type=preset.updater, dyrep=preset.dyrep,
            use_destination_embedding_in_message=preset.dyrep)
        self.model.time_encoder.requires_grad_(args.time_encoder == "trainable")
        if args.double:
            self.to_double()
        self.optimizer = torch.optim.Adam([p for p in self.model.parameters() if p.requires_grad], args.learning_rate)
        self.model.train()

    def part(self, numbers):
        events = self.events
        fields = {"sources": events.sources, "destinations": events.destinations, "timestamps": events.times,
                  "edge_idxs": np.arange(1, len(events) + 1)}
        return type("Part", (), {name: values[numbers] for name, values in fields.items()})

    def to_double(self):
        """Its casts to single precision become casts to double precision."""
        torch.Tensor.float = torch.Tensor.double
        torch.set_default_dtype(torch.float64)
        self.model.double()
        self.model.edge_raw_features = self.model.edge_raw_features.double()
        self.model.node_raw_features = self.model.node_raw_features.double()
        if self.model.use_memory:
            self.model.memory.__init_memory__()

    def take_weights(self, model):
        """Pairs of parameters, ours and theirs."""
        theirs, pairs = dict(self.model.named_parameters()), []
        for name, value in model.named_parameters():
            ours = next(prefix for prefix in NAMES if name.startswith(prefix + "."))
            pairs.append((value, theirs[NAMES[ours] + name[len(ours):]]))
            pairs[-1][1].data.copy_(value.data)
        return pairs

    def forward(self, batch):
        return self.model.compute_edge_probabilities(batch.sources, batch.destinations, batch.negatives, batch.times,
                                                     batch.rows, self.args.neighbors)

    def step(self, batch):
        self.optimizer.zero_grad()
        positive, negative = self.forward(batch)
        criterion, labels = torch.nn.BCELoss(), torch.ones(len(batch.sources))
        loss = criterion(positive.squeeze(1), labels) + criterion(negative.squeeze(1), torch.zeros_like(labels))
        loss.backward()
        self.optimizer.step()
        if self.model.use_memory:
            self.model.memory.detach_memory()
        return loss.item()


def largest_difference(pairs):
    return max(float((ours.grad - theirs.grad).abs().max() / theirs.grad.abs().max().clamp(min=1e-30))
               for ours, theirs in pairs if ours.grad is not None and theirs.grad is not None)


def compare(model, published, work, args):
    pairs, optimizer = published.take_weights(model), tgn_reference.make_optimizer(model, args)
    model.train()
    for step, batch in enumerate(work.batches(work.split.train, args.batch_size, work.train_negatives), 1):
        loss, _, _ = tgn_reference.train_step(model, optimizer, batch, work.train_finder)
        found = {"step": step, "loss": loss, "published": published.step(batch), "gradients": largest_difference(pairs)}
        if model.memory:
            found["memory"] = float((model.memory.state - published.model.memory.memory).abs().max())
        print(json.dumps({**found, "difference": abs(found["loss"] - found["published"])}), flush=True)
        if step == args.compare:
            break


def main():
    parser = tgn_reference.options()
    parser.description = __doc__
    parser.add_argument("--program", required=True, metavar="FOLDER")
    parser.add_argument("--compare", type=int, default=0, metavar="STEPS")
    args = tgn_reference.parse(parser)
    work = tgn_reference.Work(args)
    model = Model(work.events, args, time_shifts(work.events))
    with contextlib.redirect_stdout(io.StringIO()):
        published = Published(work, args)
    if args.compare:
        return compare(model, published, work, args)
    print(json.dumps({"options": vars(args), "torch": torch.__version__}), flush=True)
    print(json.dumps(tgn_reference.time_training(work, args, published.forward, published.step)))


if __name__ == "__main__":
    main()
