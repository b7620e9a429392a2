#!/usr/bin/env python3
"""How fast tgn-train trains on small and on large graphs of one shape, with the memory of nodes in RAM and on disk.

    scale.py [--tool TGN_TRAIN] [--nodes 10000,100000,1000000,15500000] [--tiers ram,disk] [--batch-sizes 200]
             [--events 30000] [--hidden 256] [--memory-dtype bf16] [--threads 1] [--runs 1] [--folder FOLDER]
             [--json FILE] [-- OPTION ...]

Graphs are `generate --shape twitter` with as many nodes and 16.8 events a node, power law and 728 times as there. Each
training begins in the middle of the stream (--skip-events): nodes have the neighbours and the times of last events
that they have there, so that as many neighbours and memories are looked at as deep in the stream, but memories begin
as zeros, all written once, so that no page is new. No validation. FOLDER (default: TMPDIR) takes graphs, which are kept
for the next time, and the memory on disk; 16 bytes an event and 2 or 4 bytes a number of memory.

Columns: seconds and peak memory of generate (where it was made now); seconds until training begins, for reading,
checks and index of neighbours; events a second, a second without those in which the process was ready to run and other
programs had the processor (with one thread only), and a CPU second; peak of all resident pages and of those that the
process cannot give back (without pages of files). OPTIONs are handed to train.
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TWITTER_NODES = 15500000
TWITTER_EVENTS = 261000000


def peak_fields(pid, peak):
    """Adds what /proc says of a process to the peaks so far."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                name, _, value = line.partition(":")
                if name in ("VmHWM", "RssAnon"):
                    peak[name] = max(peak.get(name, 0), int(value.split()[0]))
    except (FileNotFoundError, ProcessLookupError):
        pass


def waited_seconds(pid):
    """How long the process' first thread was ready, but not running."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as text:
            return int(text.read().split()[1]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return None


def run(command):
    """The command's JSON with its wall seconds, peaks in KiB and samples (seconds, waited so far)."""
    peak, samples = {}, []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        began = time.monotonic()
        while True:
            peak_fields(process.pid, peak)
            waited = waited_seconds(process.pid)
            if waited is not None:
                samples.append((time.monotonic() - began, waited))
            try:
                out, _ = process.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                continue
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
    return {**json.loads(out), "wall_seconds": time.monotonic() - began, **peak, "samples": samples}


def generate(args, nodes):
    path = os.path.join(args.folder, f"twitter-{nodes}.safetensors")
    events = TWITTER_EVENTS * nodes // TWITTER_NODES
    made = None
    if not os.path.exists(path):
        made = run([args.tool, "generate", "--shape", "twitter", "--nodes", str(nodes), "--events", str(events), "-o",
                    path, "--json", "-q"])
    return path, events, made


def train(args, path, events, tier, batch):
    steps = max(1, min(args.events, int(events * 0.18)) // batch)
    return run([args.tool, "train", path, "-o", "/dev/null", "--weights-only", "--memory-dim", str(args.hidden), "--time-dim", str(args.hidden),
                "--memory-dtype", args.memory_dtype, "--memory-tier", tier, "--batch-size", str(batch), "--new-nodes", "0", "--no-eval",
                "--epochs", "1", "--skip-events", str(events // 2), "--steps", str(steps), "--threads",
                str(args.threads), "--json", "-q", *args.options,
                *(["--memory-file", os.path.join(args.folder, f"memory-{os.getpid()}")] if tier == "disk" else [])])


def undisturbed_rate(result):
    """Events a second of training without what it waited for a processor: the last fit_seconds of the run."""
    end, last = result["samples"][-1]
    begin = end - result["fit_seconds"]
    first = min(result["samples"], key=lambda sample: abs(sample[0] - begin))[1]
    events = result["events_per_second"] * result["fit_seconds"]
    return events / (result["fit_seconds"] - (last - first))


def gib(kib):
    return f"{kib / 2**20:.2f}"


def table(rows, made, sizes):
    print("| nodes | events | memory | batch | generate | start | events/s | undisturbed | events/CPU s | planning | peak | of it not "
          "of files |\n|---|" + "---:|" * 11)
    for (nodes, tier, batch), runs in rows.items():
        middle = {key: statistics.median(r[key] for r in runs) for key in (
            "events_per_second", "events_per_cpu_second", "read_seconds", "plan_seconds", "fit_seconds", "VmHWM",
            "RssAnon")}
        maker = made[nodes]
        text = f"{maker['wall_seconds']:.0f} s, {maker['VmHWM'] / 1024:.0f} MiB" if maker else "-"
        print(f"| {nodes:,} | {sizes[nodes]:,} | {tier} | {batch} | {text} | {middle['read_seconds']:.1f} s | "
              f"{middle['events_per_second']:,.0f} | {statistics.median(map(undisturbed_rate, runs)):,.0f} | {middle['events_per_cpu_second']:,.0f} | "
              f"{100 * middle['plan_seconds'] / middle['fit_seconds']:.0f} % | {gib(middle['VmHWM'])} GiB | "
              f"{gib(middle['RssAnon'])} GiB |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="tgn-train")
    parser.add_argument("--nodes", default="10000,100000,1000000,15500000")
    parser.add_argument("--tiers", default="ram,disk")
    parser.add_argument("--batch-sizes", default="200")
    parser.add_argument("--events", type=int, default=30000, help="trained on, at most")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--memory-dtype", default="bf16")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--folder", default=os.environ.get("TMPDIR", tempfile.gettempdir()))
    parser.add_argument("--json")
    parser.add_argument("options", nargs="*")
    args = parser.parse_args()
    nodes = [int(n) for n in args.nodes.split(",")]
    graphs = {n: generate(args, n) for n in nodes}
    rows = {key: [] for key in itertools.product(nodes, args.tiers.split(","),
                                                 [int(b) for b in args.batch_sizes.split(",")])}
    for _, key in itertools.product(range(args.runs), rows):
        path, events, _ = graphs[key[0]]
        rows[key].append(train(args, path, events, *key[1:]))
        shown = {name: value for name, value in rows[key][-1].items() if name != "samples"}
        print(key, shown, file=sys.stderr, flush=True)
    table(rows, {n: g[2] for n, g in graphs.items()}, {n: g[1] for n, g in graphs.items()})
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump([{"nodes": n, "tier": t, "batch": b, "runs": runs} for (n, t, b), runs in rows.items()], file,
                      indent=1)


if __name__ == "__main__":
    main()
