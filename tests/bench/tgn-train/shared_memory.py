#!/usr/bin/env python3
"""What each rank holds and sends where ranks share one memory (tgn-train train --memory-shards), beside the formula.

    shared_memory.py EVENTS.safetensors [--tool TGN_TRAIN] [--ranks 1,2,4] [--shards 4] [--batch-size 200] [--steps 20]
                     [--skip-events 0] [-- OPTION ...]

EVENTS: written by import or generate, uncompressed. mpirun and the plug-in for MPI (FRUGAL_PLUGIN_DIR) are needed. All
nodes train, nothing is validated. Columns: bytes of the memory on the first rank; the largest peak of a rank, of all
resident pages and of those that are not of files; bytes that the first rank sends in a step, and by the formula

    (R - 1) / R x (record x (U + S / R) + 8 x parameters)

with R ranks, records of `record` bytes, U nodes with an earlier event that the parts of a rank look at, and S nodes of
a step's events. Both are counted here, from the events: the negatives are drawn anew. OPTIONs are handed to train.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from safetensors.numpy import load_file


def peaks(command):
    """The command's JSON; the largest VmHWM and RssAnon (KiB) of any process below it that is the tool's."""
    largest = {"VmHWM": 0, "RssAnon": 0}
    with tempfile.TemporaryFile() as out, subprocess.Popen(command, stdout=out, start_new_session=True) as process:
        while process.poll() is None:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.getsid(int(pid)) != process.pid:
                        continue
                    with open(f"/proc/{pid}/status", encoding="ascii") as status:
                        for line in status:
                            name, _, value = line.partition(":")
                            if name in largest:
                                largest[name] = max(largest[name], int(value.split()[0]))
                except (FileNotFoundError, ProcessLookupError):
                    continue
            time.sleep(0.05)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
        out.seek(0)
        return {**json.load(out), **largest}


class LastNeighbours:
    """Of each node the events that it is in, ascending."""

    def __init__(self, sources, destinations):
        ends = np.stack([sources, destinations], 1).ravel()
        self.order = np.argsort(ends, kind="stable").astype(np.int64)
        self.begin = np.concatenate([[0], np.cumsum(np.bincount(ends))])
        self.sources, self.destinations = sources, destinations

    def before(self, node, event, count):
        mine = self.order[self.begin[node]:self.begin[node + 1]] // 2
        events = mine[:np.searchsorted(mine, event)][-count:]
        return np.where(self.sources[events] == node, self.destinations[events], self.sources[events])


def counted(args, events):
    """Nodes that a rank's parts look at and nodes of the events, means over the steps, for each number of ranks."""
    sources, destinations, times = (events[k].astype(np.int64) if k != "times" else events[k] for k in
                                    ("sources", "destinations", "times"))
    known_at = {}
    neighbours, rng = LastNeighbours(sources, destinations), np.random.default_rng(0)
    looked = {ranks: 0.0 for ranks in args.ranks}
    stored = 0
    for step in range(args.steps):
        first = args.skip_events + step * args.batch_size
        batch = np.arange(first, first + args.batch_size)
        stored += len(np.union1d(sources[batch], destinations[batch]))
        seen = []
        for event in batch:
            limit = np.searchsorted(times, times[event])
            asked = [sources[event], destinations[event], destinations[rng.integers(len(destinations) * 7 // 10)]]
            seen.append(np.concatenate([asked] + [neighbours.before(node, limit, 10) for node in asked]))
        for ranks in args.ranks:
            for part in np.array_split(np.arange(args.batch_size), ranks):
                nodes = np.unique(np.concatenate([seen[i] for i in part]))
                for node in nodes:
                    if node not in known_at:
                        known_at[node] = neighbours.order[neighbours.begin[node]] // 2
                looked[ranks] += sum(known_at[node] < first for node in nodes) / ranks
    return {ranks: n / args.steps for ranks, n in looked.items()}, stored / args.steps


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("events")
    options.add_argument("--tool", default="tgn-train")
    options.add_argument("--ranks", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 4])
    options.add_argument("--shards", type=int, default=4)
    options.add_argument("--batch-size", type=int, default=200)
    options.add_argument("--steps", type=int, default=20)
    options.add_argument("--skip-events", type=int, default=0)
    options.add_argument("options", nargs="*")
    args = options.parse_args()
    looked, stored = counted(args, load_file(args.events))
    print("| ranks | memory a rank, MB | peak, MB | of it not of files, MB | sent a step, KB | formula, KB | nodes a rank looks at |")
    print("|---:|" + "---:|" * 6)
    for ranks in args.ranks:
        result = peaks(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
                        "-n", str(ranks), args.tool, "train", args.events, "-o", "/dev/null", "--weights-only", "--no-eval",
                        "--new-nodes", "0", "--epochs", "1", "--steps", str(args.steps), "--skip-events", str(args.skip_events),
                        "--batch-size", str(args.batch_size), "--memory-shards", str(args.shards), "--threads", "1", "--json", "-q",
                        *args.options])
        if ranks == 1:
            record = result["memory_bytes"] / result["nodes"]
        formula = (ranks - 1) / ranks * (record * (looked[ranks] + stored / ranks) + 8 * result["parameters"])
        print(f"| {ranks} | {result['memory_bytes'] / 1e6:,.0f} | {result['VmHWM'] * 1.024e-3:,.0f} | {result['RssAnon'] * 1.024e-3:,.0f} | "
              f"{result['step_sent_bytes'] / 1e3:,.0f} | {formula / 1e3:,.0f} | {looked[ranks]:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
