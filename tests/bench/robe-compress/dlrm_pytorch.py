#!/usr/bin/env python3
"""The reference DLRM in PyTorch on Criteo's format, full tables or ROBE as published.

    dlrm_pytorch.py TRAIN TEST [--tables separate|fused] [--robe M [--block Z]] [--optimizer sgd|adagrad]
                    [--learning-rate 0.1] [--batch-size 128] [--dim 16] [--epochs 1] [--warm-steps N] [--compile]
                    [--device cuda] [--ddp] [--json]

Needs PyTorch in this interpreter. The model is facebookresearch/dlrm's of dlrm_s_criteo_kaggle.sh: bottom
13-512-256-64-16, dot products of all pairs, top 512-256-1, binary cross-entropy, its initialisation.
Tables: `separate` is an EmbeddingBag(mode="sum", sparse=True) for each, as there; `fused` one sparse
Embedding of all rows, which saves 25 calls each way. --robe: one Parameter of M numbers and the look-up of
ROBE's first published code, by int64 arithmetic and index_select, whose gradient is an index_add.
Reading, batches as tensors and, with --compile, compilation come before the clock starts; so do the first --warm-steps
of training (10 on a GPU, where they load kernels and find algorithms, else none), which count as steps but not as time
or samples. With --device cuda all batches lie on the device before, and what is compiled runs as CUDA graphs. --ddp: as ranks that mpirun started,
with MASTER_ADDR and MASTER_PORT: DistributedDataParallel by gloo of embeddings and layers, a batch a rank and step.
"""
import argparse
import json
import math
import os
import time

import click_data

P, R1, R2, R3 = 2038074743, 634329019, 1825252241, 871205356  # of the published code


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--tables", default="separate", choices=["separate", "fused"])
    parser.add_argument("--robe", type=int, default=0, metavar="M", help="numbers in the array; 0 = full tables")
    parser.add_argument("--compression", type=float, default=0, help="instead of --robe: times smaller")
    parser.add_argument("--block", type=int, default=0, help="Z; 0 = dim")
    parser.add_argument("--init", type=float, default=0, help="bound of the array's start; 0 = 1 / sqrt(dim)")
    parser.add_argument("--optimizer", default="sgd", choices=["sgd", "adagrad"])
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--warm-steps", type=int, metavar="N", help="steps before the clock starts (10 with cuda, else 0)")
    parser.add_argument("--bottom", default="512,256,64")
    parser.add_argument("--top", default="512,256")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--compile", action="store_true", help="torch.compile the layers")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--ddp", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.warm_steps is None:
        args.warm_steps = 10 if args.device == "cuda" else 0
    return args


def load(torch, args):
    """(labels, numbers, rows) of both files and the tables' rows. Row 0 is for categories that training
    lacks."""
    parts, tables = [], []
    for path in (args.train, args.test):
        labels, numbers, categories = click_data.read_criteo(path)
        parts.append([torch.tensor(labels), torch.tensor(numbers).view(-1, click_data.NUMBERS),
                      torch.tensor(categories).view(-1, click_data.CATEGORIES).t().contiguous()])
    train, test = parts[0][2], parts[1][2]
    for t in range(click_data.CATEGORIES):
        known, inverse = torch.unique(train[t], return_inverse=True)
        at = torch.searchsorted(known, test[t]).clamp_(max=len(known) - 1)
        test[t] = torch.where(known[at] == test[t], at + 1, 0)
        train[t] = inverse + 1
        tables.append(len(known) + 1)
    return parts, tables


def perceptron(torch, sizes, last_is_linear):
    layers = []
    for n, m in zip(sizes, sizes[1:]):
        layer = torch.nn.Linear(n, m)
        torch.nn.init.normal_(layer.weight, std=math.sqrt(2 / (m + n)))
        torch.nn.init.normal_(layer.bias, std=math.sqrt(1 / m))
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1] if last_is_linear else layers)


