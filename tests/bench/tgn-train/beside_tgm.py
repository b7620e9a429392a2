"""What the comparisons with tgm-lib share: both programs train in turns, and the events of a CPU second of each are printed.

A script has a function train_rival(path, batches, skip, threads), which prints its events, CPU seconds and mean loss as JSON.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

BATCH = 200


def run_ours(args, imported, options):
    out = subprocess.run([args.bin, "train", imported, *options, "--threads", str(args.threads), "--steps",
                          str(args.batches), "--epochs", "1", "--no-eval", "--new-nodes", "0", "--skip-events",
                          str(args.skip * BATCH), "-o", os.path.join(args.folder, "model"), "-f", "--weights-only", "-q", "--json"],
                         check=True, stdout=subprocess.PIPE)
    result = json.loads(out.stdout)
    return {"events": result["steps"] * BATCH, "cpu": result["fit_cpu_seconds"], "loss": result["loss"]}


def run_rival(args, script):
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": str(args.threads)}
    out = subprocess.run([args.python, os.path.abspath(script), args.events, "--as-rival", "--batches", str(args.batches),
                          "--skip", str(args.skip), "--threads", str(args.threads)], check=True, stdout=subprocess.PIPE,
                         env=environment)
    return json.loads(out.stdout.splitlines()[-1])


def main(document, script, train_rival, options, batches):
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("--bin", default="tgn-train")
    parser.add_argument("--python", default="python3")
    for name, value in (("runs", 3), ("batches", batches), ("skip", 200), ("threads", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--as-rival", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.as_rival:
        return train_rival(args.events, args.batches, args.skip, args.threads)
    imported = os.path.join(args.folder, "beside_tgm.events")
    subprocess.run([args.bin, "import", args.events, "-o", imported, "-f", "-q"], check=True)
    programs = {"tgn-train": lambda: run_ours(args, imported, options), "tgm-lib": lambda: run_rival(args, script)}
    if subprocess.run([args.python, "-c", "import tgm.nn"], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"tgm-lib: left out, {args.python} has no module tgm (pip install torch torch_geometric tgm-lib)")
        del programs["tgm-lib"]
    runs = {name: [] for name in programs}
    for _ in range(args.runs):
        for name, program in programs.items():
            runs[name].append(program())
    for name, results in runs.items():
        rates = sorted(result["events"] / result["cpu"] for result in results)
        print(f"{name}: {statistics.median(rates):.0f} events a CPU second ({rates[0]:.0f} to {rates[-1]:.0f}), "
              f"mean loss of {args.batches} batches {results[0]['loss']:.3f}")
    if len(runs) == 2:
        ours, theirs = (statistics.median(r["events"] / r["cpu"] for r in runs[name]) for name in ("tgn-train", "tgm-lib"))
        print(f"tgn-train / tgm-lib: {ours / theirs:.2f}")
    return None
