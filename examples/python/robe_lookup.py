#!/usr/bin/env python3
"""Reads rows of embedding tables from an array file of robe-compress (compress or train), bit for bit as robe-compress
lookup does, with the standard library (and the zstd program for *.zst files).

    robe_lookup.py FILE TABLE ID...          prints a row for each id

As a module: Tables("array.safetensors").row("user", 7). Methods robe and robe-hot with --hash golden, in any storage;
robe-compress expand makes plain tables of the others.
"""
import json
import struct
import sys

from read_with_zstd import documents

GOLDEN, MASK = 0x9E3779B97F4A7C15, 2**64 - 1


def mix64(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Tables:
    def __init__(self, path):
        (meta, tensors), = documents(path)
        if meta.get("embedding.hash") != "golden" or meta["embedding.copies"] != "1":
            raise ValueError(f"{path}: not an array of robe or robe-hot with --hash golden")
        self.dim, self.block, seed = (int(meta[f"embedding.{key}"]) for key in ("dim", "block", "seed"))
        self.signed, self.aligned = (meta[f"embedding.{key}"] == "true" for key in ("sign", "aligned"))
        self.offset = mix64(seed) if seed else 0
        self.array = tensors["embedding.array"][2]
        if "embedding.array.scale" in tensors:  # int8 and int4: a scale for each 64 or 32 numbers
            scale, group = tensors["embedding.array.scale"][2], 64
            if "embedding.array.numbers" in meta:  # int4: two levels + 8 in a byte, the first in the lower half
                levels = [level - 8 for byte in self.array for level in (byte & 15, byte >> 4)]
                self.array, group = levels[:int(meta["embedding.array.numbers"])], 32
            rounded = [struct.pack("<f", x * scale[i // group]) for i, x in enumerate(self.array)]
            self.array = [struct.unpack("<f", x)[0] for x in rounded]
        self.rows, self.first, first = {}, {}, 0
        for table in json.loads(meta["embedding.tables"]):  # rows are numbered through all tables
            self.rows[table["name"]], self.first[table["name"]] = table["rows"], first
            first += table["rows"]
        # Rows with numbers of their own, which lie behind the shared ones: those listed, else a run of each table's.
        self.hot = {}
        counts = tensors.get("embedding.hot.counts", (0, 0, [0] * len(self.rows)))[2]
        begins = tensors.get("embedding.hot.first", (0, 0, [0] * len(self.rows)))[2]
        listed = iter(tensors.get("embedding.hot.rows", (0, 0, ()))[2])
        for name, begin, count in zip(self.rows, begins, counts):
            for i in range(begin, begin + count):
                self.hot[name, next(listed, i)] = len(self.hot)
        self.shared = len(self.array) - len(self.hot) * self.dim

    def row(self, table, x):
        if not 0 <= x < self.rows[table]:
            raise IndexError(f"table {table} has {self.rows[table]} rows, asked for {x}")
        if (table, x) in self.hot:
            start = self.shared + self.hot[table, x] * self.dim
            return self.array[start:start + self.dim]
        blocks = -(-self.dim // self.block)
        places = self.shared // self.block if self.aligned else self.shared - self.block + 1
        row = []
        for number in range((self.first[table] + x) * blocks, (self.first[table] + x + 1) * blocks):
            start = ((number * GOLDEN + self.offset & MASK) * places >> 64) * (self.block if self.aligned else 1)
            sign = -1 if self.signed and mix64(number + self.offset & MASK) >> 63 else 1
            row += [sign * value for value in self.array[start:start + min(self.block, self.dim - len(row))]]
        return row


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: robe_lookup.py FILE TABLE ID...")
    tables = Tables(sys.argv[1])
    for x in sys.argv[3:]:
        print(*(f"{value:.9g}" for value in tables.row(sys.argv[2], int(x))))


if __name__ == "__main__":
    main()
