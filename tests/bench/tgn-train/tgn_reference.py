#!/usr/bin/env python3
"""Trains a temporal graph network as twitter-research/tgn does, in plain PyTorch (tgn_model.py); prints JSON lines.

    tgn_reference.py EVENTS [--preset attn|sum|id|time|jodie|no-mem|dyrep] [--update touched|all] [--batch-size 200]
                     [--edge-dim D [--random-features SEED] [--write-features FILE.npy]] [--epochs 50] [--patience 5]
                     [--threads 1] [--seed 0] [--state FILE] [--test improved|end|never] [--seconds S] ...
    tgn_reference.py EVENTS --dump FILE.safetensors [--dump-steps 5] [--double] [--dim D] ...

EVENTS: see temporal_data.read_events. --update all: new memory of all nodes with a pending message in every batch, as
published; touched: only of those that the batch reads. Both give the same. --time-encoder fixed: its weights
do not learn. A line for each epoch: events trained a second of wall and of CPU time, mean loss, AP and AUC of
validation, and on events with new nodes: over all events, and *_batch200, as published, the mean over batches of
200; with --test improved also of the test parts whenever validation improved (published: once, at the end). The
last line is the best epoch's. --state: continue from there if it exists, and store there after each epoch. --seconds:
train for so long, from the middle of the first epoch on, print the speed and end.

--dump: no training to the end, but the first steps, for a comparison with another implementation: dropout 0 and a fixed
time encoder (unless told otherwise). Tensors: weights.NAME before the first step, gradients.STEP.NAME of the
first and the last step, after.NAME behind the last; step.N.{sources,destinations,negatives,events} (nodes and
events from 0), step.N.{loss,positive,negative} (loss, scores before the sigmoid), step.N.{state,updated} of the
memory behind the step; events.{sources,destinations,times,edge_features} of the whole stream.
"""
import argparse
import json
import os
import time

import numpy as np
import temporal_data as data
import torch
from tgn_model import PRESETS, Batch, Model, time_shifts
from torch.nn.functional import binary_cross_entropy_with_logits

WARM_UP = 3  # batches that are not timed
EVALUATION_BATCH = 200  # of the published program, whatever the batch size in training


class Work:
    """Events, their parts, the neighbours that training and evaluation may see, and negatives."""
    def __init__(self, args):
        self.events = data.first_events(data.read_events(args.events), args.first)
        if args.edge_dim is not None:
            data.set_features(self.events, args.edge_dim, args.random_features)
        if args.write_features:
            np.save(args.write_features, self.events.edge_features)
        events, self.split = self.events, data.split_events(self.events, args.new_nodes)
        self.train_finder = data.NeighborFinder(events, self.split.train)
        self.full_finder = data.NeighborFinder(events, np.arange(len(events)))
        self.train_negatives = self.negatives(self.split.train, args.seed)
        everything = np.arange(len(events))
        # The published program gives new_val the sampler of val.
        parts = {"val": (everything, 0), "new_val": (everything, 0), "test": (everything, 2),
                 "new_test": (self.split.new_test, 3)}
        self.part_negatives = {part: self.negatives(*choice) for part, choice in parts.items()}

    def negatives(self, numbers, seed):
        return data.Negatives(self.events.sources[numbers], self.events.destinations[numbers], seed)

    def batches(self, numbers, size, negatives):
        events = self.events
        for begin in range(0, len(numbers), size):
            part = numbers[begin:begin + size]
            yield Batch(events.sources[part], events.destinations[part], negatives.draw(len(part)),
                        events.times[part], part + 1)


class Clock:
    def __init__(self):
        self.wall, self.cpu, self.events = time.perf_counter(), time.process_time(), 0

    def rates(self):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return {"events_per_second": self.events / wall, "events_per_cpu_second": self.events / cpu,
                "wall": wall, "cpu": cpu}


def train_step(model, optimizer, batch, finder):
    optimizer.zero_grad()
    positive, negative = model.step(batch, finder)
    loss = binary_cross_entropy_with_logits(positive, torch.ones_like(positive)) \
        + binary_cross_entropy_with_logits(negative, torch.zeros_like(negative))
    loss.backward()
    optimizer.step()
    return loss.item(), positive, negative


