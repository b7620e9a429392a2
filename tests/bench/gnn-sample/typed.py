#!/usr/bin/env python3
"""Test accuracy and CPU seconds of R-GCN, attention by relation or HGT: gnn-sample beside typed_rival.py, by turns.
Both have the same settings and one thread.

    typed.py GRAPH.safetensors... [--python PYTHON] [--seeds 0,1,2] [--epochs 50] [--hidden 64] [--learning-rate 0.01]
             [--weight-decay 0] [--fanouts 10,5] [--batch-size 1024] [--program GNN_SAMPLE]
             [--architecture rgcn|rgat|hgt] [--heads 1] [--output-heads 1] [--attention-dropout 0] [--norm none|layer]
             [--alone | --no-rival]

Without --fanouts a step is the whole graph in both programs. PYTHON has PyTorch Geometric. An epoch's seconds are those of
its steps; the total is all of a training with a validation after each epoch, without reading the graph. With rgat the rival
runs a second time, with a vector in place of its matrix for targets. --alone: gnn-sample without options beside, and no rival.
--no-rival: gnn-sample only.
"""
import argparse
import json
import os
import statistics
import subprocess

import graph_data

RIVAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "typed_rival.py")
WHOLE = ["--fanouts=-1,-1", "--batch-size", "1000000"]


def run_frugal(args, graph, seed, options):
    out = subprocess.run([args.program, "train", graph, *options, "--seed", seed, "--threads", "1", "--json", "-q", "-f", "-o",
                          "/dev/null"], check=True, capture_output=True, text=True).stdout
    result = json.loads(out)
    total = result["fit_cpu_seconds"] + result["eval_seconds"]
    return 100 * result["test_accuracy"], 100 * result["validation_accuracy"], result["epoch_cpu_seconds"], total, result["parameters"]


def run_rival(args, graph, seed, more=()):
    sampled = ["--fanouts", args.fanouts, "--batch-size", str(args.batch_size)] if args.fanouts else []
    units = ["--hidden", str(args.hidden * args.heads)] if args.architecture == "hgt" else []
    command = [args.python, RIVAL, graph, "--model", args.architecture, "--seeds", seed, *sampled, *shared(args), *units, *more]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(out.splitlines()[-1])
    return result["test"], result["valid"], result["epoch_cpu_s"], result["cpu_s"], result["parameters"]


def shared(args):
    options = ["--epochs", str(args.epochs), "--hidden", str(args.hidden), "--learning-rate", str(args.learning_rate),
               "--weight-decay", str(args.weight_decay), "--norm", args.norm]
    if args.architecture == "rgcn":
        return options
    if args.architecture == "hgt":  # HGTConv has no dropout of attention
        return [*options, "--heads", str(args.heads)]
    return [*options, "--heads", str(args.heads), "--output-heads", str(args.output_heads), "--attention-dropout",
            str(args.attention_dropout)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--python", default="python3")
    parser.add_argument("--program", default=graph_data.measures.default_program("gnn-sample"))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=0)
    parser.add_argument("--architecture", choices=["rgcn", "rgat", "hgt"], default="rgcn")
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--output-heads", type=int, default=1)
    parser.add_argument("--attention-dropout", type=float, default=0)
    parser.add_argument("--norm", choices=["none", "layer"], default="none")
    parser.add_argument("--fanouts")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--no-rival", action="store_true")
    args = parser.parse_args()
    sampled = ["--fanouts", args.fanouts, "--batch-size", str(args.batch_size), "--semantics", "frontier"] if args.fanouts else WHOLE
    embedding = args.hidden * (args.heads if args.architecture == "hgt" else 1)
    options = ["--architecture", args.architecture, "--input-size", str(embedding), *sampled, *shared(args)]
    for graph in args.graphs:
        runs = {"frugal": [], "rival": [], "rival with vectors": [], "defaults": []}
        for seed in args.seeds.split(","):
            runs["frugal"].append(run_frugal(args, graph, seed, options))
            if args.alone:
                runs["defaults"].append(run_frugal(args, graph, seed, []))
            elif not args.no_rival:
                runs["rival"].append(run_rival(args, graph, seed))
                if args.architecture == "rgat":
                    runs["rival with vectors"].append(run_rival(args, graph, seed, ["--target-map", "vector"]))
        for name, results in runs.items():
            if results:
                tests, valids, epochs, totals, parameters = zip(*results)
                print(f"{graph} {name}: test {statistics.mean(tests):.2f} ({' '.join(f'{t:.2f}' for t in tests)}), validation "
                      f"{statistics.mean(valids):.2f}, an epoch {statistics.median(epochs):.4f} CPU s, total "
                      f"{statistics.median(totals):.2f}, {parameters[0]} parameters", flush=True)


if __name__ == "__main__":
    main()
