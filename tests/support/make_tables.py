#!/usr/bin/env python3
"""Writes embedding tables of seeded numbers with counts as a plain .safetensors file.

    make_tables.py FILE DIM NAME:ROWS...     --no-counts leaves out the tensors NAME.counts,
                                     --counts-last puts them behind all tables
"""
import array
import json
import random
import struct
import sys


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    path, dim = arguments[0], int(arguments[1])
    rng = random.Random(1)
    tensors = []
    for name, rows in (argument.rsplit(":", 1) for argument in arguments[2:]):
        rows = int(rows)
        values = array.array("f", (rng.gauss(0, 1) for _ in range(rows * dim)))
        counts = array.array("Q", (int(1000 / (1 + row)) for row in range(rows)))
        rng.shuffle(counts)
        tensors.append((name, "F32", [rows, dim], values.tobytes()))
        if "--no-counts" not in sys.argv:
            tensors.append((name + ".counts", "U64", [rows], counts.tobytes()))
    last = "--counts-last" in sys.argv
    tensors.sort(key=lambda tensor: ((tensor[1] != "U64") != last, tensor[0]))  # counts first: for pipes
    header, at = {}, 0
    for name, dtype, shape, data in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, _, data in tensors))


if __name__ == "__main__":
    main()
