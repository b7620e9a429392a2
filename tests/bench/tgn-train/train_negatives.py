#!/usr/bin/env python3
"""Negatives of training and the choice of the epoch, by ranks of the test.

    train_negatives.py FOLDER --streams FOLDER --bin FOLDER [--sets msg,...] [--ways uniform,...] [--architectures pyg,...] [--seeds 0,1,2]

STREAMS has events files (see ranking.py). Each training takes a row. MRR of the test is among 100 uniform destinations,
and among 100 of which half were met before, as in the Temporal Graph Benchmark. AP is beside uniform and historical
negatives. The best epoch and CPU seconds of the training follow. No mix: the network alone answers. Ways named "last"
test the last epoch, and the others the best of validation.
"""
import argparse
import json
import os
import subprocess

WAYS = {"uniform": [], "historical": ["--train-negatives", "historical"], "mixed": ["--train-negatives", "mixed"],
        "mrr": ["--select", "mrr"]}
WAYS |= {f"{kind}-last": [*WAYS[kind], "--no-eval"] for kind in ("uniform", "historical", "mixed")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--streams", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--sets", default="msg,enron,wiki,ml")
    parser.add_argument("--architectures", default="pyg,tncn,tpnet")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--epochs", default="4")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)

    def run(*command):
        before = os.times().children_user
        done = subprocess.run([os.path.join(args.bin, "tgn-train"), *command, "--json", "-q", "--threads", "1"], check=True,
                              capture_output=True, text=True)
        return {**json.loads(done.stdout), "cpu": os.times().children_user - before}

    for name in args.sets.split(","):
        events = os.path.join(args.streams, f"{name}.safetensors")
        for architecture in args.architectures.split(","):
            for seed in args.seeds.split(","):
                for way in args.ways.split(","):
                    model = os.path.join(args.folder, f"{name}-{architecture}-{seed}-{way}.model")
                    trained = run("train", events, "--architecture", architecture, "--epochs", args.epochs, "--learning-rate",
                                  "0.001", "--mix", "none", "--new-nodes", "0", "--seed", seed, *WAYS[way], "-o", model, "-f")
                    uniform = run("eval", model, events, "--no-baselines")
                    met = run("eval", model, events, "--ranks", "historical", "--negatives", "historical", "--no-baselines")
                    print(name, architecture, seed, way, f"mrr {uniform['test_mrr']:.4f} {met['test_mrr']:.4f}",
                          f"ap {uniform['test_average_precision']:.4f} {met['test_average_precision']:.4f}",
                          f"epoch {trained['best_epoch']} cpu {trained['cpu']:.0f}", flush=True)


if __name__ == "__main__":
    main()
