#!/usr/bin/env python3
"""Lets no command of any tool write what it must: to a full device, and to files that may have no byte, some or most of
their bytes. Each must end with 74, or 73 where a file cannot be made; the former output stays, and nothing is left behind.

    disk_full.py BIN_DIR     fails if anything was found
"""
import os
import resource
import sys
import tempfile

from attacked_commands import COMMANDS, make_inputs
from tool_runner import ToolRunner
from victim import APPENDING, Victim


def full_device(victim):
    """The command with a full device for its output, or for its answers."""
    victim.prepare()
    with open("/dev/full", "wb") as full:
        if victim.output:
            words = [("/dev/full" if word == victim.output else word) for word in victim.words]
            status, message = victim.runner.run_whole(words, victim.input or os.devnull)[:2]
        else:
            status, message = victim.runner.run_whole(victim.words, victim.input or os.devnull, full)[:2]
    right = 2 if victim.output and victim.name in APPENDING else 74  # no device is gone on from
    return [f"status {status} with a full device"] * (status != right) + ["no message"] * (not message)


def short_files(victim, bytes_allowed):
    """The command where files may have so many bytes."""
    victim.prepare()
    status, message, *result = victim.result(
        limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_allowed, bytes_allowed)))
    found = victim.faults(status, message, result)
    if status not in (73, 74):
        found.append(f"status {status}")
    return [f"{fault}, files of {bytes_allowed} bytes at most" for fault in found]


def attack(victim):
    victim.learn()
    size = os.path.getsize(victim.output) if victim.output and os.path.isfile(victim.output) else 0
    silent = not victim.output and not victim.right[0]  # tells by its status alone
    found = [] if silent else full_device(victim)
    if victim.output:
        for bytes_allowed in sorted({0, size // 2, size - 1 if victim.name not in APPENDING else 0}):
            found += short_files(victim, bytes_allowed)
    return [f"{fault}: {victim.line}" for fault in found]


def main():
    runner = ToolRunner(sys.argv[1], {"FRUGAL_THREADS": "2", "SOURCE_DATE_EPOCH": "1", "OMP_WAIT_POLICY": "passive"})
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make_inputs(runner.must_run)
        os.mkdir("work")
        os.chdir("work")
        found = [fault for line in COMMANDS for fault in attack(Victim(runner, line))]
        os.chdir("/")
    print(f"{len(COMMANDS)} commands, {len(found)} found")
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
