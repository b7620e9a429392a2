"""Embedding tables of third parties' PyTorch code in a given number of parameters; needs PyTorch.

A rival is a list of variants, the first its default. A variant makes a module that maps rows [samples, tables] to
vectors [samples, tables, dim], or raises ValueError where the parameters are too few for it. The folders hold the
third parties' repositories, of which nothing is here.
"""
import contextlib
import io
import sys

import torch

DIM = 16
PLACES = ("all tables in one", "each table")
TOO_FEW = (ValueError, RuntimeError, ZeroDivisionError, AssertionError, IndexError)  # of third parties' constructors


class OneModule(torch.nn.Module):
    """All tables' rows, one behind the other, in one module."""
    def __init__(self, module, tables):
        super().__init__()
        self.module = module
        self.register_buffer("first", torch.tensor([0, *tables[:-1]]).cumsum(0))

    def forward(self, rows):
        return self.module((rows + self.first).flatten()).view(*rows.shape, DIM)


class EachModule(torch.nn.Module):
    """A module for each table."""
    def __init__(self, modules):
        super().__init__()
        self.tables = torch.nn.ModuleList(modules)

    def forward(self, rows):
        return torch.stack([table(rows[:, t]) for t, table in enumerate(self.tables)], 1)


class Summed(torch.nn.Module):
    """An EmbeddingBag of one row a bag."""
    def __init__(self, bag):
        super().__init__()
        self.bag = bag

    def forward(self, rows):
        return self.bag(rows, torch.arange(len(rows)))


def full_table(rows):
    table = torch.nn.Embedding(rows, DIM)
    torch.nn.init.uniform_(table.weight, -rows ** -0.5, rows ** -0.5)
    return table


def capped(tables, budget, make):
    """Small tables as they are and `make(rows, numbers)` for the others, of one size, as large as `budget` lets it."""
    low, high = 0, max(tables)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(min(n, middle) for n in tables) * DIM <= budget else (low, middle - 1)
    return EachModule([full_table(n) if n <= low else make(n, low * DIM) for n in tables])


def imported(folder, name):
    if folder not in sys.path:
        sys.path.insert(0, folder)
    with contextlib.redirect_stdout(io.StringIO()):
        return __import__(name)


def robe(folder, block, bound):
    """The published ROBE code for CPUs; bound 0: that of its DLRM, by the largest table."""
    def make(tables, budget):
        start = bound or max(tables) ** -0.5
        array = torch.nn.init.uniform_(torch.empty(budget), -start, start)
        with contextlib.redirect_stdout(io.StringIO()):
            module = imported(folder, "hashedEmbeddingCPU").HashedEmbeddingCPU(sum(tables), DIM, array, 0, block)
        return OneModule(module, tables)
    return make


def quotient(folder, operation, each):
    """QREmbeddingBag of the reference DLRM with as few collisions as `budget` lets it."""
    def make(tables, budget):
        bag = imported(f"{folder}/tricks", "qr_embedding_bag").QREmbeddingBag
        parts = tables if each else [sum(tables)]

        def size(collisions):
            return sum(min(n, -(-n // collisions) + collisions) for n in parts)

        fitting = [c for c in range(2, max(parts)) if size(c) * DIM <= budget]
        if not fitting:
            raise ValueError("too few")
        collisions = max(fitting, key=size)
        modules = [Summed(bag(n, DIM, collisions, operation, mode="sum"))
                   if -(-n // collisions) + collisions < n else full_table(n) for n in parts]
        return EachModule(modules) if each else OneModule(modules[0], tables)
    return make


def compositional(folder, method, n_chunks, each, clusterings):
    """make_embedding() of the repository of clustered compositional embeddings."""
    def one(rows, numbers):
        with contextlib.redirect_stdout(io.StringIO()):
            return imported(folder, "cce").make_embedding(rows, numbers, DIM, method, n_chunks, False)

    def make(tables, budget):
        return capped(tables, budget, one) if each else OneModule(one(sum(tables), budget), tables)
    make.clusterings = clusterings
    return make


def full(tables, _):
    return EachModule([full_table(n) for n in tables])


def rivals(args):
    """Variants by rival and name, of those whose folder is given."""
    found = {"full tables": {"": full}}
    if args.robe:
        found["ROBE"] = {f"block {block}, start {bound or 'of its DLRM'}": robe(args.robe, block, bound)
                         for block, bound in ((16, 0.25), (16, 0.025), (1, 0.25))}
    if args.dlrm:
        found["QR"] = {f"{operation}, {PLACES[each]}": quotient(args.dlrm, operation, each)
                       for operation, each in (("mult", True), ("add", True))}
    if args.cce:
        def variants(method, *settings):
            return {f"{n} chunks, {PLACES[each]}" + (f", {clusterings} clusterings" if method == "cce" else ""):
                    compositional(args.cce, method, n, each, clusterings) for n, each, clusterings in settings}
        found["CCE"] = variants("cce", (4, False, 2), (4, False, 0), (2, False, 2))
        found["hash embeddings"] = variants("hemb_flat", (2, False, 0), (4, False, 0))
        found["tensor train"] = variants("tt", (2, False, 0), (3, False, 0))
        found["compositional"] = variants("ce", (4, False, 0), (2, False, 0))
    return found
