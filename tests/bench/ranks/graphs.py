#!/usr/bin/env python3
"""Steps of gnn-sample train on ranks beside PyTorch's DistributedDataParallel (gloo) of the same GraphSAGE with GraphBolt's
sampler, on hosts of hosts.sh; prints a table. Needs root, and DGL 2.1 (gnn-sample/sampling.py) in the interpreter that
--python names.

    graphs.py [--python PATH] [--hosts 2,4] [--rates 1gbit,5gbit,unlimited] [--scale 32] [--batch-size 256]
              [--epochs 4] [--gnn-sample PATH] [--json FILE]

A generated graph of the shape of ogbn-products, smaller by --scale; three layers of 256, fanouts 15, 10, 5, Adam. A rank
has one thread and a mini-batch of --batch-size a step. Ours keeps all features on each host, as the rival does, or parts
of them (even; with the default cache, and without). step s: mean of all; of the rival without its first steps. sent MB:
of the first rank, a step. exchange s: in which it sent and waited, a step. hidden s: in which exchanges went on beside
its computing. wire s: the bytes at 93 % of the rate, which TCP can use. CPU s: of the first rank, a step. accuracy: of the
test nodes, exactly; of the rival of 1,024, with fanouts 20, 20, 20.
"""
import argparse
import os
import subprocess
import tempfile

from clicks import HERE, print_table, run

OURS = {"ours, all features": [], "ours, parts": ["--feature-parts", "even"],
        "ours, parts, no cache": ["--feature-parts", "even", "--feature-cache", "0"]}
HIDDEN, RATE = "256", "0.003"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="", help="interpreter with DGL; none: ours alone")
    parser.add_argument("--hosts", default="2,4")
    parser.add_argument("--rates", default="1gbit,5gbit,unlimited")
    parser.add_argument("--scale", type=float, default=32)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--gnn-sample", default="gnn-sample")
    parser.add_argument("--json", default="")
    return parser.parse_args()


def ours(args, graph, hosts, rate, options):
    result = run(hosts, rate, [
        args.gnn_sample, "train", graph, "-o", graph + ".model", "-f", "--json", "--hidden", HIDDEN, "--dropout", "0.5",
        "--learning-rate", RATE, "--epochs", str(args.epochs), "--eval-every", str(args.epochs), "--batch-size", str(args.batch_size), "--threads", "1",
        "--accumulate", str(hosts), *options])
    return {"step": result["fit_seconds"] / result["steps"], "sent": result["sent_bytes"] / result["steps"],
            "exchange": result["exchange_seconds"] / result["steps"],
            "hidden": result["hidden_exchange_seconds"] / result["steps"], "hits": result.get("cache_hit_share"),
            "CPU s": result["epoch_cpu_seconds"] * args.epochs / result["steps"],
            "accuracy": result["test_accuracy"]}


def rival(args, graph, hosts, rate):
    result = run(hosts, rate, [
        args.python, os.path.join(HERE, "../gnn-sample/training_rivals.py"), graph, "--way", "graphbolt", "--ddp", "--hidden",
        HIDDEN, "--learning-rate", RATE, "--epochs", str(args.epochs), "--batch-size", str(args.batch_size), "--threads", "1", "--evaluate", "1024"])
    return {"step": sum(result["epoch_seconds"]) / len(result["epoch_seconds"]) / result["of"],
            "CPU s": result["epoch_cpu"] / result["of"], "accuracy": result["accuracy"]}


def main():
    args = parse_arguments()
    with tempfile.TemporaryDirectory() as work:
        graph = os.path.join(work, "graph.safetensors")
        subprocess.run([args.gnn_sample, "generate", "--shape", "products", "--scale", str(args.scale), "-o", graph, "-q"],
                       check=True)

        def programs(hosts, rate):
            runs = [(name, lambda o=options: ours(args, graph, hosts, rate, o)) for name, options in OURS.items()]
            theirs = [("PyTorch DDP, gloo; GraphBolt", lambda: rival(args, graph, hosts, rate))]
            return runs + theirs if args.python else runs
        print_table(args, ["CPU s", "accuracy"], programs)


if __name__ == "__main__":
    main()
