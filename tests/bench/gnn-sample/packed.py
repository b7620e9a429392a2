#!/usr/bin/env python3
"""Trains on features that exceed memory, --residence mapped and packed by turns, in a control group of little memory.

    packed.py make PROGRAM FOLDER                    generates the graph, 5.3 GB, and shortens its split
    packed.py run PROGRAM FOLDER [--cap BYTES] [--pairs N] [--fanouts LIST] [-- OPTION...]

PROGRAM is gnn-sample, with tensor-file beside it. Needs root and a hierarchy of control groups, version 1 or 2. The page cache counts in the group, so pages of the graph are
dropped before each run: those of an earlier one would not. Prints a line of JSON for each run, and whether models are equal.
"""
import argparse
import json
import os
import struct
import subprocess
import sys

GENERATE = ("generate --shape products --nodes 12000000 --edges 40000000 --features 100 --classes 47 --homophily .6 "
            "--threads 1 --quiet").split()
TRAIN = "train --architecture sage --hidden 64 --epochs 1 --threads 2 --json --quiet --force".split()
KEYS = ("test_accuracy", "steps", "fit_seconds", "fit_cpu_seconds", "eval_seconds", "train_seconds", "waiting_share",
        "rows_in_memory", "memory_hit_share", "pack_windows", "pack_bytes_read", "pack_bytes_written", "pack_seconds")
KEPT = (240_000, 4096, 4096)  # nodes of the training, validation and test parts
NO_PART = 255


def shorten_split(path):
    """Leaves nodes, evenly spread, in the training part, and the first of the others in theirs."""
    with open(path, "r+b") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        begin, end = json.loads(file.read(size))["split"]["data_offsets"]
        file.seek(8 + size + begin)
        split = bytearray(file.read(end - begin))
        counts = [0, 0, 0]
        every = [max(1, split.count(0) // KEPT[0]), 1, 1]
        for i, part in enumerate(split):
            if part == NO_PART:
                continue
            counts[part] += 1
            if counts[part] % every[part] or counts[part] // every[part] > KEPT[part]:
                split[i] = NO_PART
        file.seek(8 + size + begin)
        file.write(split)
        os.fsync(file.fileno())


class Group:
    """A control group that limits memory."""

    def __init__(self, cap):
        old = "/sys/fs/cgroup/memory"
        self.folder = f"{old if os.path.isdir(old) else '/sys/fs/cgroup'}/frugal-packed-{os.getpid()}"
        os.mkdir(self.folder)
        limit = "memory.limit_in_bytes" if os.path.isdir(old) else "memory.max"
        self.write(limit, cap)

    def write(self, name, value):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(str(value))

    def run(self, words):
        return subprocess.run(words, stdout=subprocess.PIPE, check=True, preexec_fn=lambda: self.write("cgroup.procs", 0)).stdout

    def remove(self):
        os.rmdir(self.folder)


def drop_pages(path):
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)


def train(args, graph, residence):
    drop_pages(graph)
    group = Group(args.cap)
    model = f"{args.folder}/{residence}.model"
    words = [args.program, *TRAIN, graph, "-o", model, "--fanouts", args.fanouts, "--eval-fanouts", args.fanouts,
             "--residence", residence, *args.options]
    try:
        found = json.loads(group.run(words))
    finally:
        group.remove()
    return {key: found[key] for key in KEYS if key in found}, model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "run"))
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--cap", type=int, default=1_300_000_000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--fanouts", default="10,5")
    given = sys.argv[1:]
    own = given.index("--") if "--" in given else len(given)
    args = parser.parse_args(given[:own])
    args.options = given[own + 1:]
    graph = f"{args.folder}/graph.safetensors"
    if args.what == "make":
        subprocess.run([args.program, *GENERATE, "-o", graph, "--force"], check=True)
        return shorten_split(graph)
    os.environ["TMPDIR"] = args.folder  # packs beside the graph
    for pair in range(1, args.pairs + 1):
        models = []
        for residence in ("mapped", "packed"):
            found, model = train(args, graph, residence)
            models.append(model)
            print(json.dumps({"pair": pair, "residence": residence, **found}), flush=True)
        diff = [os.path.join(os.path.dirname(args.program), "tensor-file"), "diff", *models]
        print(json.dumps({"pair": pair, "equal": subprocess.run(diff, check=False).returncode == 0}), flush=True)
    return None


main()
