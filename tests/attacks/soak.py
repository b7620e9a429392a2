#!/usr/bin/env python3
"""Keeps the predict commands that answer a stream at work: answers must be those of a short run, memory and descriptors flat.
One consumer is slow; others go away, which ends their command. gnn-sample predict, which answers no stream, runs again and again.

    soak.py BIN_DIR [SECONDS]     60 by default; prints a table, fails if anything was found
"""
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import victims
from tool_runner import ToolRunner

MOST_GROWTH = 4 << 20  # bytes from the second quarter of the time to the last: the C library keeps some of what is freed
BLOCK = 200  # lines
END = 300  # seconds that a command may take to end, where other work goes first


def repeated(path):
    """Blocks of the lines of a file, again and again."""
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    block = list(itertools.islice(itertools.cycle(lines), BLOCK))
    return lambda number: block


def events(number):
    """Events of known nodes, each later than all before."""
    return [b"%d,%d,%d,0.25,%d\n" % (i % 20, 20 + i * 7 % 20, 100000000 + i, i % 3)
            for i in range(number * BLOCK, (number + 1) * BLOCK)]


class Stream:
    """A command that answers a line with a line, its feeder and its consumer."""

    def __init__(self, runner, command, block_of, learns=False, pause=0.0):
        """learns: answers depend on the lines before; they begin with their lines. pause: seconds after each block."""
        self.name = command + (" (slow consumer)" if pause else "")
        self.block_of, self.learns, self.pause = block_of, learns, pause
        self.words = [os.path.join(runner.folder, command.split()[0]), *command.split()[1:]]
        self.environment = runner.environment
        self.found, self.samples, self.fed, self.answered, self.stop = [], [], 0, 0, threading.Event()
        blocks = [block_of(i) for i in range(5 if learns else 1)]
        done = subprocess.run(self.words, input=b"".join(itertools.chain(*blocks)), stdout=subprocess.PIPE, env=self.environment)
        lines = iter(done.stdout.splitlines(keepends=True))
        self.right = [list(itertools.islice(lines, BLOCK)) for _ in blocks]

    def open(self):
        return subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment)

    def start(self):
        self.process = self.open()
        self.threads = [threading.Thread(target=work) for work in (self.feed, self.consume)]
        for thread in self.threads:
            thread.start()

    def feed(self):
        try:
            while not self.stop.is_set():
                self.process.stdin.write(b"".join(self.block_of(self.fed)))
                self.fed += 1
            self.process.stdin.close()
        except BrokenPipeError:
            self.found.append("does not read on")

    def consume(self):
        while lines := list(itertools.islice(self.process.stdout, BLOCK)):
            if not self.is_right(lines) and len(self.found) < 3:
                self.found.append(f"block {self.answered}: wrong answers, the first {lines[0]!r}")
            self.answered += 1
            if not self.stop.is_set():
                time.sleep(self.pause)

    def is_right(self, lines):
        if not self.learns:
            return lines == self.right[0]
        if self.answered < len(self.right):
            return lines == self.right[self.answered]
        asked = [b",".join(line.split(b",")[:3]) for line in self.block_of(self.answered)]
        return asked == [line.rpartition(b",")[0] for line in lines]

    def sample(self):
        """Resident bytes, descriptors and threads."""
        folder = f"/proc/{self.process.pid}"
        with open(folder + "/statm", encoding="ascii") as file:
            memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.samples.append((memory, len(os.listdir(folder + "/fd")), len(os.listdir(folder + "/task"))))

    def finish(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(END)
        try:
            status = self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "does not end"
        if status != 0 or self.fed != self.answered or self.fed == 0:
            self.found.append(f"status {status}, {self.fed} blocks and {self.answered} of answers: "
                              + self.process.stderr.read().decode("utf-8", "replace"))
        self.process.stdout.close()
        self.process.stderr.close()
        self.check_samples()

    def check_samples(self):
        quarter = max(1, len(self.samples) // 4)
        early, late = self.samples[quarter:2 * quarter], self.samples[-quarter:]
        self.memory = [statistics.median(memory for memory, _, _ in part) for part in (early, late)]
        if self.memory[1] - self.memory[0] > MOST_GROWTH:
            self.found.append(f"memory grew from {self.memory[0]:.0f} to {self.memory[1]:.0f} bytes")
        for what, of in (("descriptors", 1), ("threads", 2)):
            if late[-1][of] > early[0][of]:
                self.found.append(f"{what} grew from {early[0][of]} to {late[-1][of]}")

    def lose_consumer(self):
        """A consumer that goes away ends the command by SIGPIPE."""
        process = self.open()
        feeder = threading.Thread(target=feed_until_broken, args=(process, self.block_of))
        feeder.start()
        process.stdout.read(1)
        process.stdout.close()
        if process.wait(END) != -13:
            self.found.append(f"status {process.returncode} without a consumer: {process.stderr.read()!r}")
        feeder.join()
        process.stderr.close()

    def lose_producer(self):
        """A producer that goes away in a line: the command answers what was whole, or says what is not."""
        process = self.open()
        whole = b"".join(self.block_of(0))
        answers, message = process.communicate(whole + self.block_of(1)[0][:3], timeout=END)
        right = b"".join(self.right[0])
        if not (answers.startswith(right) if process.returncode == 0 else process.returncode == 65 and right.startswith(answers)):
            self.found.append(f"status {process.returncode} as its producer went away: {message!r}")


def feed_until_broken(process, block_of):
    try:
        for number in itertools.count():
            process.stdin.write(b"".join(block_of(number)))
            process.stdin.flush()
    except BrokenPipeError:
        pass
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass


class Again:
    """gnn-sample predict, again and again: the same bytes, nothing left behind."""

    def __init__(self, runner):
        self.runner, self.found, self.runs = runner, [], 0
        self.right, self.left = self.run(), sorted(os.listdir("."))

    def run(self):
        self.runner.must_run("gnn-sample", "predict", "gnn.safetensors", "graph.safetensors", "-q", "-f", "-o", "kinds.safetensors")
        self.runs += 1
        with open("kinds.safetensors", "rb") as file:
            return file.read()

    def check(self):
        if self.run() != self.right or sorted(os.listdir(".")) != self.left:
            self.found.append(f"gnn-sample predict, run {self.runs}: another result, or a file is left")


def soak(streams, again, seconds):
    began = time.monotonic()
    for stream in streams:
        stream.start()
    for number in itertools.count():
        if time.monotonic() - began >= seconds:
            break
        time.sleep(min(2, seconds / 40))
        for stream in streams:
            stream.sample()
        again.check()
        streams[number % len(streams)].lose_consumer()
        streams[number % len(streams)].lose_producer()
    for stream in streams:
        stream.stop.set()
    for stream in streams:
        stream.finish()
    try:
        os.waitpid(-1, os.WNOHANG)
        again.found.append("a process is left")
    except ChildProcessError:
        pass


def main():
    runner = ToolRunner(sys.argv[1], {"FRUGAL_THREADS": "2", "OMP_WAIT_POLICY": "passive", "SOURCE_DATE_EPOCH": "1"})
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        victims.make_seeds(runner.must_run)
        with open("header-less.csv", "w", encoding="utf-8") as out:
            out.writelines(f"{i % 2},{i % 9}.5,{i % 5},x{i % 7}\n" for i in range(BLOCK))
        with open("sparse.txt", encoding="utf-8") as text, open("sparse-lines.txt", "w", encoding="utf-8") as out:
            out.writelines(text.readlines()[1:])
        tgn = "tgn-train predict tgn.safetensors --history events.safetensors -q"
        streams = [Stream(runner, "sparse-train predict text.safetensors -q", repeated("text.csv")),
                   Stream(runner, "sparse-train predict tree.safetensors -q", repeated("sparse-lines.txt")),
                   Stream(runner, "robe-compress predict clicks.safetensors --header no -q", repeated("header-less.csv")),
                   Stream(runner, tgn, events, learns=True),
                   Stream(runner, "sparse-train predict text.safetensors -q", repeated("text.csv"), pause=0.2),
                   Stream(runner, tgn, events, learns=True, pause=0.2)]
        again = Again(runner)
        soak(streams, again, seconds)
        os.chdir("/")
    found = list(again.found)
    for stream in streams:
        found += [f"{stream.name}: {fault}" for fault in stream.found]
        memory = " -> ".join(f"{bytes_ / 2**20:.1f}" for bytes_ in stream.memory)
        print(f"{stream.answered * BLOCK:12} lines, {memory} MiB, {stream.samples[-1][1]} descriptors: {stream.name}")
    print(f"{again.runs:12} runs of gnn-sample predict; {len(streams[0].samples)} consumers and producers lost; "
          f"{seconds:.0f} s, {len(found)} found")
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
