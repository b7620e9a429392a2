"""DLRM with full tables in PyTorch for plain_rivals.py; needs PyTorch.

The held-out tenth chooses the optimiser and its rates (rivals_pytorch.py's), the layers, whether numbers pass the
bottom layers or are categories, and the number of epochs, with seed 1. Each seed then trains so many epochs on all
training samples. Rows are vectors of 16 f32.
"""
import rival_tables
import rivals_pytorch
import torch

LAYERS = {"64, 64-32": ((64,), (64, 32)), "512-256-64, 512-256": ((512, 256, 64), (512, 256))}
TRAIN, HELD_OUT, TEST = range(3)


class Samples:
    """Three parts as rivals_pytorch.Training has them: training, held-out and test samples."""
    def __init__(self, columns, labels, held_out, numbers):
        train, test = columns
        names = [name for name in train.columns if name not in numbers]
        rows = [torch.stack(column, 1) for column in zip(*(number_rows(train[name], test[name]) for name in names))]
        self.tables = [int(part.max()) + 1 for part in rows[0].t()]
        dense = [scaled(train, train, numbers), scaled(train, test, numbers)]
        clicks = [torch.tensor(part, dtype=torch.float32) for part in labels]
        all_of = lambda part: (clicks[part], dense[part], rows[part])  # noqa: E731
        held_out = torch.tensor(held_out)
        self.parts = [tuple(values[~held_out] for values in all_of(0)), tuple(values[held_out] for values in all_of(0)),
                      all_of(1)]
        self.whole = all_of(0)
        self.of_share = rivals_pytorch.loss_of_share(self.parts[HELD_OUT][0])


def number_rows(train, test):
    """Rows of a column of categories, from 1; row 0 is for what training lacks."""
    codes = {value: code for code, value in enumerate(train.unique(), 1)}
    return [torch.tensor(part.map(codes).fillna(0).to_numpy(dtype="int64")) for part in (train, test)]


def scaled(train, part, numbers):
    """Columns of numbers, of mean 0 and deviation 1 in training; missing ones are 0."""
    if not numbers:
        return torch.zeros(len(part), 0)
    table, known = part[numbers].replace("", "nan").astype(float), train[numbers].replace("", "nan").astype(float)
    return torch.tensor(((table - known.mean()) / known.std()).fillna(0).to_numpy(), dtype=torch.float32)


def grade(columns, labels, held_out, numbers, seeds):
    """What was chosen, and each seed's scores of the test samples."""
    layouts = {"numbers": numbers, "categories": []} if numbers else {"categories": []}
    samples = {name: Samples(columns, labels, held_out, declared) for name, declared in layouts.items()}

    def trained(layout, layers, rates):
        return rivals_pytorch.Training(torch, samples[layout], rival_tables.full, rates, 1, 0, LAYERS[layers]).run()

    first = (next(iter(layouts)), next(iter(LAYERS)))
    found = {(*first, rates): trained(*first, rates) for rates in rivals_pytorch.RATES}
    rates = min(found, key=lambda setting: found[setting].best_loss)[2]
    for setting in ((layout, layers, rates) for layout in layouts for layers in LAYERS):
        found.setdefault(setting, None)
        found[setting] = found[setting] or trained(*setting)
    chosen = min(found, key=lambda setting: found[setting].best_loss)
    epochs, samples = found[chosen].best_epoch, samples[chosen[0]]
    samples.parts[TRAIN] = samples.whole
    scores = []
    for seed in range(1, seeds + 1):
        training = rivals_pytorch.Training(torch, samples, rival_tables.full, chosen[2], seed, 0, LAYERS[chosen[1]])
        for _ in range(epochs):
            training.run_epoch()
        with torch.no_grad():
            scores.append(training.logits(TEST).double().sigmoid().numpy())
    return f"{chosen[0]}, layers {chosen[1]}, {chosen[2]}, {epochs} epochs", scores
