#!/usr/bin/env python3
"""Makes calls of the C library fail, one a run, while tools train, convert, import and sample: reads, writes, memory, threads.
A tool may go on to the right result, or end with a message and a status of its table; the output is then the former or the
right one, whole. Interrupted calls must not matter.

    faults.py BIN_DIR [SECONDS [SEED]]     prints a table; fails if anything was found. Needs gcc.
"""
import collections
import errno
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import victims
from tool_runner import ALLOWED, ToolRunner

# What fails, and how: an error as a broken disk or a full one, a machine without memory, a signal would give it.
FAULTS = [("write", errno.ENOSPC), ("write", errno.EINTR), ("fsync", errno.EIO), ("rename", errno.EIO), ("linkat", errno.EIO),
          ("open", errno.EIO), ("open", errno.EMFILE), ("open", errno.EINTR), ("read", errno.EIO), ("read", errno.EINTR),
          ("pread", errno.EIO), ("pread", errno.EINTR), ("mmap", errno.ENOMEM), ("malloc", errno.ENOMEM), ("fstat", errno.EIO),
          ("pthread_create", errno.EAGAIN), ("fallocate", errno.ENOSPC), ("ftruncate", errno.EIO), ("close", errno.EIO),
          ("flock", errno.EIO)]
CHECKPOINTS = "--checkpoint run.ckpt --checkpoint-every 1ms"
COMMANDS = [
    "tensor-file convert ../graph.safetensors out.tzs -q",
    "sparse-train train ../text.csv --hidden 4 --epochs 2 --no-search --report report.html -q -o out " + CHECKPOINTS,
    "sparse-train train ../sparse.txt --architecture tree -q -o out",
    "sparse-train convert ../text.csv --max-memory 4K -q -o out",
    "robe-compress train ../clicks.csv --bottom 4 --top 4 --dim 4 --compression 2 --epochs 2 -q -o out "
    + CHECKPOINTS,
    "robe-compress compress ../tables.safetensors --compression 2 -q -o out",
    "gnn-sample import ../edges.csv --undirected -q -o out",
    "gnn-sample train ../graph.safetensors --fanouts 3,2 --hidden 4 --epochs 2 -q -o out " + CHECKPOINTS,
    "gnn-sample sample ../graph.safetensors --fanouts 3,2 -q -o out.tzs",
    "tgn-train import ../late.csv -q -o out",
    "tgn-train train ../events.safetensors --memory-dim 4 --time-dim 4 --new-nodes 0 --epochs 1 --memory-tier disk "
    "-q -o out " + CHECKPOINTS,
]


def empty_folder():
    for name in os.listdir("."):
        shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


def content(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Victim:
    """A command in an empty folder, where it leaves `right` under `output` and the files `expected` if nobody disturbs it."""

    def __init__(self, runner, library, command):
        self.runner, self.library, self.words = runner, library, command.split()
        self.name = " ".join(self.words[:2])
        self.output = "out.tzs" if "out.tzs" in self.words else "out"
        empty_folder()
        runner.must_run(*self.words)
        self.right, self.expected = content(self.output), set(os.listdir("."))

    def calls(self, call):
        """How often the command makes a call."""
        empty_folder()
        with tempfile.NamedTemporaryFile("r") as count:
            status, message = self.runner.run(self.words, LD_PRELOAD=self.library, FAIL_CALL=call, FAIL_COUNT=count.name)
            if status != 0 or content(self.output) != self.right:
                sys.exit(f"{self.name} with the library that counts {call}: {status}\n{message}")
            return int(count.read())

    def fail(self, call, error, at):
        """The status, and what is wrong with how the command took the fault."""
        empty_folder()
        with open(self.output, "wb") as file:
            file.write(b"former")
        status, message = self.runner.run(self.words, LD_PRELOAD=self.library, FAIL_CALL=call, FAIL_AT=str(at),
                                          FAIL_ERRNO=str(error))
        return status, self.faults(status, message, error), message

    def faults(self, status, message, error):
        found = []
        if status not in ALLOWED:
            found.append(f"status {status}")
        if error == errno.EINTR and status != 0:
            found.append(f"status {status} as a call was interrupted")
        if status != 0 and not message.strip():
            found.append("no message")
        output = content(self.output)
        if output != self.right and (status == 0 or output != b"former"):
            found.append("a wrong output" if output is not None else "the former output is lost")
        left = sorted(set(os.listdir(".")) - self.expected - {"run.ckpt", "run.ckpt.prev"})
        if left:
            found.append("left behind: " + ", ".join(left))
        return found


def points(total, most, chance):
    """Which calls fail: the first ones, and some of the others."""
    numbers = list(range(1, total + 1))
    return numbers if total <= most else numbers[:most // 2] + sorted(chance.sample(numbers[most // 2:], most - most // 2))


def attack(runner, library, seconds, chance):
    """Counts of statuses by command and fault, and what was found; all commands and faults get an equal share of the time."""
    plan = []
    for victim in [Victim(runner, library, command) for command in COMMANDS]:
        totals = {call: victim.calls(call) for call in dict.fromkeys(call for call, _ in FAULTS)}
        plan += [(victim, call, error, at) for call, error in FAULTS for at in points(totals[call], 40, chance)]
    chance.shuffle(plan)
    counts, found = collections.defaultdict(collections.Counter), []
    end = time.monotonic() + seconds
    for victim, call, error, at in plan:
        if time.monotonic() > end:
            break
        status, faults, message = victim.fail(call, error, at)
        counts[f"{call} {errno.errorcode[error]}"][status] += 1
        found += [f"{fault}: {' '.join(victim.words)}: {call} {errno.errorcode[error]}, call {at}\n   {message.strip()}"
                  for fault in faults]
    return counts, found


def main():
    folder = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fail_call.c")
    with tempfile.TemporaryDirectory() as scratch:
        library = os.path.join(scratch, "fail_call.so")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
        runner = ToolRunner(folder, {"FRUGAL_THREADS": "2", "SOURCE_DATE_EPOCH": "1", "OMP_WAIT_POLICY": "passive"})
        os.chdir(scratch)
        victims.make_seeds(runner.must_run)
        with open("edges.csv", "w", encoding="utf-8") as out:
            out.writelines(f"{i},{i * 7 % 60}\n" for i in range(60))
        os.mkdir("work")
        os.chdir("work")
        counts, found = attack(runner, library, seconds, random.Random(seed))
        os.chdir("/")
    for fault, statuses in sorted(counts.items()):
        print(f"{fault:24} " + "  ".join(f"{status}: {n}" for status, n in sorted(statuses.items(), key=str)))
    print(f"{sum(sum(c.values()) for c in counts.values())} faults, {len(found)} found")
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
