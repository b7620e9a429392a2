#!/usr/bin/env python3
"""How many events a second tgn-train and its rivals train on, by batch size and threads.

    rival_speed.py [EVENTS] [--tool TGN_TRAIN] [--program FOLDER] [--batch-sizes 10,200] [--threads 1,2]
                   [--seconds 30] [--runs 2] [--edge-dim 172] [--only TEXT,...] [--device cuda] [--python PYTHON]
                   [--json FILE]

EVENTS: Wikipedia's of the data folder if not given, with --edge-dim columns of random features. Programs run in
turns, --runs times, from the middle of their first epoch on: rivals for some seconds (tgn_reference.time_training),
tgn-train for --events events, with neighbours and times of there; medians:
  ours-f32, ours-bf16  tgn-train in f32 and in bf16
  ours-none-...        the same with --refresh none
  ours-pyg-...         the same with --architecture pyg
  published  twitter-research/tgn itself (--program, a checkout; left out without)
  all        tgn_reference.py, new memory of all nodes in every batch, as published
  touched    tgn_reference.py, new memory of only those nodes that a batch reads
  pyg        pyg_reference.py: Graphcore's smaller network with PyTorch Geometric's modules

--device: of tgn-train and of pyg, which alone can use another than the CPU; figures a CPU second then count the host's.

PYTHON needs: pip install torch torch_geometric numpy pandas scikit-learn safetensors
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../sparse-train"))
import measures  # noqa: E402

TRAINED = 0.7  # share of the stream that trains


def commands(args):
    """Scripts and options of the programs by name."""
    found = {"published": ["published.py", "--program", args.program]} if args.program else {}
    for architecture, refresh, precision in itertools.product(("tgn-attn", "pyg"), ("touched", "none"), ("f32", "bf16")):
        name = f"ours-{'pyg-' if architecture == 'pyg' else ''}{'none-' if refresh == 'none' else ''}{precision}"
        found[name] = [args.tool, "train", "--architecture", architecture, "--refresh", refresh,
                       "--precision", precision]
    return {**found, "all": ["tgn_reference.py", "--update", "all"], "touched": ["tgn_reference.py"],
            "pyg": ["pyg_reference.py"]}


def import_events(args, folder):
    """The stream with its random features as tgn-train reads it."""
    facts = json.loads(subprocess.run([args.tool, "import", args.events, "-o", os.path.join(folder, "bare"), "--json",
                                       "-q"], check=True, stdout=subprocess.PIPE).stdout)
    events = facts["events"]
    features, path = os.path.join(folder, "features.npy"), os.path.join(folder, "events.safetensors")
    numpy.save(features, numpy.random.RandomState(1).standard_normal((events, args.edge_dim)).astype("f4"))
    subprocess.run([args.tool, "import", args.events, "--edge-features", features, "-o", path, "-q"], check=True)
    os.remove(features)
    return path, int(events * TRAINED / 2)


def run_ours(args, command, batch_size, threads):
    out = subprocess.run([*command, args.imported, "--batch-size", str(batch_size), "--threads", str(threads),
                          "--skip-events", str(args.middle), "--steps", str(args.events_timed // batch_size),
                          "--epochs", "1", "--no-eval", "--device", args.device, "-o", "/dev/null", "--weights-only", "--json", "-q"], check=True,
                         stdout=subprocess.PIPE)
    return json.loads(out.stdout)


def run(args, command, batch_size, threads):
    if command[0] == args.tool:
        return run_ours(args, command, int(batch_size), threads)
    script, *options = command
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": str(threads)}
    out = subprocess.run([args.python, os.path.join(FOLDER, script), args.events, *options, "--batch-size",
                          str(batch_size), "--threads", str(threads), "--seconds", str(args.seconds), "--edge-dim",
                          str(args.edge_dim), "--random-features", "1",
                          *(["--device", args.device] if script == "pyg_reference.py" else [])],
                         check=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(out.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", nargs="?", metavar="EVENTS")
    parser.add_argument("--tool", default="tgn-train")
    parser.add_argument("--program", metavar="FOLDER")
    parser.add_argument("--batch-sizes", default="10,200")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--events", dest="events_timed", type=int, default=20000, help="of tgn-train")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--edge-dim", type=int, default=172)
    parser.add_argument("--only", default="", help="programs whose name begins with one of these")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--json")
    args = parser.parse_args()
    args.events = args.events or measures.find(f"{measures.default_data()}/temporal/wikipedia", "wikipedia.csv")
    with tempfile.TemporaryDirectory() as folder:
        args.imported, args.middle = import_events(args, folder)
        compare(args)


def compare(args):
    wanted = tuple(args.only.split(","))
    names = [name for name in commands(args) if name.startswith(wanted)]
    rows = {key: [] for key in itertools.product(args.batch_sizes.split(","), args.threads.split(","), names)}
    for _, key in itertools.product(range(args.runs), rows):
        batch_size, threads, name = key
        rows[key].append(run(args, commands(args)[name], batch_size, threads))
        print(f"{name}, batch {batch_size}, {threads} threads: {rows[key][-1]}", file=sys.stderr, flush=True)
    print("| program | batch | threads | events/CPU s | events/s | events timed |\n|---|" + "---:|" * 5)
    for (batch_size, threads, name), runs in rows.items():
        cpu, wall = (statistics.median(r[key] for r in runs) for key in ("events_per_cpu_second", "events_per_second"))
        timed = sum(r["steps"] for r in runs) * int(batch_size)
        print(f"| {name} | {batch_size} | {threads} | {cpu:.1f} | {wall:.1f} | {timed} |")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump([{"batch_size": b, "threads": t, "program": n, "runs": runs} for (b, t, n), runs in rows.items()],
                      file, indent=1)


if __name__ == "__main__":
    main()
