#!/usr/bin/env python3
"""Steps of robe-compress on 1 to 64 nodes by an alpha-beta model, beside what clicks.py measured on 2 and 4 hosts.

    clicks.py --json FILE ... && scale_model.py FILE [--latency 60e-6] [--rates 1gbit,5gbit] [--nodes 1,2,4,8,16,32,64]

Inputs, all measured, are of the runs with unlimited links: seconds of a step without exchange, seconds of the exchange
itself (unequal ranks, copies), and the bytes that the first rank sends. How much of an exchange goes on beside computing
is the most that the runs with the fewest hosts hid. Nothing else is of runs with limited links. The model: N nodes send
2 (N-1)/N of what two send. The wire takes 93 % of its rate, and --latency a message: an exchange with all has N - 1
rounds, a sum or gathering log2 N; by owner a step exchanges with all three times.

Printed of the measured runs: seconds of the exchange by the model, measured, their ratio, and in how many of them the rank
waited. Then steps and speed-ups on more nodes, by the run with the fewest hosts. Nothing beyond 4 namespaces was run.
"""
import argparse
import json
import math

from clicks import RATES, TCP_SHARE


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", metavar="FILE", help="of clicks.py --json")
    parser.add_argument("--latency", type=float, default=60e-6, help="seconds a message, one way")
    parser.add_argument("--rates", default="1gbit,5gbit")
    parser.add_argument("--nodes", default="1,2,4,8,16,32,64")
    return parser.parse_args()


def exchange(run):
    """Seconds of a step's exchange, whether computing went on beside it or not."""
    return run["exchange"] + run["hidden"]


class Model:
    """Of a program, by its run on unlimited links."""
    def __init__(self, run, beside, latency):
        self.by_owner = "owner" in run["program"]
        self.compute = run["step"] - run["exchange"]
        self.own = exchange(run)
        self.bytes_of_two = run["sent"] * run["hosts"] / (run["hosts"] - 1) / 2
        self.beside = beside
        self.latency = latency

    def exchange(self, nodes, rate):
        if nodes == 1:
            return 0
        rounds = math.ceil(math.log2(nodes))
        messages = 3 * (nodes - 1) + 8 * rounds if self.by_owner else 6 * rounds
        sent = 2 * (nodes - 1) / nodes * self.bytes_of_two
        return self.own + sent * 8 / (RATES[rate] * TCP_SHARE) + messages * self.latency

    def step(self, nodes, rate):
        return self.compute + max(0, self.exchange(nodes, rate) - self.beside)


class Runs:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.all = [run for run in json.load(file) if run.get("sent")]
        self.programs = list(dict.fromkeys(run["program"] for run in self.all))

    def model(self, program, hosts, latency):
        """By its run on so many hosts with unlimited links; None: there is none."""
        runs = [run for run in self.all if run["program"] == program]
        fewest = min(run["hosts"] for run in runs)
        beside = max(run["hidden"] for run in runs if run["hosts"] == fewest)
        free = [run for run in runs if run["hosts"] == (hosts or fewest) and run["links"] not in RATES]
        return Model(free[0], beside, latency) if free else None


def print_comparison(runs, latency):
    print("| program | hosts | links | compute s | sent MB | exchange s, model | measured | ratio | of it waiting |\n" + "|---" * 9 + "|")
    for run in runs.all:
        model = runs.model(run["program"], run["hosts"], latency)
        if run["links"] in RATES and model is not None:
            predicted = model.exchange(run["hosts"], run["links"])
            print(f"| {run['program']} | {run['hosts']} | {run['links']} | {model.compute:.3f} | {run['sent'] / 1e6:.1f} | "
                  f"{predicted:.3f} | {exchange(run):.3f} | {predicted / exchange(run):.2f} | {run['exchange']:.3f} |")


def print_scaling(runs, args):
    """Seconds of a step and speed-up over one node at as many samples a node; measured steps stand in brackets."""
    nodes = [int(n) for n in args.nodes.split(",")]
    print("\n| program | links | " + " | ".join(f"{n} nodes" for n in nodes) + " |\n" + "|---" * (2 + len(nodes)) + "|")
    for program in runs.programs:
        model = runs.model(program, None, args.latency)
        if model is None:
            continue
        for rate in args.rates.split(","):
            found = {run["hosts"]: run["step"] for run in runs.all if (run["program"], run["links"]) == (program, rate)}
            cells = [f"{model.step(n, rate):.3f} s, {n * model.compute / model.step(n, rate):.1f}x"
                     + (f" ({found[n]:.3f} s)" if n in found else "") for n in nodes]
            print(f"| {program} | {rate} | " + " | ".join(cells) + " |")


def main():
    args = parse_arguments()
    runs = Runs(args.measured)
    print_comparison(runs, args.latency)
    print_scaling(runs, args)


if __name__ == "__main__":
    main()
