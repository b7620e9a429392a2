#!/usr/bin/env python3
"""Error of hw-probe's cost model on the runs of runs.sh: tests/bench/results/hw-probe.md.

    accuracy.py BIN FOLDER...

BIN: folder of the tools. Each FOLDER has the bench.json and the logs of one machine. The model is calibrated on the
fitted runs of each machine, and predicts the held-out runs of each, its own and the others'. It also predicts all runs
without calibration. Prints median and largest error of the time of a step, the share of runs within the interval of
80 %, and the median error of the memory.
"""
import glob
import json
import math
import os
import statistics
import subprocess
import sys

TOOLS = ("tgn", "robe", "gnn", "sparse")


def hw_probe(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json", "-q"], check=True, stdout=subprocess.PIPE).stdout)


def measured(log):
    """Seconds of a step and most memory; a run of one thread is judged by its CPU time."""
    result = json.loads(open(log).read().splitlines()[-1])
    return result["fit_cpu_seconds"] / (result["steps"] - result["resumed_from_step"]), result["peak_memory_bytes"]


class Prediction:
    def __init__(self, program, log, bench, calibration):
        advice = hw_probe(program, "advise", log, "--machines", bench, "--allow-noisy", "--calibration", calibration)
        machine = advice["machines"][0]
        self.machine = bench
        self.log = os.path.basename(log)[:-len(".jsonl")]
        seconds, memory = measured(log)
        self.ratio = seconds / machine["step_seconds"]
        low, high = (machine["epoch_seconds" + end] / machine["epoch_seconds"] for end in ("_low", "_high"))
        self.within = low <= self.ratio <= high
        self.memory_error = abs(machine["host_memory_bytes"] / memory - 1)

    @property
    def error(self):
        return abs(1 / self.ratio - 1)


def row(what, predictions):
    errors = [p.error for p in predictions]
    print(f"| {what} | {len(errors)} | {100 * statistics.median(errors):.0f} % | {100 * max(errors):.0f} % | "
          f"{100 * statistics.mean(p.within for p in predictions):.0f} % | "
          f"{100 * statistics.median(p.memory_error for p in predictions):.0f} % |")


def head(title):
    print(f"\n{title}\n\n| | runs | median error | largest | within the interval | memory, median error |")
    print("|---|---:|---:|---:|---:|---:|")


def quantiles(ratios):
    """The interval of accuracy.h: the (n + 1)/10-th smallest and largest."""
    ordered = sorted(ratios)
    left_out = max(1, math.floor((len(ordered) + 1) / 10)) - 1
    return ordered[left_out], ordered[-1 - left_out]


def covered(predictions):
    """Share of the runs that an interval of the runs on other machines contains."""
    within = 0
    for machine in {p.machine for p in predictions}:
        low, high = quantiles([p.ratio for p in predictions if p.machine != machine])
        within += sum(low <= p.ratio <= high for p in predictions if p.machine == machine)
    return within / len(predictions)


def main():
    program, folders = os.path.join(sys.argv[1], "hw-probe"), sys.argv[2:]
    fit, held = ({f: sorted(glob.glob(f"{f}/{kind}-*.jsonl")) for f in folders} for kind in ("fit", "held"))
    calibrations = {}
    for folder in folders:
        calibrations[folder] = os.path.join(folder, "calibration.yaml")
        hw_probe(program, "calibrate", *fit[folder], "--machine", f"{folder}/bench.json", "--allow-noisy", "-f", "-o",
                 calibrations[folder])

    def predict(logs, folder, calibration):
        return [Prediction(program, log, f"{folder}/bench.json", calibration) for log in logs]

    head("Without calibration, all runs")
    plain = []
    for folder in folders:
        here = predict(fit[folder] + held[folder], folder, "none")
        row(os.path.basename(folder), here)
        plain += here
    row("all", plain)
    head("Calibrated on the same machine, held-out runs")
    for folder in folders:
        here = predict(held[folder], folder, calibrations[folder])
        for tool in TOOLS:
            row(f"{os.path.basename(folder)}: {tool}", [p for p in here if f"-{tool}-" in p.log])
        row(f"{os.path.basename(folder)}: all", here)
    head("Calibrated on another machine, held-out runs")
    moved = []
    for source in folders:
        for folder in folders:
            if source == folder:
                continue
            there = predict(held[folder], folder, calibrations[source])
            row(f"{os.path.basename(source)} -> {os.path.basename(folder)}", there)
            moved += there
    print()
    for what, predictions in (("not calibrated", plain), ("calibrated elsewhere", moved)):
        if not predictions:
            continue
        ratios = [p.ratio for p in predictions]
        low, high = quantiles(ratios)
        mean = math.exp(statistics.mean(map(math.log, ratios)))
        print(f"measured / predicted, {what}: geometric mean {mean:.2f}, 80 % of {len(ratios)} from {low:.2f} to "
              f"{high:.2f}; intervals of the other machines contain {100 * covered(predictions):.0f} %")


main()
