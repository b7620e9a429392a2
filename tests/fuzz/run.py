#!/usr/bin/env python3
"""Runs the libFuzzer programs with AddressSanitizer and UndefinedBehaviorSanitizer over inputs of their own making, as many
programs at a time as there are CPUs, all for the same time, a minute each in turn.

    run.py BIN_DIR FOLDER RUNS|SECONDSs     until all have made so many executions together, or each for so long ("60s")

FOLDER keeps what was learnt, one folder a program, and the inputs that were found. Prints a table of executions, which also
counts those of earlier calls with the same FOLDER; fails if anything was found. A report of the sanitizers does not say where
memory was taken, which would make them slower: the program says it when it is given the input alone.
"""
import json
import os
import re
import subprocess
import sys
import threading
import time

TURN = 60  # seconds
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "malloc_context_size=0:quarantine_size_mb=8"}
SHORT = ["-max_len=512"]  # most errors need no more, and short inputs are read faster: three turns of four


class Program:
    def __init__(self, path, folder):
        self.path, self.name = path, os.path.basename(path).removeprefix("fuzz_")
        self.seeds = os.path.join(os.path.dirname(path), "..", "corpus", self.name)
        self.corpus = os.path.join(folder, self.name)
        self.found = os.path.join(folder, self.name + "-")
        self.runs = self.turns = 0
        self.seconds = 0.0
        self.message = ""
        os.makedirs(self.corpus, exist_ok=True)

    def run(self, seconds):
        """More executions, with what was learnt before."""
        began = time.monotonic()
        length = SHORT if self.turns % 4 != 0 else []
        done = subprocess.run([self.path, f"-max_total_time={seconds}", *length, "-entropic=0", "-print_final_stats=1",
                               "-timeout=25", "-artifact_prefix=" + self.found, "-verbosity=0", self.corpus, self.seeds],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
        message = done.stderr.decode("utf-8", "replace")
        stats = dict(re.findall(r"stat::(\w+): +(\d+)", message))
        self.runs += int(stats.get("number_of_executed_units", 0))
        self.turns += 1
        self.seconds += time.monotonic() - began
        if done.returncode != 0:
            self.message = message


class Executions:
    """Of all calls with a folder; stored after each turn, for a run of hours may be stopped."""

    def __init__(self, folder):
        self.path, self.counts = os.path.join(folder, "executions.json"), {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.counts = json.load(file)

    def add(self, name, runs):
        self.counts[name] = self.counts.get(name, 0) + runs
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.counts, file)
        os.replace(self.path + ".new", self.path)

    def total(self):
        return sum(self.counts.values())


class Plan:
    """Which program is next: the one that had least time, until there is enough of all."""

    def __init__(self, programs, amount, executions):
        self.programs, self.waiting, self.lock = programs, list(programs), threading.Lock()
        self.executions = executions
        self.seconds = int(amount[:-1]) if amount.endswith("s") else None
        self.goal = None if self.seconds else int(amount)

    def wants(self, program):
        if program.message:
            return False
        return sum(p.runs for p in self.programs) < self.goal if self.goal else program.seconds < self.seconds

    def work(self):
        while True:
            with self.lock:
                wanted = [p for p in self.waiting if self.wants(p)]
                if not wanted:
                    return
                program = min(wanted, key=lambda p: p.seconds)
                self.waiting.remove(program)
            before = program.runs
            program.run(min(TURN, self.seconds or TURN))
            with self.lock:
                self.waiting.append(program)
                self.executions.add(program.name, program.runs - before)


def main():
    binaries, folder, amount = sys.argv[1:]
    programs = [Program(os.path.join(binaries, name), folder) for name in sorted(os.listdir(binaries)) if name.startswith("fuzz_")]
    executions = Executions(folder)
    plan = Plan(programs, amount, executions)
    threads = [threading.Thread(target=plan.work) for _ in range(os.cpu_count())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for program in programs:
        print(f"{program.runs:12} executions, {program.runs / program.seconds:8.0f} a second: {program.name}")
    print(f"{sum(p.runs for p in programs):12} executions; with those of earlier calls {executions.total()}")
    failed = [p for p in programs if p.message]
    for program in failed:
        print(f"{program.name}: found {program.found}*\n{program.message[-6000:]}")
    sys.exit(1 if failed else 0)


main()
