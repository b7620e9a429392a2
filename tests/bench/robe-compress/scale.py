#!/usr/bin/env python3
"""Trains on Criteo Terabyte's shape, whose tables would be larger than the machine's memory, from a pipe.

    scale.py [--samples 2000000] [--test-samples 200000] [--scale 1] [--dim 128] [--method robe]
             [--bytes 100000000] [--options "..."] [--robe-compress PATH] [--json FILE]

`generate --shape terabyte | train - --stream --ids number` with MLPerf's network (bottom 512-256-128, top
1024-1024-512-256, dim 128, batches of 2048): 187,767,399 rows, 96 GB as full tables. Prints samples a second of
the whole pipe, its CPU time (generating takes about a tenth), the peak memory of `train`, and AUC and log-loss on the samples that follow
in the same stream. `--scale 1000 --method full` is a shape that fits as it is.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402

NETWORK = "--bottom 512,256 --top 1024,1024,512,256 --batch-size 2048"


def pipe(args, first, samples, command):
    """Feeds `samples` generated ones to a command and measures it."""
    generate = [args.robe_compress, "generate", "--shape", "terabyte", "--scale", f"{args.scale:g}", "-q",
                "--from", str(first), "--samples", str(samples), "--threads", "1"]
    return measures.measure(["sh", "-c", f"{shlex.join(generate)} | exec \"$@\"", "sh", *command])


def run(args, folder):
    model = f"{folder}/model"
    size = ["--method", "full"] if args.method == "full" else ["--method", args.method, "--bytes", args.bytes]
    shape = "terabyte" if args.scale == 1 else f"terabyte/{args.scale:g}"
    train = [args.robe_compress, "train", "-", "-o", model, "-f", "--json", "-q", "--format", "criteo", "--stream",
             "--ids", "number", "--rows", shape, "--dim", str(args.dim), *size, *shlex.split(NETWORK),
             *shlex.split(args.options), "--threads", str(args.threads)]
    trained = pipe(args, 0, args.samples, train)
    report = json.loads(trained["out"])
    graded = pipe(args, args.samples, args.test_samples,
                  [args.robe_compress, "eval", model, "-", "--json", "-q", "--threads", str(args.threads)])
    grades = json.loads(graded["out"])
    return {"method": args.method, "rows": report["rows"], "full_bytes": report["full_bytes"],
            "embedding_bytes": report["embedding_bytes"], "samples": report["samples"],
            "samples_per_second": report["samples"] / trained["wall"], "cpu": trained["cpu"],
            "memory": trained["memory"], "eval_memory": graded["memory"], "auc": grades["auc"],
            "log_loss": grades["log_loss"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000000)
    parser.add_argument("--test-samples", type=int, default=200000)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--method", default="robe")
    parser.add_argument("--bytes", default="100000000")
    parser.add_argument("--options", default="--block 32 --storage f32", help="more of train")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--robe-compress", default=measures.default_program("robe-compress"))
    parser.add_argument("--json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        r = run(args, folder)
    print("| method | rows | full tables, GB | kept, MB | samples | samples/s | CPU s | peak MiB, train / eval "
          "| AUC | log-loss |\n|---|" + "---:|" * 9)
    print(f"| {r['method']} | {r['rows']:,} | {r['full_bytes'] / 1e9:.1f} | {r['embedding_bytes'] / 1e6:.1f} "
          f"| {r['samples']:,} | {r['samples_per_second']:.0f} | {r['cpu']:.1f} "
          f"| {r['memory']:.0f} / {r['eval_memory']:.0f} | {r['auc']:.4f} | {r['log_loss']:.4f} |")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(r, file, indent=1)


if __name__ == "__main__":
    main()