def train_epoch(model, optimizer, work, args):
    model.train()
    model.reset()
    losses, clock = [], Clock()
    for batch in work.batches(work.split.train, args.batch_size, work.train_negatives):
        losses.append(train_step(model, optimizer, batch, work.train_finder)[0])
        clock.events += len(batch.sources)
    return {"loss": float(np.mean(losses)), "steps": len(losses), **clock.rates()}


def time_training(work, args, forward, step):
    """The speed of `step` on batches for --seconds. `forward`, without gradients and in large batches, brings the
    memory to the middle of training first: what depends on how full it is, is then as in the mean of an epoch."""
    middle = work.split.train[len(work.split.train) // 2:]
    with torch.no_grad():
        for batch in work.batches(work.split.train[:len(work.split.train) // 2], 1000, work.train_negatives):
            forward(batch)
    clock = Clock()
    for number, batch in enumerate(work.batches(middle, args.batch_size, work.train_negatives)):
        step(batch)
        clock.events += len(batch.sources)
        if number == WARM_UP:
            clock = Clock()
        elif number > WARM_UP and time.perf_counter() - clock.wall >= args.seconds:
            break
    return {**clock.rates(), "steps": number - WARM_UP}


@torch.no_grad()
def evaluate(model, work, part):
    negatives, metrics = work.part_negatives[part], data.Metrics()
    negatives.reset()
    model.eval()
    for batch in work.batches(getattr(work.split, part), EVALUATION_BATCH, negatives):
        positive, negative = model.step(batch, work.full_finder)
        metrics.add(positive.sigmoid().cpu().numpy(), negative.sigmoid().cpu().numpy())
    return metrics.result()


def evaluate_both(model, work, part):
    """The part, then from the same memory its events with new nodes; the memory is left behind the part."""
    model.eval()
    before = model.memory.copy() if model.memory else None
    whole = evaluate(model, work, part)
    after, model.memory = model.memory, before
    new = evaluate(model, work, f"new_{part}") if len(getattr(work.split, f"new_{part}")) else None
    model.memory = after
    return {part: whole, f"new_{part}": new}


class Run:
    """A training that can be stored after each epoch and continued."""
    def __init__(self, model, work, args):
        self.model, self.work, self.args = model, work, args
        self.optimizer = make_optimizer(model, args)
        self.epoch, self.best, self.worse, self.best_model = 0, None, 0, None

    def load(self):
        stored = torch.load(self.args.state, weights_only=False)
        self.model.load_state_dict(stored["model"])
        self.optimizer.load_state_dict(stored["optimizer"])
        torch.set_rng_state(stored["torch"])
        self.work.train_negatives.state.set_state(stored["negatives"])
        self.epoch, self.best, self.worse, self.best_model = stored["run"]

    def save(self):
        stored = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(),
                  "torch": torch.get_rng_state(), "negatives": self.work.train_negatives.state.get_state(),
                  "run": (self.epoch, self.best, self.worse, self.best_model)}
        torch.save(stored, f"{self.args.state}.part")
        os.replace(f"{self.args.state}.part", self.args.state)

    def finished(self):
        return self.epoch >= self.args.epochs or self.worse >= self.args.patience

    def next_epoch(self):
        found = {"epoch": self.epoch, **train_epoch(self.model, self.optimizer, self.work, self.args)}
        found.update(evaluate_both(self.model, self.work, "val"))
        self.epoch += 1
        ap = found["val"]["ap_batch200"]
        if self.best is None or (ap - self.best["val"]["ap_batch200"]) / self.best["val"]["ap_batch200"] > 1e-10:
            if self.args.test == "improved":
                found.update(evaluate_both(self.model, self.work, "test"))
            elif self.args.test == "end":
                self.best_model = ({k: v.clone() for k, v in self.model.state_dict().items()},
                                   self.model.memory.copy() if self.model.memory else None)
            self.best, self.worse = found, 0
        else:
            self.worse += 1
        return found

    def final(self):
        """The epoch that was best on validation, tested with its weights, memory and pending messages."""
        if self.best_model:
            self.model.load_state_dict(self.best_model[0])
            self.model.memory = self.best_model[1]
            self.best.update(evaluate_both(self.model, self.work, "test"))
        return {"final": True, "epochs": self.epoch, **self.best}


def make_optimizer(model, args):
    return torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=args.learning_rate, fused=True)


def train(model, work, args):
    run = Run(model, work, args)
    if args.state and os.path.exists(args.state):
        run.load()
    while not run.finished():
        line = run.next_epoch()
        if args.state:
            run.save()
        print(json.dumps(line), flush=True)
    print(json.dumps(run.final()), flush=True)


def dump(model, work, args):
    from safetensors.torch import save_file
    events, steps = work.events, args.dump_steps
    arrays = {"events.sources": events.sources - 1, "events.destinations": events.destinations - 1,
              "events.times": events.times, "events.edge_features": events.edge_features[1:]}
    tensors = {f"weights.{name}": value.detach().clone() for name, value in model.named_parameters()}
    optimizer = make_optimizer(model, args)
    model.train()
    batches = work.batches(work.split.train, args.batch_size, work.train_negatives)
    for step, batch in zip(range(1, steps + 1), batches):
        loss, positive, negative = train_step(model, optimizer, batch, work.train_finder)
        arrays.update({f"step.{step}.sources": batch.sources - 1, f"step.{step}.destinations": batch.destinations - 1,
                       f"step.{step}.negatives": batch.negatives - 1, f"step.{step}.events": batch.rows - 1})
        found = {"loss": torch.tensor([loss], dtype=torch.float64), "positive": positive.detach(),
                 "negative": negative.detach(), **model.stored()}
        tensors.update({f"step.{step}.{name}": value for name, value in found.items()})
        if step in (1, steps):
            tensors.update({f"gradients.{step}.{name}": value.grad.clone() for name, value in model.named_parameters()
                            if value.grad is not None})
    tensors.update({f"after.{name}": value.detach().clone() for name, value in model.named_parameters()})
    tensors.update({name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()})
    save_file(tensors, args.dump, {"options": json.dumps(vars(args))})


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("--preset", choices=PRESETS, default="attn")
    parser.add_argument("--update", choices=["touched", "all"], default="touched")
    parser.add_argument("--message", choices=["identity", "mlp"], default="identity")
    parser.add_argument("--aggregator", choices=["last", "mean"], default="last")
    parser.add_argument("--time-encoder", choices=["trainable", "fixed"])
    parser.add_argument("--dim", type=int, default=172, help="of memory, embeddings and times")
    parser.add_argument("--message-dim", type=int, default=100, help="with --message mlp")
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--neighbors", type=int, default=10)
    parser.add_argument("--dropout", type=float)
    parser.add_argument("--edge-dim", type=int, help="features in place of the stream's")
    parser.add_argument("--random-features", type=int, metavar="SEED", help="normal numbers, not zeros")
    parser.add_argument("--write-features", metavar="FILE", help="as ml_NAME.npy: [events + 1, dim], row 0 zero")
    parser.add_argument("--first", type=int, help="only so many events of the stream")
    parser.add_argument("--new-nodes", type=float, default=0.1)
    parser.add_argument("--batch-size", type=int, default=200)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--patience", type=int, default=5)
    parser.add_argument("--test", choices=["improved", "end", "never"], default="improved")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--state", metavar="FILE")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--double", action="store_true")
    parser.add_argument("--dump", metavar="FILE")
    parser.add_argument("--dump-steps", type=int, default=5)
    return parser


def parse(parser):
    """The options, and random numbers and threads as they say."""
    args = parser.parse_args()
    checking = args.dump or getattr(args, "compare", 0)
    args.dropout = args.dropout if args.dropout is not None else 0 if checking else 0.1
    args.time_encoder = args.time_encoder or ("fixed" if args.dump else "trainable")
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    return args


def run(model, work, args):
    """What the options ask for, once there is a model."""
    if args.dump:
        return dump(model, work, args)
    sizes = {"events": len(work.events), "nodes": work.events.num_nodes - 1,
             **{name: len(part) for name, part in vars(work.split).items()}}
    print(json.dumps({"options": vars(args), "torch": torch.__version__, **sizes,
                      "parameters": sum(p.numel() for p in model.parameters())}), flush=True)
    if args.seconds:
        optimizer = make_optimizer(model, args)
        print(json.dumps(time_training(work, args, lambda batch: model.step(batch, work.train_finder),
                                       lambda batch: train_step(model, optimizer, batch, work.train_finder))))
    else:
        train(model, work, args)


def main():
    args = parse(options())
    work = Work(args)
    run(Model(work.events, args, time_shifts(work.events)), work, args)


if __name__ == "__main__":
    main()