def make_tables(torch, tables, args):
    """A module that maps rows [tables, samples] to vectors [samples, tables, dim]."""
    def start(weight, rows):
        return torch.nn.init.uniform_(weight, -math.sqrt(1 / rows), math.sqrt(1 / rows))

    first = torch.tensor([0] + tables[:-1]).cumsum(0).view(-1, 1)

    class Separate(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = torch.nn.ModuleList(
                torch.nn.EmbeddingBag(n, args.dim, mode="sum", sparse=True) for n in tables)
            for bag, n in zip(self.bags, tables):
                start(bag.weight, n)
            self.offsets = torch.arange(args.batch_size)

        def forward(self, rows):
            offsets = self.offsets[:rows.shape[1]]
            return torch.stack([bag(rows[t], offsets) for t, bag in enumerate(self.bags)], 1)

    class Fused(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(sum(tables), args.dim, sparse=True)
            with torch.no_grad():
                for part, n in zip(self.table.weight.split(tables), tables):
                    start(part, n)

        def forward(self, rows):
            return self.table((rows + first).t())

    class Gather(torch.autograd.Function):
        @staticmethod
        def forward(context, array, slots):
            context.save_for_backward(slots)
            context.size = array.numel()
            return array.index_select(0, slots)

        @staticmethod
        def backward(context, gradient):
            slots, = context.saved_tensors
            return gradient.new_zeros(context.size).index_add_(0, slots, gradient), None

    class Robe(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.block = args.block or args.dim
            self.array = torch.nn.Parameter(torch.empty(args.robe))
            bound = args.init or 1 / math.sqrt(args.dim)
            torch.nn.init.uniform_(self.array, -bound, bound)
            self.chunks = torch.arange(args.dim // self.block) * R2 + R1
            self.inside = torch.arange(self.block)

        def forward(self, rows):
            sums = ((rows + first).t() * R3).unsqueeze(-1) + self.chunks
            starts = (sums % P) % (args.robe - self.block + 1)
            slots = (starts.unsqueeze(-1) + self.inside).flatten()
            return Gather.apply(self.array, slots).view(rows.shape[1], len(tables), args.dim)

    if args.robe:
        return Robe()
    return Separate() if args.tables == "separate" else Fused()


def build(torch, tables, args):
    class Layers(torch.nn.Module):
        """Numbers and embeddings to logits."""
        def __init__(self):
            super().__init__()
            vectors = len(tables) + 1
            self.bottom = perceptron(torch, [click_data.NUMBERS, *sizes(args.bottom), args.dim], False)
            self.top = perceptron(torch, [vectors * (vectors - 1) // 2 + args.dim, *sizes(args.top), 1], True)
            i, j = torch.tril_indices(vectors, vectors, -1)
            self.register_buffer("pairs", i * vectors + j)

        def forward(self, numbers, embedded):
            dense = self.bottom(numbers)
            all_vectors = torch.cat([dense.unsqueeze(1), embedded], 1)
            products = torch.bmm(all_vectors, all_vectors.transpose(1, 2)).flatten(1)
            return self.top(torch.cat([dense, products.index_select(1, self.pairs)], 1)).squeeze(1)

    return make_tables(torch, tables, args), Layers()


def sizes(text):
    return [int(size) for size in text.split(",")]


def batches(part, size, order):
    """Batches as tensors, those of rows [tables, samples]."""
    labels, numbers, rows = part
    labels, numbers, rows = labels[order], numbers[order], rows[:, order]
    return [(labels[i:i + size], numbers[i:i + size], rows[:, i:i + size].contiguous())
            for i in range(0, len(labels), size)]


def reset_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def peak_mib():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


def rank_of_all():
    """(rank, ranks) of what mpirun started."""
    return int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])


def distributed(torch, embedding, layers):
    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.layers = embedding, layers

        def forward(self, numbers, rows):
            return self.layers(numbers, self.embedding(rows))

    rank, ranks = rank_of_all()
    torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
    return torch.nn.parallel.DistributedDataParallel(Both())


def train(torch, embedding, layers, work, args):
    """Trains all epochs. Returns wall seconds, CPU seconds and samples of the steps after the warm ones."""
    parameters = [*embedding.parameters(), *layers.parameters()]
    make = torch.optim.SGD if args.optimizer == "sgd" else torch.optim.Adagrad
    optimizer = make(parameters, lr=args.learning_rate)
    loss_of = torch.nn.BCEWithLogitsLoss()
    run = layers
    forward = lambda numbers, rows: run(numbers, embedding(rows))  # noqa: E731
    if args.ddp:
        forward = distributed(torch, embedding, layers)
    if args.compile:
        run = torch.compile(layers, mode="reduce-overhead" if args.device == "cuda" else None)
        for labels, numbers, rows in 3 * (work[0], work[-1]):
            loss_of(run(numbers, embedding(rows)), labels).backward()
        optimizer.zero_grad(set_to_none=True)

    def step(labels, numbers, rows):
        loss = loss_of(forward(numbers, rows), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    def clocks():
        if args.device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter(), time.process_time()

    steps = args.epochs * work
    for batch in steps[:args.warm_steps]:
        step(*batch)
    wall, cpu = clocks()
    for batch in steps[args.warm_steps:]:
        step(*batch)
    wall_end, cpu_end = clocks()
    return wall_end - wall, cpu_end - cpu, sum(len(labels) for labels, _, _ in steps[args.warm_steps:])


def main():
    args = parse_arguments()
    import torch

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    (train_part, test_part), tables = load(torch, args)
    if args.compression:
        args.robe = int(sum(tables) * args.dim / args.compression)
    torch.set_default_device(args.device)
    train_part, test_part = ([tensor.to(args.device) for tensor in part] for part in (train_part, test_part))
    embedding, layers = build(torch, tables, args)
    work = batches(train_part, args.batch_size, torch.randperm(len(train_part[0])))
    if args.ddp:  # neighbouring batches make a step; ranks have equally many
        rank, ranks = rank_of_all()
        work = work[rank:len(work) // ranks * ranks:ranks]
    reset_peak()
    wall, cpu, timed = train(torch, embedding, layers, work, args)
    memory = peak_mib()
    if args.ddp and rank != 0:
        return
    timed *= ranks if args.ddp else 1
    with torch.no_grad():
        logits = torch.cat([layers(numbers, embedding(rows)) for _, numbers, rows
                            in batches(test_part, args.batch_size, torch.arange(len(test_part[0])))])
    labels, logits = test_part[0].tolist(), logits.tolist()
    result = {"samples": len(train_part[0]), "rows": sum(tables), "array": args.robe,
              "parameters": sum(p.numel() for p in embedding.parameters()), "wall": wall, "cpu": cpu,
              "steps": args.epochs * len(work), "samples_per_second": timed / wall, "memory": memory,
              "auc": click_data.auc(labels, logits), "log_loss": click_data.log_loss(labels, logits)}
    if args.json:
        print(json.dumps(result))
    else:
        print(f"{timed} samples in {wall:.1f} s ({cpu:.1f} CPU s), {result['samples_per_second']:.0f} "
              f"samples/s, AUC {result['auc']:.4f}, log-loss {result['log_loss']:.4f}, peak {memory:.0f} MiB")


if __name__ == "__main__":
    main()
