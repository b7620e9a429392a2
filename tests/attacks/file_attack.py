"""Runs commands on changed files, and judges how they end: a tool may refuse a file or take it, with a message and a status of
its table. It may not crash, hang, take memory without end, call it its own bug, or leave a broken output."""
import collections
import os
import resource
import shutil
import tempfile

import model_kinds
import tensor_file
from tool_runner import ALLOWED, ToolRunner

ADDRESSES = 3 << 30  # of address space; sanitizers need theirs and are limited by themselves
MEMORY_A_BYTE, LEAST_MEMORY = 4, 64 << 20  # resident: so many times the file, and what any command may take
ASKING_FOR_MEMORY = ("tgn.neighbors", "tgn.batch_size", "tgn.window")  # a model says how large a step is
SANITIZED = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=3000:hard_rss_limit_mb=3500",
             "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
VICTIM = "victim.safetensors"


def is_sanitized(folder):
    with open(os.path.join(folder, "tensor-file"), "rb") as tool:
        return b"__asan_init" in tool.read()


def runner_of(folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))

    sanitized = is_sanitized(folder)
    return ToolRunner(folder, {**SANITIZED, "OMP_NUM_THREADS": "1", "FRUGAL_THREADS": "1"}, limit)


class FileAttack:
    """An attack in the current folder, which has the files of model_kinds.py."""

    def __init__(self, folder):
        self.runner, self.measures = runner_of(folder), not is_sanitized(folder)
        model_kinds.make_seeds(self.runner.must_run)
        self.seeds = {name: tensor_file.read(name) for name in model_kinds.COMMANDS}
        self.files = 0
        self.counts = collections.defaultdict(collections.Counter)  # statuses by tool and command
        self.most_memory = 0  # beyond MEMORY_A_BYTE times the file
        self.found = []  # of each what is wrong, the seed, command, change and message, and the file

    def attack(self, name, metadata, tensors, command, change, expected=None):
        """Runs the command on a file of that kind, changed. expected: the only status that is right; None: any that may be."""
        tensor_file.write(VICTIM, metadata, tensors)
        with open(VICTIM, "rb") as file:
            kept = file.read()
        before = set(os.listdir("."))
        words = [word.replace("@", VICTIM) for word in command.split()]
        status, message, memory = self.runner.run_measured(words)
        self.files += 1
        self.counts[" ".join(words[:2])][status] += 1
        faults = self.faults_of(status, message, before)
        if expected not in (None, status):
            faults.append(f"status {status}, expected {expected}")
        if self.measures and not any(key in change for key in ASKING_FOR_MEMORY):
            beyond = memory - MEMORY_A_BYTE * len(kept)
            self.most_memory = max(self.most_memory, beyond)
            if beyond > LEAST_MEMORY:
                faults.append(f"{memory >> 20} MiB of memory for a file of {len(kept)} bytes")
        for fault in faults:
            self.found.append((fault, name, command, change, message[-2000:], kept))

    @staticmethod
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
        left = sorted(set(os.listdir(".")) - before - set(outputs) - {VICTIM + ".prev"})
        if left:
            faults.append("left behind: " + ", ".join(left))
        for name in outputs + left:
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
        if os.path.exists(VICTIM + ".prev"):
            os.remove(VICTIM + ".prev")
        return faults

    def report(self):
        """Prints what was done and found, and keeps the files in attacks.found; true where nothing was found."""
        for command, statuses in sorted(self.counts.items()):
            print(f"{command:28} " + "  ".join(f"{status}: {n}" for status, n in sorted(statuses.items(), key=str)))
        memory = f", at most {self.most_memory >> 20} MiB of memory beyond {MEMORY_A_BYTE} times the file"
        print(f"{self.files} files, {len(self.found)} found{memory if self.measures else ''}")
        for i, (fault, name, command, change, message, kept) in enumerate(self.found):
            os.makedirs("attacks.found", exist_ok=True)
            with open(f"attacks.found/{i}.safetensors", "wb") as out:
                out.write(kept)
            print(f"{i}: {fault}: {name}: {change}\n   {command}\n   {message.strip()}")
        return not self.found


def in_scratch(folder, body):
    """Calls body(attack) in a folder of its own; true where nothing was found."""
    here, scratch = os.getcwd(), tempfile.mkdtemp()
    folder = os.path.abspath(folder)
    os.chdir(scratch)
    try:
        attack = FileAttack(folder)
        body(attack)
    finally:
        os.chdir(here)
        shutil.rmtree(scratch, ignore_errors=True)
    return attack.report()
