#!/usr/bin/env python3
"""Ranks of destinations by tgn-train with and without the edge types of events.

    edge_types.py FOLDER --data FOLDER --bin FOLDER [--sets bitcoin-otc,...] [--seeds 0,1,2] [--kinds plain,typed]
    edge_types.py FOLDER --data FOLDER --bin FOLDER --check [--sets ...]

The first trains each stream with each seed, with its types and without, tests it among 100 drawn destinations, and
prints a table; FOLDER keeps models and results, so that it can be stopped and started again. --check ranks the test
events of an imported stream among all destinations by popularity and by recency within the type, in numpy, beside the
same baselines of eval.
"""
import argparse
import json
import os
import subprocess

from ranking import NETWORK, run, text_of

SETS = {  # file, fields of a line as source, destination, time, type; two kinds of nodes, epochs
    "bitcoin-otc": ("temporal/bitcoin-otc/soc-sign-bitcoinotc.csv",
                    lambda f: (f[0], f[1], f[3], "trust" if float(f[2]) > 0 else "distrust"), "no", 5),
    "movielens": ("bundle/ctr-dslabs-movielens/ratings.csv", lambda f: (f[0], f[1], f[3], f[2]), "yes", 3),
    "duckdb-commits": ("temporal/duckdb-commits/interactions.csv.zst",
                       lambda f: (f[0], f[1], f[2], ("added", "modified", "deleted")[f[4:7].index("1")]), "yes", 3),
}


def import_set(args, name):
    path, fields_of, own, _ = SETS[name]
    base = os.path.join(args.folder, name)
    if os.path.exists(f"{base}-plain.events"):
        return base
    lines = text_of(os.path.join(args.data, path)).splitlines()[1:]
    rows = sorted((fields_of(line.split(",")) for line in lines), key=lambda row: float(row[2]))
    with open(f"{base}.csv", "w", encoding="utf-8") as file:
        file.write("source,destination,time,edge_type\n" + "".join(",".join(row) + "\n" for row in rows))
    for kind, more in (("typed", []), ("plain", ["--columns", "source:source,destination:destination,time:time"])):
        subprocess.run([os.path.join(args.bin, "tgn-train"), "import", f"{base}.csv", "--ids", "any", "--bipartite", own,
                        *more, "-o", f"{base}-{kind}.events", "-q"], check=True)
    return base


def test_set(args, name, seed):
    base = import_set(args, name)
    for kind in args.kinds.split(","):
        events, stem = f"{base}-{kind}.events", f"{base}-{kind}-{seed}"
        trained = run(args, ["train", events, "-o", f"{stem}.model", *NETWORK, "--epochs", str(SETS[name][3]), "--seed", seed],
                      f"{stem}.trained")
        tested = run(args, ["eval", f"{stem}.model", events, "--ranks", "uniform", "--threads", "1"], f"{stem}.tested")
        predictor = trained.get("predictor", "network")
        model = {part: tested[f"test_{part}"] for part in ("average_precision", "mrr")}
        network = model if predictor == "network" else tested["network"]
        cells = [name, kind, seed, predictor]
        for part in ("mrr", "average_precision"):
            keys = {one: result[part] for one, result in tested["baselines"].items()}
            within = {one: value for one, value in keys.items() if one.startswith("typed_")}
            for found in ({one: value for one, value in keys.items() if one not in within}, within):
                best = max(found, key=found.get, default="")
                cells.append(f"{found[best]:.4f} {best.removeprefix('typed_')}" if best else "")
            cells[-2:-2] = [f"{model[part]:.4f}", f"{network[part]:.4f}"]
        epoch = trained["fit_cpu_seconds"] / max(1, trained["epochs"])
        print("| " + " | ".join(cells) + f" | {epoch:.1f} | {tested['cpu']:.1f} |", flush=True)


def check(args, name):
    import numpy as np
    base = import_set(args, name)
    tested = run(args, ["eval", f"{base}-typed-0.model", f"{base}-typed.events", "--ranks", "all", "--threads", "1"],
                 f"{base}-typed-0.all")
    with open(f"{base}.csv", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    columns = [[row[c] for row in rows] for c in (0, 1, 3)]
    source, item, kind = (np.unique(column, return_inverse=True)[1] for column in columns)
    time = np.array([float(row[2]) for row in rows])
    count, last = np.zeros((kind.max() + 1, item.max() + 1)), np.full((kind.max() + 1, item.max() + 1), -np.inf)
    order, ranks = np.arange(len(rows)), {"popularity": [], "recency": []}
    links = {}
    begin = np.searchsorted(time, np.quantile(time, 0.85), side="right")
    for t in np.unique(time):
        now = order[np.searchsorted(time, t):np.searchsorted(time, t, side="right")]
        for e in now:
            if e < begin:
                continue
            others = np.ones(len(count[0]), bool)
            others[item[now[source[now] == source[e]]]] = False
            recency = last[kind[e]].copy()
            for v, when in links.get((source[e], kind[e]), {}).items():
                recency[v] = 1e15 + when
            for by, score in (("popularity", count[kind[e]]), ("recency", recency)):
                own = score[item[e]]
                ranks[by].append(1 / (1 + (score[others] > own).sum() + 0.5 * (score[others] == own).sum()))
        for e in now:
            count[kind[e], item[e]] += 1
            last[kind[e], item[e]] = t
            links.setdefault((source[e], kind[e]), {})[item[e]] = t
    for by, values in ranks.items():
        print(f"| {name} | {by} | {np.mean(values):.6f} | {tested['baselines']['typed_' + by]['mrr']:.6f} | {len(values)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--data", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--kinds", default="plain,typed")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    if args.check:
        print("| stream | by, within the type | MRR in numpy | eval | test events |\n|---|---|---:|---:|---:|")
        for name in args.sets.split(","):
            check(args, name)
        return
    print("| stream | events | seed | answers by | MRR | network | best key | best within type | AP | network | best key | "
          "best within type | epoch, CPU s | test, CPU s |\n" + "|---" * 14 + "|")
    for seed in args.seeds.split(","):
        for name in args.sets.split(","):
            test_set(args, name, seed)


if __name__ == "__main__":
    main()
