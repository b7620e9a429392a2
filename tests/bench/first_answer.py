#!/usr/bin/env python3
"""How long a command takes to start, answer and end, and how much memory it takes at most.

    first_answer.py [--runs 21] [--input FILE] -- COMMAND...

Runs the command so often, its standard input from FILE, its output thrown away, and prints the medians of wall and
CPU milliseconds and of the largest resident set. A resident set includes pages of mapped files, which processes share.
"""
import argparse
import os
import statistics
import sys
import time


def run_once(command, path):
    with open(path, "rb") as data, open(os.devnull, "wb") as nowhere:
        began = time.perf_counter()
        process = os.posix_spawnp(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, data.fileno(), 0), (os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)])
        _, status, usage = os.wait4(process, 0)
        wall = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{command[0]}: ended with {os.waitstatus_to_exitcode(status)}")
    return 1000 * wall, 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--input", default=os.devnull)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    runs = [run_once(options.command, options.input) for _ in range(options.runs)]
    wall, cpu, memory = (statistics.median(column) for column in zip(*runs))
    print(f"wall {wall:.1f} ms, CPU {cpu:.1f} ms, peak {memory:.0f} MiB, medians of {options.runs} runs")


if __name__ == "__main__":
    main()
