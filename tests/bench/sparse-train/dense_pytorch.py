#!/usr/bin/env python3
"""A dense PyTorch network of sparse-train's shape on the same XMC files, on the same cores.

    dense_pytorch.py FOLDER... [--hidden 128] [--batch-size 256] [--epochs 5] [--optimizer adam|adagrad]
                     [--learning-rate 0.002] [--batches N] [--ours NAME=OPTIONS]... [--json FILE]
                     [--device cuda] [--compile] [--bf16] [--warm-steps N]

Needs PyTorch in this interpreter. The network: EmbeddingBag (sparse gradients) + bias, ReLU, Linear;
full softmax with a point's labels sharing the target. Optimisers as PyTorch's documents have them for
sparse gradients: SparseAdam for the bag and Adam for the rest, or Adagrad for all. With --batches only
so many batches are read and trained, --epochs times; the epoch is extrapolated and no accuracy given.
sparse-train gets the same hidden units, batch size and epochs, and no dropout; of it the whole command's
CPU time is measured, of PyTorch only the epochs': reading, importing and evaluating are not counted.
With --device cuda all batches lie on the device before the clock starts, and the first --warm-steps (10 on a GPU, where
they load kernels and find algorithms, else none) are trained before it, too. --compile compiles output layer and
loss, whose shapes are those of whole batches; --bf16 runs them under autocast.
FOLDER holds {train,test}.txt[.zst].
"""
import argparse
import collections
import json
import os
import shlex
import sys
import tempfile

import measures
import xmc_data
import xmc_rivals

Row = collections.namedtuple("Row", "labels indices values")
OURS = {"shared": "--architecture shared --dropout 0", "dense": "--architecture dense --loss softmax --dropout 0"}


def bags(torch, rows, chosen):
    """Indices, offsets and values of the chosen rows, as EmbeddingBag takes them."""
    offsets = torch.tensor([0] + [len(rows[i].indices) for i in chosen]).cumsum(0)[:-1]
    return (torch.cat([rows[i].indices for i in chosen]), offsets,
            torch.cat([rows[i].values for i in chosen]))


def tensors(torch, rows):
    """Each row's labels and its features scaled to length 1, as sparse-train does by default."""
    result = []
    for labels, features in rows:
        values = torch.tensor([value for _, value in features], dtype=torch.float32)
        indices = torch.tensor([feature for feature, _ in features], dtype=torch.int64)
        result.append(Row(labels, indices, torch.nn.functional.normalize(values, dim=0)))
    return result


def build(torch, num_features, num_labels, args):
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bag = torch.nn.EmbeddingBag(num_features, args.hidden, mode="sum", sparse=True)
            self.bias = torch.nn.Parameter(torch.zeros(args.hidden))
            self.output = torch.nn.Linear(args.hidden, num_labels)
            torch.nn.init.normal_(self.bag.weight, std=0.1)

        def hidden(self, indices, offsets, values):
            return torch.relu(self.bag(indices, offsets, per_sample_weights=values) + self.bias)

        def forward(self, *batch):
            return self.output(self.hidden(*batch))

    network = Network().to(args.device)
    dense = [network.bias, *network.output.parameters()]
    if args.optimizer == "adagrad":
        return network, [torch.optim.Adagrad(network.parameters(), lr=args.learning_rate)]
    return network, [torch.optim.SparseAdam([network.bag.weight], lr=args.learning_rate),
                     torch.optim.Adam(dense, lr=args.learning_rate)]


def own_labels(torch, labels):
    """Rows, columns and target shares of a batch's own labels."""
    rows = torch.tensor([i for i, row in enumerate(labels) for _ in row])
    columns = torch.tensor([label for row in labels for label in row])
    shares = torch.tensor([1 / len(row) for row in labels for _ in row])
    return rows, columns, shares


def loss_function(torch, network, args):
    """Cross-entropy of hidden units with the target spread evenly over a point's labels."""
    def loss_of(hidden, rows, columns, shares):
        with torch.autocast(args.device, dtype=torch.bfloat16, enabled=args.bf16):
            logits = network.output(hidden)
        return (torch.logsumexp(logits.float(), 1).sum()
                - (logits[rows, columns].float() * shares).sum()) / len(hidden)

    return torch.compile(loss_of, dynamic=True) if args.compile else loss_of


def batches_of(torch, rows, epoch, args):
    """An epoch's batches, each as features and as own labels."""
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(epoch)).tolist()
    for begin in range(0, len(rows), args.batch_size):
        chosen = order[begin:begin + args.batch_size]
        yield [tuple(part.to(args.device) for part in parts)
               for parts in (bags(torch, rows, chosen), own_labels(torch, [rows[i].labels for i in chosen]))]


