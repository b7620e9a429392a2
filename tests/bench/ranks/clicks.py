#!/usr/bin/env python3
"""Steps of robe-compress train on ranks beside PyTorch's DistributedDataParallel (gloo) of the same model, on hosts of
hosts.sh; prints a table. Needs root, and PyTorch in the interpreter that --python names.

    clicks.py [--python PATH] [--hosts 2,4] [--rates 1gbit,5gbit,unlimited] [--samples 49152] [--bytes 100M]
              [--dim 128] [--batch-size 2048] [--robe-compress PATH] [--json FILE]

Generated samples of the terabyte shape; layers 512-256 below and above; adagrad. A rank has one thread and a mini-batch
of --batch-size a step. step s: mean of an epoch. sent MB: of the first rank, a step. exchange s: in which it sent and
waited, a step. hidden s: in which exchanges went on beside its computing. All are what a whole epoch has more than half
of one, so not what follows the last step. wire s: the bytes at 93 % of the rate, which TCP can use. AUC: of 8,192 other
samples.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TCP_SHARE = 0.93
RATES = {"100mbit": 1e8, "1gbit": 1e9, "5gbit": 5e9, "10gbit": 1e10}
OURS = {"ours, owner, f32": ["--exchange", "owner"], "ours, owner, bf16": ["--exchange", "owner", "--wire", "bf16"],
        "ours, reduce": ["--exchange", "reduce"]}
LAYERS = "512,256"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="", help="interpreter with PyTorch; none: ours alone")
    parser.add_argument("--hosts", default="2,4")
    parser.add_argument("--rates", default="1gbit,5gbit,unlimited")
    parser.add_argument("--samples", type=int, default=49152)
    parser.add_argument("--bytes", type=int, default=100 * 10**6, help="of the array")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--batch-size", type=int, default=2048)
    parser.add_argument("--robe-compress", default="robe-compress")
    parser.add_argument("--json", default="")
    return parser.parse_args()


def run(hosts, rate, command):
    done = subprocess.run([os.path.join(HERE, "hosts.sh"), str(hosts), rate, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{"):])


def train(args, work, hosts, rate, options):
    model = os.path.join(work, "model")
    return run(hosts, rate, [
        args.robe_compress, "train", os.path.join(work, "train.tsv"), "-o", model, "-f", "--json", "--epochs", "1",
        "--dim", str(args.dim), "--bytes", str(args.bytes), "--storage", "f32", "--batch-size", str(args.batch_size),
        "--accumulate", str(hosts), "--bottom", LAYERS, "--top", LAYERS, "--optimizer", "adagrad", "--schedule", "constant", "--warm-up", "0",
        "--learning-rate", "0.01", "--embedding-rate", "0.01", "--threads", "1", *options])


def ours(args, work, hosts, rate, options):
    model = os.path.join(work, "model")
    half = train(args, work, hosts, rate, [*options, "--steps", str(args.samples // args.batch_size // hosts // 2)])
    whole = train(args, work, hosts, rate, options)
    graded = subprocess.run([args.robe_compress, "eval", model, os.path.join(work, "test.tsv"), "--json"],
                            stdout=subprocess.PIPE, check=True)
    steps = whole["steps"] - half["steps"]
    return {"step": whole["fit_seconds"] / whole["steps"], "sent": (whole["sent_bytes"] - half["sent_bytes"]) / steps,
            "exchange": (whole["exchange_seconds"] - half["exchange_seconds"]) / steps,
            "hidden": (whole["hidden_exchange_seconds"] - half["hidden_exchange_seconds"]) / steps,
            "AUC": json.loads(graded.stdout)["auc"]}


def rival(args, work, hosts, rate):
    result = run(hosts, rate, [
        args.python, os.path.join(HERE, "../robe-compress/dlrm_pytorch.py"), os.path.join(work, "train.tsv"),
        os.path.join(work, "test.tsv"), "--ddp", "--robe", str(args.bytes // 4), "--dim", str(args.dim), "--batch-size",
        str(args.batch_size), "--bottom", LAYERS, "--top", LAYERS, "--optimizer", "adagrad", "--learning-rate", "0.01",
        "--threads", "1", "--json"])
    return {"step": result["wall"] / result["steps"], "AUC": result["auc"]}


def print_table(args, others, programs):
    """programs(hosts, rate): (name, function that measures) of each. others: what is measured beside times and bytes."""
    rows = []
    print(f"| hosts | links | program | step s | sent MB | exchange s | hidden s | wire s | {' | '.join(others)} |\n|" +
          "---|" * (8 + len(others)))
    for hosts in map(int, args.hosts.split(",")):
        for rate in args.rates.split(","):
            for name, measure in programs(hosts, rate):
                row = {"hosts": hosts, "links": rate, "program": name, **measure()}
                wire = row.get("sent", 0) * 8 / (RATES[rate] * TCP_SHARE) if rate in RATES else 0
                rows.append({**row, "wire": wire})
                print(f"| {hosts} | {rate} | {name} | {row['step']:.3f} | {row.get('sent', 0) / 1e6:.1f} | "
                      f"{row.get('exchange', 0):.3f} | {row.get('hidden', 0):.3f} | {wire:.3f} | " +
                      " | ".join(f"{row[name]:.4f}" for name in others) + " |", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def main():
    args = parse_arguments()
    with tempfile.TemporaryDirectory() as work:
        for name, samples, first in (("train.tsv", args.samples, 0), ("test.tsv", 8192, args.samples)):
            subprocess.run([args.robe_compress, "generate", "--shape", "terabyte", "--samples", str(samples), "--from",
                            str(first), "-o", os.path.join(work, name), "-q"], check=True)

        def programs(hosts, rate):
            runs = [(name, lambda o=options: ours(args, work, hosts, rate, o)) for name, options in OURS.items()]
            theirs = [("PyTorch DDP, gloo", lambda: rival(args, work, hosts, rate))]
            return runs + theirs if args.python else runs
        print_table(args, ["AUC"], programs)


if __name__ == "__main__":
    main()
