#!/usr/bin/env python3
"""Attacks every tool with files that are well formed and wrong: models, arrays, graphs, events, data, states and checkpoints
that the tools wrote, changed at random, with checksums and sizes that fit. A tool may refuse them or take them, with a message
and a status of its table; it may not crash, hang, take memory without end, call it its own bug, or leave a broken output.

    mutate.py BIN_DIR [SECONDS [SEED]]     prints a table; fails if anything was found. What was found is left in
                                           attacks.found in the current folder.
"""
import collections
import os
import random
import resource
import shutil
import sys
import tempfile

import mutations
import tensor_file
import time
import victims
from tool_runner import ALLOWED, ToolRunner

MEMORY_LIMIT = 3 << 30  # of address space; sanitizers need theirs and are limited by themselves
SANITIZED = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=3000:hard_rss_limit_mb=3500",
             "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def runner_of(folder):
    with open(os.path.join(folder, "tensor-file"), "rb") as tool:
        sanitized = b"__asan_init" in tool.read()

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))

    return ToolRunner(folder, {**SANITIZED, "OMP_NUM_THREADS": "1", "FRUGAL_THREADS": "1"}, limit)


def faults_of(status, message, before):
    """What is wrong with how a command ended."""
    faults = []
    if status not in ALLOWED:
        faults.append(f"status {status}")
    if status != 0 and not message.strip():
        faults.append("no message")
    if "\x1b" in message:
        faults.append("an escape sequence in the message")
    outputs = [name for name in ("out", "out.tzs") if os.path.exists(name)]
    if status not in (0, 75) and outputs:
        faults.append("an output though it failed")
    left = sorted(set(os.listdir(".")) - before - set(outputs) - {"victim.safetensors.prev"})
    if left:
        faults.append("left behind: " + ", ".join(left))
    for name in outputs + left:
        shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    return faults


def attack(runner, seconds, chance):
    """Counts of statuses by tool and command, and what was found."""
    seeds = {name: tensor_file.read(name) for name in victims.COMMANDS}
    counts, found = collections.defaultdict(collections.Counter), []
    end = time.monotonic() + seconds
    names = sorted(seeds)
    number = 0
    while time.monotonic() < end:
        name = names[number % len(names)]
        number += 1
        metadata, tensors = dict(seeds[name][0]), dict(seeds[name][1])
        change = mutations.mutate(metadata, tensors, chance)
        tensor_file.write("victim.safetensors", metadata, tensors)
        kept = open("victim.safetensors", "rb").read()
        command = chance.choice(victims.COMMANDS[name])
        before = set(os.listdir("."))
        status, message = runner.run([word.replace("@", "victim.safetensors") for word in command.split()])
        counts[" ".join(command.split()[:2])][status] += 1
        for fault in faults_of(status, message, before):
            found.append((fault, name, command, change, message[-2000:], kept))
    return number, counts, found


def main():
    folder = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    runner = runner_of(folder)
    here, scratch = os.getcwd(), tempfile.mkdtemp()
    os.chdir(scratch)
    try:
        victims.make_seeds(runner.must_run)
        number, counts, found = attack(runner, seconds, random.Random(seed))
    finally:
        os.chdir(here)
        shutil.rmtree(scratch, ignore_errors=True)
    for command, statuses in sorted(counts.items()):
        print(f"{command:28} " + "  ".join(f"{status}: {n}" for status, n in sorted(statuses.items(), key=str)))
    print(f"{number} files, {len(found)} found")
    for i, (fault, name, command, change, message, kept) in enumerate(found):
        os.makedirs("attacks.found", exist_ok=True)
        with open(f"attacks.found/{i}.safetensors", "wb") as out:
            out.write(kept)
        print(f"{i}: {fault}: {name}: {change}\n   {command}\n   {message.strip()}")
    sys.exit(1 if found else 0)


main()
