#!/usr/bin/env python3
"""Ranks of destinations by tgn-train beside its predictions without learning and a ranker of a page in numpy.

    ranking.py FOLDER --data FOLDER --bin FOLDER [--sets wikipedia,...] [--seeds 0,1,2]
    ranking.py EVENTS.csv --ranker [--reach all|100] [--met]

The first trains each set with each seed, tests it with each of its ways to rank, and prints a table; FOLDER keeps
models and results, so that it can be stopped and started again. The second ranks the last 15 % of the events
(source,destination,time; in their order, each knowing all before it) by co-occurrence, decayed popularity and the sum
of both with weights 1 and 0.3: among all destinations, or 100 drawn with replacement; --met leaves none out,
else destinations that the source has met are.
"""
import argparse
import io
import json
import os
import subprocess
import time

SETS = {  # file, columns of source, destination, time, do destinations have ids of their own, epochs, ranks
    "wikipedia": ("temporal/wikipedia/wikipedia.csv.zst", "1,2,3", "no", 3, ("all",)),
    "movielens": ("bundle/ctr-dslabs-movielens/ratings.csv", "1,2,4", "yes", 3, ("unseen", "uniform")),
    "movietweetings": ("temporal/movietweetings-100k/events.csv.zst", "1,2,3", "yes", 3, ("unseen", "uniform")),
    "collegemsg": ("temporal/collegemsg/CollegeMsg.txt.gz", "1,2,3", "no", 5, ("uniform",)),
    "enron": ("temporal/enron/ml_enron.csv.zst", "2,3,4", "no", 3, ("uniform",)),
    "bitcoin-otc": ("temporal/bitcoin-otc/soc-sign-bitcoinotc.csv", "1,2,4", "no", 5, ("uniform",)),
    "duckdb-commits": ("temporal/duckdb-commits/interactions.csv.zst", "1,2,3", "yes", 3, ("uniform",)),
}
NETWORK = ("--architecture", "pyg", "--pair-features", "--learning-rate", "0.001", "--threads", "1")


def text_of(path):
    for ending, program in ((".zst", "zstdcat"), (".gz", "zcat")):
        if path.endswith(ending):
            return subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    with open(path, encoding="utf-8") as file:
        return file.read()


def events_of(path, columns):
    """Lines of source,destination,time in the order of the times."""
    picked = [int(column) - 1 for column in columns.split(",")]
    rows = []
    for line in io.StringIO(text_of(path)):
        fields = line.replace(" ", ",").rstrip("\n").split(",")
        try:
            rows.append((float(fields[picked[2]]), ",".join(fields[column] for column in picked)))
        except ValueError:
            continue  # the header
    return "\n".join(row for _, row in sorted(rows, key=lambda row: row[0])) + "\n"


def run(args, command, output):
    """The JSON of a command, kept in a file, with its CPU seconds."""
    if not os.path.exists(output):
        before = os.times()
        done = subprocess.run([os.path.join(args.bin, "tgn-train"), *command, "--json", "-q"], check=True, capture_output=True)
        after = os.times()
        result = {**json.loads(done.stdout), "cpu": after.children_user - before.children_user}
        with open(output, "w", encoding="utf-8") as file:
            json.dump(result, file)
    with open(output, encoding="utf-8") as file:
        return json.load(file)


def test_set(args, name, seed):
    path, columns, own, epochs, ranks = SETS[name]
    base = os.path.join(args.folder, name)
    if not os.path.exists(f"{base}.events"):
        with open(f"{base}.csv", "w", encoding="utf-8") as file:
            file.write(events_of(os.path.join(args.data, path), columns))
        subprocess.run([os.path.join(args.bin, "tgn-train"), "import", f"{base}.csv", "--ids", "any", "--bipartite", own,
                        "-o", f"{base}.events", "-q"], check=True)
    model = f"{base}-{seed}.model"
    trained = run(args, ["train", f"{base}.events", "-o", model, *NETWORK, "--epochs", str(epochs), "--seed", str(seed)],
                  f"{base}-{seed}.trained")
    first = args.seeds.split(",")[0]
    for kind in ranks:
        # Predictions without learning are the same for all seeds.
        less = [] if seed == first else ["--no-baselines"]
        tested = run(args, ["eval", model, f"{base}.events", "--ranks", kind, "--threads", "1", *less],
                     f"{base}-{seed}.{kind}")
        with open(f"{base}-{first}.{kind}", encoding="utf-8") as file:
            baselines = json.load(file)["baselines"]
        print_row(name, seed, kind, trained, {**tested, "baselines": baselines})


