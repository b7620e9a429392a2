#!/usr/bin/env python3
"""Trains one rival that is a Python package and lets it predict; xmc.py calls it in a fresh process.

    xmc_rivals.py '{"rival": "napkinxc", "options": {...}, "train": FILE, "test": FILE, "model": PATH,
                    "threads": 2}'

Prints JSON: wall and CPU seconds of training (reading and writing the model included, importing the
package not), of prediction, and the five best labels of each test line. "missing": true where the
package is not installed.
"""
import importlib.util
import json
import os
import resource
import sys

import xmc_data


class Clock:
    def __init__(self):
        self.times = os.times()

    def lap(self):
        """(wall, CPU) seconds since the last lap."""
        before, self.times = self.times, os.times()
        cpu = sum(self.times[:4]) - sum(before[:4])
        return self.times.elapsed - before.elapsed, cpu


def sparse_matrices(path, normalise):
    """Features and labels as scipy matrices."""
    import numpy
    import scipy.sparse

    with open(path, "rb") as file:
        (count, num_features, num_labels), rows = xmc_data.parse(file.read())
    shape = [(labels, [1.0] * len(labels), num_labels) for labels, _ in rows]
    features = [([f for f, _ in pairs], [v for _, v in pairs], num_features) for _, pairs in rows]

    def matrix(parts):
        ends = numpy.cumsum([0] + [len(indices) for indices, _, _ in parts])
        indices = numpy.concatenate([numpy.array(i, dtype=numpy.int32) for i, _, _ in parts])
        values = numpy.concatenate([numpy.array(v, dtype=numpy.float32) for _, v, _ in parts])
        return scipy.sparse.csr_matrix((values, indices, ends), shape=(count, parts[0][2]))

    x, y = matrix(features), matrix(shape)
    if normalise:
        lengths = numpy.sqrt(x.multiply(x).sum(axis=1)).A1
        lengths[lengths == 0] = 1
        x = scipy.sparse.diags(1 / lengths).dot(x).tocsr()
    x.sort_indices()
    return x.astype(numpy.float32), y.astype(numpy.float32)


def napkinxc(job, clock):
    from napkinxc.datasets import load_libsvm_file
    from napkinxc.models import PLT

    model = PLT(job["model"], threads=job["threads"], seed=1, **job["options"])
    clock.lap()
    model.fit_on_file(job["train"])
    trained = clock.lap()
    model.load()
    x, _ = load_libsvm_file(job["test"], labels_format="list")
    clock.lap()
    guesses = model.predict(x, top_k=5)
    return trained, clock.lap(), guesses


def usable_lines(path, copy):
    """A copy without the points that lack labels or features: Omikuji refuses such files."""
    with open(path, "rb") as file:
        header, *lines = file.read().split(b"\n")
    lines = [line for line in lines if b" " in line.strip() and not line.startswith(b" ")]
    with open(copy, "wb") as file:
        file.write(b" ".join([str(len(lines)).encode(), *header.split()[1:]]) + b"\n")
        file.write(b"\n".join(lines) + b"\n")
    return copy


def omikuji(job, clock):
    import omikuji as package

    settings = package.Model.default_hyper_param()
    for name, value in job["options"].items():
        setattr(settings, name, value)
    usable = usable_lines(job["train"], job["model"] + ".train")
    clock.lap()
    model = package.Model.train_on_data(usable, settings, n_threads=job["threads"])
    model.save(job["model"])
    trained = clock.lap()
    with open(job["test"], "rb") as file:
        _, rows = xmc_data.parse(file.read())
    clock.lap()
    guesses = [[label for label, _ in model.predict(features, top_k=5)] for _, features in rows]
    return trained, clock.lap(), guesses


def pecos(job, clock):
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear.model import XLinearModel

    x, y = sparse_matrices(job["train"], normalise=True)
    clock.lap()
    tree = Indexer.gen(LabelEmbeddingFactory.create(y, x, method="pifa"),
                       threads=job["threads"], **job["options"].get("indexer", {}))
    model = XLinearModel.train(x, y.tocsc(), C=tree, threads=job["threads"],
                               **job["options"].get("train", {}))
    model.save(job["model"])
    trained = clock.lap()
    x, _ = sparse_matrices(job["test"], normalise=True)
    clock.lap()
    scores = model.predict(x, only_topk=5, beam_size=10, threads=job["threads"])
    predicted = clock.lap()
    rows = (scores.getrow(i) for i in range(scores.shape[0]))
    guesses = [row.indices[(-row.data).argsort(kind="stable")].tolist() for row in rows]
    return trained, predicted, guesses


RIVALS = {"napkinxc": napkinxc, "omikuji": omikuji, "pecos": pecos}


def main():
    job = json.loads(sys.argv[1])
    if importlib.util.find_spec(job["rival"]) is None:
        print(json.dumps({"missing": True}))
        return
    # Libraries print as they like: the answer goes to the true stdout, all else to stderr.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    trained, predicted, guesses = RIVALS[job["rival"]](job, Clock())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"wall": trained[0], "cpu": trained[1], "predict_wall": predicted[0],
               "predict_cpu": predicted[1], "memory": peak,
               "guesses": [[int(label) for label in row] for row in guesses]}, answer)


if __name__ == "__main__":
    main()
