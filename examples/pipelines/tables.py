#!/usr/bin/env python3
"""A model in PyTorch whose embedding tables leave and come back (pip install torch safetensors zstandard).

    tables.py train RATINGS.csv.zst MODEL       learns which ratings are 4 or 5
    tables.py replace MODEL TABLES OUT          MODEL with the tables of another file
    tables.py eval MODEL RATINGS.csv.zst        prints the area under the ROC curve and the bytes of the tables

Tables are tensors tables.NAME.weight [rows, dim] of a .safetensors file; tables.NAME.weight.counts says how often rows
occurred. robe-compress reads both.
"""
import csv
import io
import sys

import torch
import zstandard
from safetensors.torch import load_file, save_file

COLUMNS = {"s": 3000, "d": 2200, "dept": 20, "studage": 10, "lectage": 10, "service": 2}  # name: rows
DIM = 16


class Ratings(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = torch.nn.ModuleDict({name: torch.nn.Embedding(rows, DIM) for name, rows in COLUMNS.items()})
        self.top = torch.nn.Sequential(torch.nn.Linear(DIM * len(COLUMNS), 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))

    def forward(self, rows):
        return self.top(torch.cat([self.tables[name](rows[:, i]) for i, name in enumerate(COLUMNS)], 1)).squeeze(1)


def read(path):
    with open(path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as text:
        lines = list(csv.DictReader(io.TextIOWrapper(text, "utf-8")))
    rows = torch.tensor([[int(line[name]) for name in COLUMNS] for line in lines])
    return rows, torch.tensor([float(int(line["y"]) >= 4) for line in lines])


def load(path):
    tensors = load_file(path)
    model = Ratings()
    model.load_state_dict({name: value for name, value in tensors.items() if not name.endswith(".counts")})
    return model, tensors


def train(path, output):
    torch.manual_seed(0)
    rows, labels = read(path)
    model = Ratings()
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    for _ in range(2):
        for batch in torch.randperm(len(rows)).split(256):
            optimizer.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(model(rows[batch]), labels[batch]).backward()
            optimizer.step()
    counts = {f"tables.{name}.weight.counts": torch.bincount(rows[:, i], minlength=size)
              for i, (name, size) in enumerate(COLUMNS.items())}
    save_file({**model.state_dict(), **counts}, output)


def replace(path, tables, output):
    _, tensors = load(path)
    smaller = load_file(tables)
    save_file({name: smaller.get(name, value) for name, value in tensors.items()}, output)


def evaluate(path, ratings):
    model, _ = load(path)
    rows, labels = read(ratings)
    with torch.no_grad():
        order = model(rows).argsort()
    ranks = torch.arange(1, len(order) + 1, dtype=torch.float64)[labels[order] == 1]
    positives, negatives = len(ranks), len(order) - len(ranks)
    print(f"{path}: AUC {(ranks.sum().item() - positives * (positives + 1) / 2) / (positives * negatives):.4f}")


if __name__ == "__main__":
    commands = {"train": train, "replace": replace, "eval": evaluate}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