def print_row(name, seed, kind, trained, tested):
    keys = {one: (result["average_precision"], result["mrr"]) for one, result in tested["baselines"].items()}
    best_ap, best_mrr = (max(keys, key=lambda one: keys[one][part]) for part in (0, 1))
    model = {"average_precision": tested["test_average_precision"], "mrr": tested["test_mrr"]}
    # Without a mix the network is the model. With one it has no ranks where it was not asked about all destinations.
    network = model if trained.get("predictor", "network") == "network" else tested["network"]
    network_mrr = f"{network['mrr']:.4f}" if "mrr" in network else "-"
    epoch = trained["fit_cpu_seconds"] / max(1, trained["epochs"])
    print(f"| {name} | {kind} | {seed} | {trained.get('predictor', 'network')} | {model['average_precision']:.4f} | "
          f"{network['average_precision']:.4f} | {keys[best_ap][0]:.4f} {best_ap} | {model['mrr']:.4f} | "
          f"{network_mrr} | {keys[best_mrr][1]:.4f} {best_mrr} | {epoch:.1f} | {tested['cpu']:.1f} |", flush=True)


def rank_by_counts(args):
    import numpy as np
    events = np.loadtxt(args.folder, delimiter=",", dtype=np.float64)
    events = events[np.argsort(events[:, 2], kind="stable")]
    source = np.unique(events[:, 0], return_inverse=True)[1]
    item = np.unique(events[:, 1], return_inverse=True)[1]
    n, test_time, rng = item.max() + 1, np.quantile(events[:, 2], 0.85), np.random.default_rng(0)
    near, count, decayed, past = np.zeros((n, n), np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32), {}
    ranks = {name: [] for name in ("co-occurrence", "decayed popularity", "sum")}
    began = time.process_time()
    for k, (user, one) in enumerate(zip(source, item)):
        met = past.setdefault(user, [])
        last = met[::-1][:10]
        fade = 0.8 ** np.arange(len(last), dtype=np.float32)
        if events[k, 2] > test_time:
            close = (fade[:, None] * near[last] / np.sqrt(count[last] + 1)[:, None]).sum(0) / np.sqrt(count + 10)
            both = close / (close.max() + 1e-9) + 0.3 * decayed / (decayed.max() + 1e-9)
            chosen = rng.integers(0, n, 100) if args.reach == "100" else np.arange(n)
            for name, score in (("co-occurrence", close + 1e-9 * count), ("decayed popularity", decayed), ("sum", both)):
                score = score.copy()
                own = score[one]
                if not args.met:
                    score[met] = -1
                others = score[chosen[chosen != one]] if args.reach == "all" else score[chosen]
                ranks[name].append(1 / (1 + (others > own).sum() + 0.5 * (others == own).sum()))
        for weight, earlier in zip(fade, last):
            near[earlier, one] += weight
            near[one, earlier] += weight / 2
        met.append(one)
        count[one] += 1
        decayed *= 0.9998
        decayed[one] += 1
    print({name: round(float(np.mean(values)), 4) for name, values in ranks.items()}, len(ranks["sum"]), "events,",
          round(time.process_time() - began, 1), "CPU s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER|EVENTS.csv")
    parser.add_argument("--data")
    parser.add_argument("--bin")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--ranker", action="store_true")
    parser.add_argument("--reach", choices=("all", "100"), default="all")
    parser.add_argument("--met", action="store_true")
    args = parser.parse_args()
    if args.ranker:
        return rank_by_counts(args)
    os.makedirs(args.folder, exist_ok=True)
    print("| stream | ranks | seed | answers by | AP | network | best key | MRR | network | best key | epoch, CPU s | "
          "test, CPU s |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
    for seed in args.seeds.split(","):
        for name in args.sets.split(","):
            test_set(args, name, seed)
    return None


if __name__ == "__main__":
    main()
