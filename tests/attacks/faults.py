#!/usr/bin/env python3
"""Makes calls of all commands of all tools fail, one a run: reads, writes, files, memory, threads (call_errors.py).
A tool may go on to the right result, or end with a message and a status of its table; the output is then the former or
the right one, whole. Interrupted calls, and those that do half, must not matter.

    faults.py BIN_DIR [SECONDS [SEED]]    faults drawn in random order for so long, 60 by default; 0: every call of every
                                          command, but of a command's calls for memory of a page or less 300 drawn ones

Prints a table; fails if anything was found; 77 where the kernel does not report system calls. Needs gcc.
"""
import collections
import errno
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from attacked_commands import COMMANDS, EXEMPT, make_inputs
from call_errors import ERRORS, HARMLESS, REGRESSIONS, UNTOUCHED
from tool_runner import ToolRunner
from victim import Victim, empty_folder

HERE = os.path.dirname(os.path.abspath(__file__))
ENDED_BY_C_LIBRARY = "Fatal glibc error: failed to register TLS destructor"  # as it lacks memory for a thread's variable
SMALL_DRAWN = 300


def system_calls():
    """Names by the numbers of this machine, and of fail_call.c for memory."""
    macros = subprocess.run(["gcc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], check=True,
                            capture_output=True, text=True).stdout
    names = {int(number): name for name, number in re.findall(r"#define __NR_(\w+) (\d+)$", macros, re.M)}
    return {**names, 1000: "memory", 1001: "small-memory"}


class CountedVictim(Victim):
    """Knows how often it makes each call, by their numbers."""

    def __init__(self, runner, library, line):
        super().__init__(runner, line)
        self.library = library

    def study(self):
        self.learn()
        empty_folder()
        with tempfile.NamedTemporaryFile("r") as counts:
            status, message, *result = self.result(LD_PRELOAD=self.library, FAIL_COUNT=counts.name)
            self.calls = dict(map(int, line.split()) for line in counts)
        if status != 0 or result != self.right or not self.calls:
            raise RuntimeError(f"{self.line}: {status} with the library that counts\n{message}")
        return self

    def fail(self, call, error, at, removes):
        """The status, or None if so many calls were not made, and what is wrong with how the command took the fault.
        removes: the call would remove a file, which is then left."""
        self.prepare()
        done = os.path.abspath("../done-" + str(os.getpid()))
        number = "0" if error == "short" else str(getattr(errno, error))
        status, message, *result = self.result(LD_PRELOAD=self.library, FAIL_CALL=str(call), FAIL_AT=str(at),
                                               FAIL_ERRNO=number, FAIL_DONE=done)
        if not os.path.exists(done):
            return None, []
        os.remove(done)
        if ENDED_BY_C_LIBRARY in message:
            return "C library", []
        found = [fault for fault in self.faults(status, message, result) if not (fault.startswith("left") and removes)]
        if error in HARMLESS and status != 0:
            found.append(f"status {status} as a call was not whole")
        return status, [f"{fault}: {self.line}: {{}} {error}, call {at}\n   {message.strip()}" for fault in found]


def enter_folder():
    """Each process has a folder of its own beside the inputs."""
    os.mkdir(f"work-{os.getpid()}")
    os.chdir(f"work-{os.getpid()}")


def forgotten_commands(folder):
    """Commands that the tools name and nothing attacks."""
    attacked = {" ".join(line.split()[:2]) for line in COMMANDS} | set(EXEMPT)
    for tool in sorted(os.listdir(os.path.join(HERE, "../../tools"))):
        if not os.path.exists(os.path.join(folder, tool)):
            continue
        page = subprocess.run([os.path.join(folder, tool), "--help"], check=True, capture_output=True, text=True).stdout
        for command in re.findall(r"^  ([a-z]+) ", page.split("Commands:")[1].split("Options:")[0], re.M):
            if f"{tool} {command}" not in attacked:
                yield f"{tool} {command}"


def unknown_calls(studied, names):
    """Calls that commands make and nothing fails."""
    for victim in studied:
        for call in victim.calls:
            if names.get(call) not in {**ERRORS, **UNTOUCHED}:
                yield f"{victim.line}: {names.get(call, call)}"


def all_faults(studied, names, chance):
    for i, victim in enumerate(studied):
        for call, total in victim.calls.items():
            points = range(1, total + 1)
            if names[call] == "small-memory":
                points = chance.sample(points, min(total, SMALL_DRAWN))
            for error in ERRORS.get(names[call], []):
                yield from ((i, call, error, at) for at in points)


def inflict(fault):
    """Nothing more is done after the time, but for what is made first."""
    victim, call, error, at = fault
    if time.monotonic() > end and not is_regression(fault):
        return None
    return call, error, studied[victim].fail(call, error, at, names[call].startswith("unlink"))


def is_regression(fault):
    victim, call, error, _ = fault
    return (studied[victim].name, names[call], error) in REGRESSIONS


def attack(faults):
    """Counts of statuses by fault, and what was found."""
    counts, found = collections.defaultdict(collections.Counter), []
    begin = shown = time.monotonic()
    with multiprocessing.Pool(os.cpu_count(), enter_folder) as pool:
        done = 0
        for outcome in pool.imap_unordered(inflict, faults, 4):
            if outcome is None:
                continue
            call, error, (status, faults_found) = outcome
            counts[f"{names[call]} {error}"][status] += 1
            found += [fault.format(names[call]) for fault in faults_found]
            done += 1
            now = time.monotonic()
            if now - shown > 30:
                print(f"{done} of {len(faults)} faults in {now - begin:.0f} s, {len(found)} found", file=sys.stderr)
                shown = now
    return counts, found


def study(victim):
    return victim.study()


def main():
    global studied, names, end  # by the processes that inflict faults, which are forked
    folder = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    names = system_calls()
    found = [f"nothing attacks {command}" for command in forgotten_commands(folder)]
    with tempfile.TemporaryDirectory() as scratch:
        library = os.path.join(scratch, "fail_call.so")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", os.path.join(HERE, "fail_call.c"), "-o", library], check=True)
        runner = ToolRunner(folder, {"FRUGAL_THREADS": "2", "SOURCE_DATE_EPOCH": "1", "OMP_WAIT_POLICY": "passive"})
        if subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": library}).returncode == 77:
            sys.exit(77)
        os.chdir(scratch)
        make_inputs(runner.must_run)
        with multiprocessing.Pool(os.cpu_count(), enter_folder) as pool:
            studied = pool.map(study, [CountedVictim(runner, library, line) for line in COMMANDS], 1)
        found += [f"nothing fails {call}" for call in unknown_calls(studied, names)]
        faults = list(all_faults(studied, names, chance))
        chance.shuffle(faults)
        faults.sort(key=is_regression, reverse=True)
        end = time.monotonic() + seconds if seconds else float("inf")
        counts, more = attack(faults)
        found += more
        os.chdir("/")
    for fault, statuses in sorted(counts.items()):
        print(f"{fault:24} " + "  ".join(f"{status}: {n}" for status, n in sorted(statuses.items(), key=str)))
    reached = sum(n for c in counts.values() for status, n in c.items() if status is not None)
    print(f"{reached} faults of {len(faults)} in {len(COMMANDS)} commands, {len(found)} found")
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
