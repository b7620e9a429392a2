#!/usr/bin/env python3
"""Runs the libFuzzer programs with AddressSanitizer and UndefinedBehaviorSanitizer over inputs of their own making, as many
programs at a time as there are CPUs, each again and again for a tenth of its share.

    run.py BIN_DIR FOLDER RUNS|SECONDSs     so many executions of all programs together, or so many seconds of each ("60s")

FOLDER keeps what was learnt, one folder a program, and the inputs that were found. Prints a table of executions, which also
counts those of earlier calls with the same FOLDER; fails if anything was found.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SLICES = 10


class Program:
    def __init__(self, path, folder):
        self.path, self.name = path, os.path.basename(path).removeprefix("fuzz_")
        self.corpus = os.path.join(folder, self.name)
        self.found = os.path.join(folder, self.name + "-")
        self.runs = self.seconds = 0
        self.message = ""
        os.makedirs(self.corpus, exist_ok=True)

    def run(self, limit):
        """More executions, with what was learnt before."""
        began = time.monotonic()
        done = subprocess.run([self.path, *limit, "-print_final_stats=1", "-timeout=25", "-artifact_prefix=" + self.found,
                               "-verbosity=0", self.corpus, os.path.join(HERE, "corpus", self.name)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        message = done.stderr.decode("utf-8", "replace")
        stats = dict(re.findall(r"stat::(\w+): +(\d+)", message))
        self.runs += int(stats.get("number_of_executed_units", 0))
        self.seconds += time.monotonic() - began
        if done.returncode != 0:
            self.message = message
        return done.returncode == 0


def run_slices(program, limit):
    for _ in range(SLICES):
        if not program.run(limit):
            break
    return program


def main():
    binaries, folder, amount = sys.argv[1:]
    programs = [Program(os.path.join(binaries, name), folder) for name in sorted(os.listdir(binaries)) if name.startswith("fuzz_")]
    if amount.endswith("s"):
        limit = [f"-max_total_time={max(1, int(amount[:-1]) // SLICES)}"]
    else:
        limit = [f"-runs={int(amount) // len(programs) // SLICES + 1}"]
    earlier_file = os.path.join(folder, "executions.json")
    earlier = {}
    if os.path.exists(earlier_file):
        with open(earlier_file, encoding="utf-8") as file:
            earlier = json.load(file)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program in pool.map(lambda p: run_slices(p, limit), programs):
            earlier[program.name] = earlier.get(program.name, 0) + program.runs
            print(f"{program.runs:12} executions, {program.runs / program.seconds:8.0f} a second: {program.name}", flush=True)
            with open(earlier_file, "w", encoding="utf-8") as file:
                json.dump(earlier, file)
    print(f"{sum(p.runs for p in programs):12} executions; with those of earlier calls {sum(earlier.values())}")
    failed = [p for p in programs if p.message]
    for program in failed:
        print(f"{program.name}: found {program.found}*\n{program.message[-6000:]}")
    sys.exit(1 if failed else 0)


main()
