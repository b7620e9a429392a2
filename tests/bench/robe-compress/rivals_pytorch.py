#!/usr/bin/env python3
"""Test AUC of third parties' compressed embeddings in PyTorch and of robe-compress, at equal bytes on the same samples.

    rivals_pytorch.py [--robe FOLDER] [--dlrm FOLDER] [--cce FOLDER] [--data FOLDER] [--sets NAME,...]
                      [--compressions 10,100] [--rivals NAME,...] [--seeds 3] [--robe-compress PATH]
                      [--json FILE]

--robe: apd10/universal_memory_allocation. --dlrm: facebookresearch/dlrm. --cce: thomasahle/cce, which imports faiss
and ortools. Needs PyTorch in this interpreter. Sets and layers are those of storages.py, of 64 and 64-32 units. A tenth
of the training part chooses the epoch, and for a rival the best of RATES, then of its variants, with seed 1; ours has
its defaults. Parameters of tables are f32 and as many as the bytes hold; indices that a rival learns are not counted.
One thread each. CPU s: of a training with validation; ours is the whole command, reading included.
"""
import argparse
import math
import os
import shlex
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402
from accuracy import SETS, SMALL, run_json  # noqa: E402
import click_data  # noqa: E402
import click_parts  # noqa: E402
from dlrm_pytorch import perceptron  # noqa: E402

BATCH, PATIENCE, MOST_EPOCHS = 128, 2, 100
RATES = [("adam", 0.001, 10), ("adam", 0.003, 3), ("adagrad", 0.05, 1)]  # of the network, and times as much for the tables
OURS = {"ours, default": [], "ours, f32": ["--storage", "f32"],
        "ours, published hash, f32": ["--storage", "f32", "--hash", "robe2021"]}


