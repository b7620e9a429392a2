#!/usr/bin/env python3
"""Labels of events by tgn-train beside its predictions without learning and gradient boosting of scikit-learn.

    event_labels.py FOLDER --data FOLDER --bin FOLDER [--sets otc-rating,...] [--seeds 0,1,2] [--ways "both ends,..."]

The tool trains labels by train --task event-label (or node-label). "alone" has no network. For all other ways it first
trains a network of links, which the sets of one stream share. The first seed has all ways, others have "alone" and "both
ends". All ways have 30 epochs at rate 0.001. "alone" and "both ends" have the default dropout of 0.1, and others have 0.3.
The ways and the rival take turns, seed by seed. The rival is HistGradientBoosting. It reads what is known of source, destination and their pair strictly
before the event's time: number of labels, mean or shares, last label, time since; of nodes in both roles, and of pairs
in both directions, where sources may be destinations. Both have the same parts, the features of the event if the set
has some, and one thread. Validation chooses the tool's epoch, and leaves and rate of the rival. The rival stops early
on a random tenth of the training part, as scikit-learn does. CPU seconds of the tool are of the network and of the labels,
those of the rival of what it reads, which Python counts, and of its four fits.
"""
import argparse
import io
import json
import os
import resource
import subprocess

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import (accuracy_score, average_precision_score, f1_score, log_loss, mean_absolute_error, r2_score,
                             roc_auc_score)

SETS = {  # file, columns of source, destination, time, label, features; type; do destinations have ids of their own
    "otc-rating": ("temporal/bitcoin-otc/soc-sign-bitcoinotc.csv", [0, 1, 3, 2, []], "number", "no"),
    "otc-distrust": ("temporal/bitcoin-otc/soc-sign-bitcoinotc.csv", [0, 1, 3, 2, []], "binary", "no"),
    "otc-class": ("temporal/bitcoin-otc/soc-sign-bitcoinotc.csv", [0, 1, 3, 2, []], "class", "no"),
    "movielens": ("bundle/ctr-dslabs-movielens/ratings.csv", [0, 1, 3, 2, []], "number", "yes"),
    "duckdb-kind": ("temporal/duckdb-commits/interactions.csv.zst", [0, 1, 2, 4, [7]], "class", "yes"),
    "wikipedia": ("temporal/wikipedia/wikipedia.csv.zst", [0, 1, 2, 3, []], "binary", "no"),
}


def events_of(name, data):
    """A table s, d, t, y, f... in the order of the times."""
    path, (source, destination, time, label, features), kind, _ = SETS[name]
    raw = subprocess.run(["zstdcat" if path.endswith(".zst") else "cat", os.path.join(data, path)], check=True,
                         capture_output=True).stdout
    rows = pd.read_csv(io.BytesIO(raw))
    table = pd.DataFrame({"s": rows.iloc[:, source], "d": rows.iloc[:, destination], "t": rows.iloc[:, time]})
    table["y"] = rows.iloc[:, label]
    if name == "otc-distrust":
        table["y"] = (table["y"] < 0).astype(int)
    if name == "otc-class":
        table["y"] = np.select([table["y"] < 0, table["y"] == 1, table["y"] <= 3], ["bad", "one", "two-three"], "more")
    if name == "duckdb-kind":
        table["y"] = np.select([rows["added"] > 0, rows["modified"] > 0], ["added", "modified"], "deleted")
    for i, column in enumerate(features):
        table[f"f{i}"] = rows.iloc[:, column]
    return table.sort_values("t", kind="stable", ignore_index=True)


class Tally:
    """Labels of a key, as one-hot rows or numbers."""

    def __init__(self, width):
        self.count, self.sums, self.last, self.time = 0, np.zeros(width), np.full(width, np.nan), np.nan

    def add(self, label, time):
        self.count, self.sums, self.last, self.time = self.count + 1, self.sums + label, label, time

    def row(self, time):
        return [self.count, *(self.sums / max(1, self.count)), *self.last, time - self.time]


def known_before(table, labels, own):
    """What is known of both nodes and of the pair strictly before each event. own: destinations have ids of their own;
    if not, nodes are looked up in both roles, and pairs in both directions."""
    tallies, waiting, rows = {}, [], []
    empty = Tally(labels.shape[1])
    for s, d, t, label in zip(table.s, table.d, table.t, labels):
        if waiting and waiting[0][1] != t:
            for keys, time, known in waiting:
                for key in keys:
                    tallies.setdefault(key, Tally(labels.shape[1])).add(known, time)
            waiting = []
        keys = [("s", s), ("d", d), (s, d)]
        others = [] if own == "yes" else [("d", s), ("s", d), (d, s)]
        rows.append([value for key in keys + others for value in tallies.get(key, empty).row(t)])
        waiting.append((keys, t, label))
    return np.array(rows)


