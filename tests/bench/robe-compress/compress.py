#!/usr/bin/env python3
"""Memory and speed of `robe-compress compress` on tables that are much larger than what it may use.

    compress.py [--gib 10] [--dim 128] [--compressions 10,100,1000] [--options "..."] [--folder DIR]
                [--robe-compress PATH] [--json FILE]

Writes four tables of normal numbers (rows 60, 30, 9 and 1 % of all) with counts by Zipf's law to one
safetensors file in DIR (default: the place of temporary files), compresses it, and prints wall and CPU
seconds, passes to fit, GB of tables read a second (there is one more pass, which measures), peak memory of the
command, the share of hot rows and the weighted relative error. The numbers repeat after 64 MiB, which neither speed nor memory depends on.
"""
import argparse
import array
import json
import os
import random
import shlex
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402

SHARES = {"users": 0.6, "items": 0.3, "places": 0.09, "days": 0.01}
NUMBERS = 1 << 24  # until they repeat


def write_tables(path, gib, dim):
    rows = {name: max(1, int(gib * 2**30 / 4 / dim * share)) for name, share in SHARES.items()}
    header, at = {}, 0
    for name, n in rows.items():
        header[f"{name}.counts"] = {"dtype": "I64", "shape": [n], "data_offsets": [at, at + 8 * n]}
        at += 8 * n
    for name, n in rows.items():
        header[name] = {"dtype": "F32", "shape": [n, dim], "data_offsets": [at, at + 4 * n * dim]}
        at += 4 * n * dim
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    rng = random.Random(1)
    few = array.array("f", (rng.gauss(0, 0.1) for _ in range(NUMBERS >> 4)))
    numbers = memoryview(few * 16).cast("B")
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for n in rows.values():
            array.array("q", (int(n / (i + 1)) + 1 for i in range(n))).tofile(file)
        for n in rows.values():
            left = 4 * n * dim
            while left > 0:
                left -= file.write(numbers[:min(left, len(numbers))])
    return sum(rows.values())


def run(args, path, compression, out):
    result = measures.measure([args.robe_compress, "compress", path, "-o", out, "-f", "-q", "--json", "--compression",
                               compression, *shlex.split(args.options)])
    report = json.loads(result["out"])
    size = os.path.getsize(path) / 1e9
    return {"compression": float(compression), "wall": result["wall"], "cpu": result["cpu"],
            "memory": result["memory"], "passes": report["passes"], "hot_share": report["hot_share"],
            "relative_error": report["relative_error"], "gb_per_second": size * (report["passes"] + 1) / result["wall"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=10)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--compressions", default="10,100,1000")
    parser.add_argument("--options", default="")
    parser.add_argument("--folder")
    parser.add_argument("--robe-compress", default=measures.default_program("robe-compress"))
    parser.add_argument("--json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = f"{folder}/tables.safetensors"
        num_rows = write_tables(path, args.gib, args.dim)
        results = [run(args, path, c, f"{folder}/array.safetensors") for c in args.compressions.split(",")]
        print(f"{num_rows} rows of {args.dim}, {os.path.getsize(path) / 1e9:.1f} GB\n")
    print("| compression | wall s | CPU s | passes | GB/s | peak MiB | hot share | relative error |")
    print("|---|" + "---:|" * 7)
    for r in results:
        print(f"| {r['compression']:g}x | {r['wall']:.1f} | {r['cpu']:.1f} | {r['passes']} | {r['gb_per_second']:.2f} "
              f"| {r['memory']:.0f} | {r['hot_share']:g} | {r['relative_error']:.4f} |")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
