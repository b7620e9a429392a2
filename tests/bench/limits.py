#!/usr/bin/env python3
"""Holds the hot loops of the tools against what one core of this machine does at most.

    limits.py [--simd v3] [--build build/release] [--graph GRAPH]

Limits are figures of `hw-probe bench`, measured twice before the loops, of which the better ones count, and of the
benchmarks themselves. Prints a table with the limit, what is reached, and its share. GRAPH is a graph of
gnn-sample; without one, a twentieth of the size of ogbn-products is generated.
"""
import argparse
import json
import os
import subprocess
import tempfile

PRODUCTS = ("30x372x200", "1024x256x256", "512x512x512", "1500x1500x1500")
SWEEPS = ("4096x16", "4096x8", "4096x4")


def output(*command, **environment):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, **environment}).stdout


class Machine:
    """One level of instructions of this machine, on one thread."""

    def __init__(self, build, level):
        self.bin, self.level = os.path.join(build, "bin"), level

    def program(self, name, *arguments, **environment):
        return output(os.path.join(self.bin, name), *arguments, FRUGAL_SIMD=self.level, OMP_NUM_THREADS="1",
                      **environment)

    def figures(self):
        """Best figures of hw-probe bench: rates, or nanoseconds."""
        found = json.loads(self.program("hw-probe", "bench", "--threads", "1", "--json"))["figures"]
        return {name: (figure["best"], figure["unit"]) for name, figure in found.items()}

    def cases(self, name):
        """Lines of bench_kernels whose case is `name`, by size."""
        lines = map(json.loads, self.program("bench_kernels", "--simd", self.level, "--case", name).splitlines())
        return {line["size"]: line for line in lines if line["case"] == name}


def better(a, b):
    return {name: (min if unit == "ns" else max)((a[name], b[name])) for name, (_, unit) in a.items() if name in b}


def product_rows(machine, _):
    lines = machine.cases("gemm packed")
    peak = max(lines[size]["gflops"] / lines[size]["share_of_peak"] for size in PRODUCTS)
    for size in PRODUCTS:
        yield (f"all networks: product {size.replace('x', ' x ')}", "multiply-adds", peak, lines[size]["gflops"], "GFLOP/s")


def sweep_rows(machine, limits):
    lines = machine.cases("dual_sweep")
    nanoseconds = limits["gather/64B/l2/huge/1"][0]
    for size in SWEEPS:
        rows, width = size.split("x")
        yield (f"sparse-train: label tree's sweep, {int(rows):,} rows of {4 * int(width)} bytes",
               "random rows of 64 bytes, L2", 1e3 / nanoseconds, 1e3 / lines[size]["ns_per_item"], "M rows/s")


def look_up_rows(machine, _):
    lines = machine.program("bench_lookups", "--gib", "1", "--dims", "16,32,64", "--arrays", "10").splitlines()
    for line in lines:
        if not line.startswith(b"{"):
            continue
        case = json.loads(line)
        if case.get("bound", 0) > 0 and case["ids"] == "uniform":
            yield (f"robe-compress: look-ups, {case['dim']} numbers, blocks of {case['block']}",
                   "copies of blocks", case["bound"], case["millions"], "M rows/s")


def sampling_rows(machine, limits, graph):
    result = json.loads(machine.program("gnn-sample", "bench", graph, "--threads", "1", "--rounds", "3", "--fanouts",
                                       "15,10,5", "--batch-size", "1024", "--json"))
    edge = limits["sample/l3/huge/1"][0] + limits["gather/64B/l3/huge/1"][0]
    yield ("gnn-sample: sampling 15, 10, 5", "a random draw and a random row, L3", 1e3 / edge,
           result["sampled_edges_per_cpu_second"] / 1e6, "M edges/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simd", default="auto")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--graph")
    args = parser.parse_args()
    machine = Machine(args.build, args.simd)
    with tempfile.TemporaryDirectory() as folder:
        graph = args.graph or os.path.join(folder, "graph.safetensors")
        if not args.graph:
            machine.program("gnn-sample", "generate", "--shape", "products", "--scale", "20", "-o", graph)
        limits = machine.figures()
        limits = better(limits, machine.figures())
        rows = [*product_rows(machine, limits), *sweep_rows(machine, limits), *look_up_rows(machine, limits),
                *sampling_rows(machine, limits, graph)]
    print("| loop | limited by | limit | reached | share |\n|---|---|---:|---:|---:|")
    for loop, limit, most, reached, unit in rows:
        print(f"| {loop} | {limit} | {most:.4g} {unit} | {reached:.4g} | {100 * reached / most:.0f} % |")


if __name__ == "__main__":
    main()
