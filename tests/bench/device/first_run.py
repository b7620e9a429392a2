#!/usr/bin/env python3
"""The first minutes on a machine with a GPU: everything in the order of its worth, within a budget, whatever fails.

    gpu.sh first PACK [PART...]     PACK: what gpu.sh pack made. Without a PART, all of them in this order:
      facts     card, driver, libraries that are missing, Python's packages, cuBLASLt, whether the plug-in is usable
      suite     kernels and engines against the CPU: each case of the unit tests in a process of its own, many at once
      agree     the commands on CPU and GPU in f32 from one seed: losses side by side
      speed     rates of all engines at real sizes in bf16, over hundreds of steps, with the memory that nvidia-smi saw
      kernels   time of each kernel of each engine (ncu, one metric): where the time of a step goes
      checkers  memcheck, racecheck, initcheck and synccheck of the suite, memcheck of the engines, many at once; cases
                that failed come first
      floors    each operation beside the rate of a copy or of the largest product
      rivals    PyTorch and PyTorch Geometric on the same card
      detail    what holds back the kernels that took longest (ncu)

Environment: BUDGET: seconds of all parts together, 570. OUT: the folder for table.txt, first.jsonl, kernels.csv and logs.txt,
build/gpu-out; all grow as it goes. WORK: the folder for data, /tmp/gpu-first. SMALL=1: tiny sizes, for the plug-in that runs
kernels on the CPU. The table is printed last, and on SIGTERM. No setting of the card is changed.
"""
import os
import signal
import sys

import checks
import rivals
import speeds
import workloads
from bench import Bench
from steps import Report

# Each part with the seconds that it may take, so that one that hangs leaves time for the next.
PARTS = {"facts": (checks.facts, 45), "suite": (checks.suite, 110), "agree": (checks.agree, 90), "speed": (speeds.speed, 170),
         "kernels": (speeds.kernels, 160), "checkers": (checks.checkers, 110), "floors": (speeds.floors, 60),
         "rivals": (rivals.rivals, 400), "detail": (speeds.detail, 80)}
LEAST_SECONDS = 5  # for a part that begins


def run_part(bench, name):
    """Runs a part. Whatever goes wrong is a row: the next part counts."""
    part, seconds = PARTS[name]
    bench.steps.begin_part(seconds * workloads.pick(1, 3))
    began = bench.report.seconds()
    if bench.steps.left() < LEAST_SECONDS:
        return bench.row(name, "no time left")
    try:
        part(bench)
    except Exception as error:
        bench.row(name, f"SCRIPT FAILED: {error!r}")
    bench.report.fact(part=name, seconds=round(bench.report.seconds() - began, 1))


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        return print(__doc__)
    unknown = set(sys.argv[2:]) - set(PARTS)
    if unknown:
        sys.exit(f"no part {', '.join(sorted(unknown))}, expected {', '.join(PARTS)}")
    report = Report(os.path.abspath(os.environ.get("OUT", "build/gpu-out")))
    budget = float(os.environ.get("BUDGET", "570"))
    bench = Bench(os.path.abspath(sys.argv[1]), report, budget)

    def end(sign, _):
        report.show()
        bench.steps.stop_all()
        os._exit(128 + sign)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    os.chdir(workloads.WORK)  # programs leave nothing in the repository
    bench.make_data()
    for name in sys.argv[2:] or PARTS:
        run_part(bench, name)
    bench.steps.stop_all()
    report.row("seconds", f"{report.seconds():.0f} of {budget:.0f}")
    report.show()


if __name__ == "__main__":
    main()