def rival(name, data, seed):
    table, kind = events_of(name, data), SETS[name][2]
    train_until, valid_until = np.quantile(table.t, [0.70, 0.85])
    began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    labels = pd.get_dummies(table.y).to_numpy(float) if kind == "class" else table.y.to_numpy(float)[:, None]
    features = [column for column in table.columns if column.startswith("f")]
    inputs = np.hstack([known_before(table, labels, SETS[name][3]), table[features].to_numpy()])
    train, valid, test = table.t <= train_until, (table.t > train_until) & (table.t <= valid_until), table.t > valid_until
    inputs = inputs[:, ~np.isnan(inputs[train]).all(axis=0)]  # pairs that never come again have no time
    read = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    best = None
    for leaves in (7, 31):  # chosen on validation, as the tool's epoch is
        for rate in (0.03, 0.1):
            make = HistGradientBoostingRegressor if kind == "number" else HistGradientBoostingClassifier
            model = make(max_leaf_nodes=leaves, learning_rate=rate, max_iter=200, random_state=seed, early_stopping=True)
            model.fit(inputs[train], table.y[train])
            score = metrics(model, kind, inputs[valid], table.y[valid])
            value = next(iter(score.values()))
            if best is None or value > best[0]:
                best = value, {**metrics(model, kind, inputs[test], table.y[test]), "validation": value}
    return {**best[1], "cpu": f"{read - began:.1f} + {resource.getrusage(resource.RUSAGE_SELF).ru_utime - read:.1f}"}


def metrics(model, kind, inputs, actual):
    said = model.predict(inputs)
    if kind == "number":
        return {"r2": r2_score(actual, said), "rmse": float(np.sqrt(np.mean((actual - said) ** 2))),
                "mae": mean_absolute_error(actual, said)}
    if kind == "class":
        return {"accuracy": accuracy_score(actual, said), "macro_f1": f1_score(actual, said, average="macro"),
                "log_loss": log_loss(actual, model.predict_proba(inputs), labels=model.classes_)}
    scores = model.predict_proba(inputs)[:, 1]
    return {"auc": roc_auc_score(actual, scores), "average_precision": average_precision_score(actual, scores)}


def tool(args, name, seed, task, more=(), alone=False):
    """The result of a training of labels, with CPU seconds of the network, unless it is alone, and of the labels."""
    base, kind, own = os.path.join(args.folder, name), *SETS[name][2:]
    program = os.path.join(args.bin, "tgn-train")

    def run(*command):
        before = os.times().children_user
        done = subprocess.run([program, *command, "--json", "-q"], check=True, capture_output=True, text=True)
        return {**json.loads(done.stdout), "cpu": os.times().children_user - before}

    if not os.path.exists(f"{base}.safetensors"):
        table = events_of(name, args.data)
        table.to_csv(f"{base}.csv", index=False)
        columns = ",".join(["s:source", "d:destination", "t:time", "y:label",
                            *(f"{c}:feature" for c in table.columns if c.startswith("f"))])
        run("import", f"{base}.csv", "--columns", columns, "--label-type", kind, "--bipartite", own, "-o",
            f"{base}.safetensors")
    labels = ["train", f"{base}.safetensors", "--task", task, "--threads", "1", "--seed", str(seed), *more, "-o",
              f"{base}-{seed}.{task}", "-f"]
    if alone:
        return {**run(*labels), "network_cpu": 0}
    stream = name.partition("-")[0]  # labels have no influence on a network of links
    links = os.path.join(args.folder, f"{stream}-{seed}.links")
    if not os.path.exists(f"{links}.json"):
        result = run("train", f"{base}.safetensors", "--new-nodes", "0", "--mix", "none", "--epochs", "3", "--threads",
                     "1", "--learning-rate", "0.001", "--seed", str(seed), "-o", links)
        with open(f"{links}.json", "w", encoding="utf-8") as file:
            json.dump(result, file)
    with open(f"{links}.json", encoding="utf-8") as file:
        network = json.load(file)
    return {**run(*labels, "--from", links), "network_cpu": network["cpu"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--data", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--ways", default="alone,both ends,without history,source with history,source,boosting")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for name in args.sets.split(","):
        features = ["--event-features"] if SETS[name][1][4] else []
        features += ["--learning-rate", "0.001", "--epochs", "30", "--dropout"]
        without = ["--label-history", "no"]
        source = ["--learning-rate", "0.001", "--epochs", "30", "--dropout", "0.3"]
        ways = {"alone": ("event-label", [*features, "0.1"]), "both ends": ("event-label", [*features, "0.1"]),
                "without history": ("event-label", [*features, "0.3", *without]),
                "source with history": ("node-label", [*source, "--label-history", "yes"]),
                "source": ("node-label", [*source, *without])}
        chosen = args.ways.split(",")
        shown = ("auc", "average_precision", "accuracy", "macro_f1", "log_loss", "r2", "rmse", "mae")
        seeds = [int(seed) for seed in args.seeds.split(",")]
        for seed in seeds:
            for way, (task, more) in ways.items():
                if way not in chosen or (seed != seeds[0] and way not in ("alone", "both ends")):
                    continue
                result = tool(args, name, seed, task, more, way == "alone")
                if way == "alone" and seed == seeds[0]:
                    for part in ("test_constant", "test_source", "test_destination", "test_both"):
                        print(name, part, *(f"{k} {result[f'{part}_{k}']:.4f}" for k in shown if f"{part}_{k}" in result))
                print(name, seed, way, *(f"{k} {result[f'test_{k}']:.4f}" for k in shown if f"test_{k}" in result),
                      *(f"validation {result[f'validation_{k}']:.4f}" for k in ("auc", "accuracy", "r2")
                        if f"validation_{k}" in result),
                      f"cpu {result['network_cpu']:.1f} + {result['cpu']:.1f} s", flush=True)
            if "boosting" in chosen:
                found = rival(name, args.data, seed)
                print(name, seed, "boosting", *(f"{k} {v:.4f}" for k, v in found.items() if k != "cpu"), "cpu", found["cpu"], "s",
                      flush=True)


if __name__ == "__main__":
    main()