def make_layers(torch, numbers, tables, dim, layers=((64,), (64, 32))):
    bottom, top = layers

    class Layers(torch.nn.Module):
        """DLRM's; without numbers the embeddings stand beside their products, as in ours."""
        def __init__(self):
            super().__init__()
            vectors = tables + (numbers > 0)
            self.bottom = perceptron(torch, [numbers, *bottom, dim], False) if numbers else None
            passed = dim if numbers else tables * dim
            self.top = perceptron(torch, [passed + vectors * (vectors - 1) // 2, *top, 1], True)
            i, j = torch.tril_indices(vectors, vectors, -1)
            self.register_buffer("pairs", i * vectors + j)

        def forward(self, dense, vectors):
            passed = vectors.flatten(1)
            if self.bottom:
                passed = self.bottom(dense)
                vectors = torch.cat([passed.unsqueeze(1), vectors], 1)
            products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
            return self.top(torch.cat([passed, products.index_select(1, self.pairs)], 1)).squeeze(1)
    return Layers()


class Samples:
    """The parts of a set as tensors."""
    def __init__(self, torch, name, args, work):
        parts, self.tables = click_parts.load(SETS[name], args, work)
        self.parts = [(torch.tensor([float(label) for label in part.labels]), torch.tensor(part.numbers),
                       torch.tensor(part.rows)) for part in parts]
        labels = self.parts[1][0]
        self.of_share = loss_of_share(labels)


def loss_of_share(labels):
    """The log-loss of always predicting the share of clicks."""
    share = labels.mean().item()
    return -(share * math.log(share) + (1 - share) * math.log(1 - share))


class Training:
    """A training that ends as ours does: where two epochs bring no better log-loss of what is held out."""
    def __init__(self, torch, samples, make, rates, seed, budget, layers=((64,), (64, 32))):
        import numpy
        self.torch, self.samples, self.rates = torch, samples, rates
        torch.manual_seed(seed)
        numpy.random.seed(seed)
        self.tables = make(samples.tables, budget)
        self.clusterings = getattr(make, "clusterings", 0)
        self.layers = make_layers(torch, samples.parts[0][1].shape[1], len(samples.tables), 16, layers)
        learnt = [p for p in self.tables.parameters() if p.requires_grad]
        self.parameters = sum(p.numel() for p in learnt)
        kind, rate, factor = rates
        kinds = {"adam": torch.optim.Adam, "adagrad": torch.optim.Adagrad}
        self.optimizer = kinds[kind]([{"params": learnt, "lr": rate * factor}, {"params": self.layers.parameters()}],
                                     lr=rate, fused=True)
        self.best_loss, self.best_epoch, self.cpu, self.state = math.inf, 0, 0.0, None

    def logits(self, part, order=slice(None)):
        _, numbers, rows = self.samples.parts[part]
        return self.layers(numbers[order], self.tables(rows[order]))

    def run_epoch(self):
        labels = self.samples.parts[0][0]
        for order in self.torch.randperm(len(labels)).split(BATCH):
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.torch.nn.functional.binary_cross_entropy_with_logits(self.logits(0, order), labels[order])
            loss.backward()
            self.optimizer.step()

    def validate(self):
        with self.torch.no_grad():
            loss = self.torch.nn.functional.binary_cross_entropy_with_logits(self.logits(1), self.samples.parts[1][0])
        return loss.item() if math.isfinite(loss.item()) else math.inf

    def patience(self, loss):
        """More while nothing is learnt yet, as in ours."""
        waits = self.best_loss >= 0.999 * self.samples.of_share and loss <= 1.1 * self.samples.of_share
        steps = 1 + len(self.samples.parts[0][0]) // BATCH
        return min(max(2000 // steps, 10), MOST_EPOCHS) if waits else PATIENCE

    def keep(self):
        self.state = [{name: value.clone() for name, value in module.state_dict().items()}
                      for module in (self.tables, self.layers)]

    def cluster(self):
        for module in self.tables.modules():
            if hasattr(module, "cluster"):
                module.cluster()

    def run(self):
        begin = time.process_time()
        for epoch in range(1, MOST_EPOCHS + 1):
            self.run_epoch()
            loss = self.validate()
            if loss < self.best_loss:
                self.best_loss, self.best_epoch = loss, epoch
                self.keep()
            if epoch <= self.clusterings:
                self.cluster()
            elif epoch - max(self.best_epoch, self.clusterings) >= self.patience(loss):
                break
        self.cpu = time.process_time() - begin
        return self

    def millions_of_lookups(self, seconds=0.5):
        """A second of CPU time, in calls of 2,048 samples."""
        rows, calls, begin = self.samples.parts[2][2][:2048], 0, time.process_time()
        with self.torch.no_grad():
            while time.process_time() - begin < seconds:
                self.tables(rows)
                calls += 1
        return calls * rows.numel() / (time.process_time() - begin) / 1e6

    def test_auc(self):
        for module, state in zip((self.tables, self.layers), self.state):
            module.load_state_dict(state)
        with self.torch.no_grad():
            return click_data.auc(self.samples.parts[2][0].tolist(), self.logits(2).tolist())


def tune(torch, samples, variants, budget, too_few):
    """Of seed 1: the training with the best rates for the first variant that has enough parameters, then with the best
    variant, by the log-loss of what is held out; and its name. (None, "") where the bytes are too few for all."""
    best, chosen, rates = None, "", RATES
    for name, make in variants.items():
        for tried in rates:
            try:
                training = Training(torch, samples, make, tried, 1, budget).run()
            except too_few:
                continue
            if best is None or training.best_loss < best.best_loss:
                best, chosen = training, name
        if best:
            rates = [best.rates]
    return best, chosen


def run_rival(torch, samples, variants, budget, args, too_few):
    """What was chosen, and figures of each seed; None where the bytes are too few."""
    best, name = tune(torch, samples, variants, budget, too_few)
    if best is None:
        return None
    done = [best, *(Training(torch, samples, variants[name], best.rates, seed, budget).run()
                    for seed in range(2, args.seeds + 1))]
    return {"variant": name, "rates": best.rates, "numbers": best.parameters, "epochs": [d.best_epoch for d in done],
            "lookups": best.millions_of_lookups(), "aucs": [d.test_auc() for d in done], "cpu": [d.cpu for d in done]}


def run_ours(name, args, work, options):
    train, test = SETS[name].prepare(args, work)
    held_out = "every:10" if SETS[name].split == "every" else "last:0.1"
    result = {"variant": "", "rates": [], "epochs": [], "aucs": [], "cpu": []}
    for seed in range(1, args.seeds + 1):
        command = [args.robe_compress, "train", train, "-o", f"{work}/ours", "-f", "--seed", str(seed), "--threads", "1",
                   *shlex.split(SETS[name].options), *shlex.split(SETS[name].layers(SMALL)), "--held-out", held_out,
                   "--json", "-q", *options]
        measured = measures.measure(command)
        said = measures.json.loads(measured["out"])
        result["numbers"], result["bytes"], result["rows"] = said["embedding_parameters"], said["embedding_bytes"], said["rows"]
        result["epochs"].append(said["best_epoch"])
        result["cpu"].append(measured["cpu"])
        result["aucs"].append(run_json([args.robe_compress, "eval", f"{work}/ours", test])["auc"])
    return result


def say(row):
    deviation = statistics.stdev(row["aucs"]) if len(row["aucs"]) > 1 else 0
    lookups = f"{row['lookups']:.2f}" if "lookups" in row else ""
    chosen = f"{row['variant']} {row['rates']}" if row["rates"] else ""
    print(f"| {row['set']} | {row['compression']} | {row['row']} | {statistics.mean(row['aucs']):.4f} +- {deviation:.4f} | "
          f"{row['numbers']} | {statistics.median(row['cpu']):.1f} | {lookups} | {chosen} |", flush=True)


def run_set(torch, name, args, work):
    import rival_tables
    samples = Samples(torch, name, args, work)
    rows = []

    def add(label, compression, result):
        if result:
            rows.append({"set": name, "row": label, "compression": compression, **result})
            say(rows[-1])
        else:
            print(f"| {name} | {compression} | {label} | too small |", flush=True)

    add("ours, full tables", "1", run_ours(name, args, work, ["--method", "full"]))
    assert rows[0]["rows"] == sum(samples.tables), (rows[0]["rows"], samples.tables)  # read alike
    rivals = {label: variants for label, variants in rival_tables.rivals(args).items()
              if args.rivals is None or label in args.rivals.split(",")}
    numbers = sum(samples.tables) * rival_tables.DIM
    full = rivals.pop("full tables", None)
    if full:
        add("full tables", "1", run_rival(torch, samples, full, numbers, args, rival_tables.TOO_FEW))
    for compression in args.compressions.split(","):
        for label, options in OURS.items():
            add(label, compression, run_ours(name, args, work, ["--compression", compression, *options]))
        for label, variants in rivals.items():
            add(label, compression, run_rival(torch, samples, variants, int(numbers / float(compression)), args,
                                              rival_tables.TOO_FEW))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for folder in ("--robe", "--dlrm", "--cce"):
        parser.add_argument(folder, metavar="FOLDER")
    parser.add_argument("--data", default=measures.default_data())
    parser.add_argument("--sets", default="frappe-partial,insteval,adult,criteo-10k,avazu-10k,movielens")
    parser.add_argument("--rivals", help="NAME,... of rival_tables.py (all whose folder is given, and full tables)")
    parser.add_argument("--compressions", default="10,100")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--robe-compress", default=measures.default_program("robe-compress"))
    parser.add_argument("--json")
    args = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    print("| set | times smaller | tables | test AUC | numbers | CPU s | M look-ups/s | chosen |\n|---|---|---|---|---:|---:|---:|---|")
    rows = []
    for name, work in click_data.sets_here(args, SETS):
        rows += run_set(torch, name, args, work)
        click_data.write_json(args.json, rows)


if __name__ == "__main__":
    main()