def train(torch, network, optimizers, rows, args):
    """Trains. Returns CPU and wall seconds of the batches after the warm ones, their number, and the most memory of a GPU."""
    loss_of = loss_function(torch, network, args)
    on_gpu = args.device == "cuda"
    epochs = [list(batches_of(torch, rows, e, args)) if on_gpu else batches_of(torch, rows, e, args)
              for e in range(args.epochs)]
    if args.compile and on_gpu:  # before the clock starts, without a step
        features, own = epochs[0][0]
        loss_of(network.hidden(*features), *own).backward()
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    clock, batches = xmc_rivals.Clock(), 0
    for number, (features, own) in enumerate(batch for epoch in epochs for batch in epoch):
        if number == args.warm_steps:
            if on_gpu:
                torch.cuda.synchronize()
            clock, batches = xmc_rivals.Clock(), 0
        loss = loss_of(network.hidden(*features), *own)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        batches += 1
    if on_gpu:
        torch.cuda.synchronize()
    wall, cpu = clock.lap()
    memory = {"gpu_memory": torch.cuda.max_memory_allocated()} if on_gpu else {}
    return {"wall": wall, "cpu": cpu, "batches": batches, **memory}


def predict(torch, network, rows, batch_size):
    guesses = []
    with torch.no_grad():
        for begin in range(0, len(rows), batch_size):
            chosen = range(begin, min(begin + batch_size, len(rows)))
            features = [part.to(network.bias.device) for part in bags(torch, rows, chosen)]
            guesses += network(*features).topk(5).indices.tolist()
    return guesses


def run_pytorch(problem, args):
    import torch

    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    limit = args.batches * args.batch_size or None
    (examples, num_features, num_labels), rows = xmc_data.parse(measures.read(problem.files["train"]),
                                                                limit)
    network, optimizers = build(torch, num_features, num_labels, args)
    labelled = tensors(torch, [row for row in rows if row[0]])
    result = train(torch, network, optimizers, labelled, args)
    epochs = result["batches"] * args.batch_size / examples
    result.update(examples=examples, epoch_cpu=result["cpu"] / epochs, epoch_wall=result["wall"] / epochs)
    if not limit:
        tests = tensors(torch, xmc_data.parse(measures.read(problem.files["test"]))[1])
        result.update(problem.grade(predict(torch, network, tests, args.batch_size)))
    return result


def run_ours(options, problem, args):
    model = f"{problem.work}/ours.model"
    command = [args.sparse_train, "train", problem.files["train"], "-o", model, "--force", "--json",
               "--threads", str(args.threads), "--hidden", str(args.hidden), "--batch-size",
               str(args.batch_size), "--epochs", str(args.epochs), "--device", args.our_device,
               *shlex.split(options)]
    result = measures.measure(command)
    report = json.loads(result["out"])
    result["examples"] = report["examples"]
    result["epoch_wall"] = report["fit_seconds"] / args.epochs
    result["epoch_cpu"] = result["cpu"] / args.epochs
    guesses, _ = measures.predict(args.sparse_train, model, problem.files["test"], args.threads)
    result.update(problem.grade(guesses))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batches", type=int, default=0, help="PyTorch only so many; 0 = all")
    parser.add_argument("--optimizer", default="adam", choices=["adam", "adagrad"])
    parser.add_argument("--learning-rate", type=float, default=0.002)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--ours", action="append", metavar="NAME=OPTIONS",
                        help="settings of sparse-train instead of the usual ones; NAME= alone: none; '' alone: no run")
    parser.add_argument("--sparse-train", default=measures.default_program())
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="of PyTorch")
    parser.add_argument("--our-device", default="cpu", help="of sparse-train")
    parser.add_argument("--compile", action="store_true", help="torch.compile the output layer and the loss")
    parser.add_argument("--bf16", action="store_true", help="products of the output layer in bf16")
    parser.add_argument("--warm-steps", type=int, metavar="N", help="steps before the clock starts (10 with cuda, else 0)")
    parser.add_argument("--only-ours", action="store_true", help="leave PyTorch out")
    parser.add_argument("--json")
    args = parser.parse_args()
    if args.warm_steps is None:
        args.warm_steps = 10 if args.device == "cuda" else 0
    ours = dict(item.split("=", 1) for item in args.ours if item) if args.ours else OURS
    rows = []
    for folder in args.folders:
        with tempfile.TemporaryDirectory() as work:
            problem = xmc_data.Problem(folder, work)
            name = os.path.basename(os.path.normpath(folder))
            rival = f"PyTorch, {args.optimizer} {args.learning_rate:g}"
            runs = {} if args.only_ours else {rival: lambda: run_pytorch(problem, args)}
            runs.update({f"sparse-train, {key}": lambda o=options: run_ours(o, problem, args)
                         for key, options in ours.items()})
            for program, run in runs.items():
                result = run()
                result.pop("out", None)
                rows.append({"set": name, "program": program, **result})
                print(f"{name}: {program}: {rows[-1]}", file=sys.stderr)
    print_table(rows)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def print_table(rows):
    print("| data set | program | P@1 | P@5 | CPU s an epoch | wall s an epoch | points a CPU s | PyTorch / this |")
    print("|---|---|" + "---:|" * 6)
    for row in rows:
        rival = next(r for r in rows if r["set"] == row["set"])
        accuracy = [f"{100 * row[m]:.2f}" if m in row else "-" for m in ("p1", "p5")]
        print(f"| {row['set']} | {row['program']} | {accuracy[0]} | {accuracy[1]} | {row['epoch_cpu']:.2f} "
              f"| {row['epoch_wall']:.2f} | {row['examples'] / row['epoch_cpu']:.0f} "
              f"| {rival['epoch_cpu'] / row['epoch_cpu']:.1f} |")


if __name__ == "__main__":
    main()
