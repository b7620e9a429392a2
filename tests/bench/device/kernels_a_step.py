#!/usr/bin/env python3
"""Counts the kernels and the library's products of a training step on the plug-in for tests, sorts apart.

  kernels_a_step.py BUILD   a build with the target host_cuda; needs no GPU

A training of n steps and one of n + 4 are compared, so that what runs once does not count. The numbers hold for a GPU, too, but
for sorts, which are one call here and some kernels there. Networks have the sizes that the tools choose.
"""
import os
import subprocess
import sys
import tempfile

MORE = 4  # steps


def launches(command, library):
    with tempfile.NamedTemporaryFile() as log:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "FRUGAL_HOST_CUDA_LAUNCHES": log.name, "FRUGAL_CUBLASLT": library})
        return os.path.getsize(log.name)


def main():
    build = os.path.abspath(sys.argv[1])
    os.environ["SMALL"] = "1"
    os.environ["FRUGAL_PLUGIN_DIR"] = build + "/host_cuda"
    library = build + "/tests/libfake_cublaslt.so"
    with tempfile.TemporaryDirectory() as work:
        os.environ["WORK"] = work
        from workloads import FAST, Workloads
        tools = Workloads(build + "/bin")
        data = tools.data()
        data["tgn"][data["tgn"].index("--events") + 1] = "4000"
        data["gnn"][data["gnn"].index("--scale") + 1] = "300"
        for command in data.values():
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        sparse_points = 96
        trainings = {
            "robe-compress, DLRM, a batch of 16": lambda steps: tools.robe("cuda", 16, 1, *FAST["robe"], "--steps", str(steps)),
            "sparse-train, 60 labels, a batch of 48": lambda steps: tools.sparse("cuda", "xmc", 48, steps * 48 // sparse_points, *FAST["sparse"]),
            "gnn-sample, GraphSAGE of 3 layers, a batch of 16": lambda steps: [
                *tools.gnn("cuda", 1, *FAST["gnn"]), "--fanouts", "3,3,3", "--eval-fanouts", "3,3,3", "--batch-size", "16", "--steps", str(steps)],
            "tgn-train, attention, batches of 10": lambda steps: tools.tgn("cuda", 10, steps, *FAST["tgn"]),
            "tgn-train, attention, batches of 200": lambda steps: tools.tgn("cuda", 200, steps, "--skip-events", "0", *FAST["tgn"]),
            "tgn-train, attention, batches of 200 with --memory read": lambda steps: tools.tgn(
                "cuda", 200, steps, "--skip-events", "0", "--memory", "read", *FAST["tgn"]),
        }
        print("| training | without a library | with one |\n|---|---:|---:|")
        for name, command in trainings.items():
            row = [(launches(command(8), by) - launches(command(8 - MORE), by)) / MORE for by in ("off", library)]
            print(f"| {name} | {row[0]:g} | {row[1]:g} |", flush=True)


if __name__ == "__main__":
    main()
