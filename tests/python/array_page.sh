#!/bin/sh
# The formulas of robe-compress(5), written down once more in Python, give every row that expand gives.
#   array_page.sh BIN_DIR SOURCE_DIR
PATH=$(cd "$1" && pwd):$PATH; source=$(cd "$2" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
PYTHONPATH=$source/examples/python; PYTHONDONTWRITEBYTECODE=1; export PYTHONPATH PYTHONDONTWRITEBYTECODE
awk 'BEGIN { print "click,a,b,c"; for (i = 0; i < 600; ++i) print i % 2 ",a" i * i % 199 ",b" i % 7 ",c" i * 7 % 61 }' > d.csv
n=0
while read -r options; do
  n=$((n + 1)); size='--compression 4'
  case $options in --method\ full*) size= ;; esac
  # shellcheck disable=SC2086
  robe-compress train d.csv -o $n.safetensors --dim 6 --top 2 --steps 5 --quiet $size $options &&
    robe-compress expand $n.safetensors -o rows-$n.safetensors --quiet || { echo "FAILED: $options"; exit 1; }
done <<'OPTIONS'
--hash golden
--hash golden --block 4 --sign
--hash golden --block 2 --align --hash-seed 5
--hash golden --storage int8
--hash golden --storage bf16
--hash golden --storage int4
--method full --storage int4
--hash golden --storage f32
--hash paper --block 4
--hash paper --hash-seed 9
--hash robe2021 --block 2
--hash robe2021 --sign
--hash robe2022 --block 4
--method robe-hot --hot-share 0.5
--method robe-hot --hot-share 0.5 --hash paper --block 5
--method hash
--method multi --copies 3 --block 3 --sign --hash-seed 2
--method multi --hash paper
--method qr
--method full
--method int8
--method int4
OPTIONS
python3 - "$n" <<'PYTHON'
import json
import struct
import sys

from read_with_zstd import documents

K, MASK = 0x9E3779B97F4A7C15, 2**64 - 1
P, Q, R1, R2, R3 = 2**31 - 1, 2038074743, 634329019, 1825252241, 871205356


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def coefficients(s):
    key, found, j = mix(mix(s + K & MASK) + K & MASK), [], 0
    while len(found) < 8:
        product = mix(mix(key + j * K & MASK) ^ key) * (P - 1)
        if product & MASK >= 2**64 % (P - 1):
            found.append(1 + (product >> 64))
        j += 1
    return found


class Blocks:
    """Methods robe, robe-hot, hash and multi."""

    def __init__(self, meta, tensors, array, sizes):
        self.d, self.Z, self.s, copies = (int(meta[f"embedding.{key}"]) for key in ("dim", "block", "seed", "copies"))
        self.signed, self.aligned = (meta[f"embedding.{key}"] == "true" for key in ("sign", "aligned"))
        self.family, self.array, self.hot = meta["embedding.hash"], array, {}
        counts = tensors.get("embedding.hot.counts", (0, 0, [0] * len(sizes)))[2]
        first = tensors.get("embedding.hot.first", (0, 0, [0] * len(sizes)))[2]
        for t, count in enumerate(counts):
            for x in range(first[t], first[t] + count):
                self.hot[t, x] = len(self.hot)
        self.M, self.C = len(array) - len(self.hot) * self.d, (self.d + self.Z - 1) // self.Z
        self.seeds = [self.s] + [mix(self.s + K + j * 0xFF51AFD7ED558CCD & MASK) for j in range(1, copies)]

    def place(self, s, t, x, v, c):
        if self.family == "golden":
            places, unit = (self.M // self.Z, self.Z) if self.aligned else (self.M - self.Z + 1, 1)
            return ((v * self.C + c) * K + (mix(s) if s else 0) & MASK) * places // 2**64 * unit
        if self.family == "paper":
            a = coefficients(s)
            return (a[0] * t + a[1] * x + a[2] * c + a[3]) % P % self.M
        if self.family == "robe2021":
            return (R3 * v + R2 * c + R1) % Q % (self.M - self.Z + 1)
        return (R1 * v + R2 * (c + 1) + R3) % Q % (self.M - self.Z)

    def sign(self, s, t, x, v, i):
        if self.family == "paper":
            a = coefficients(s)
            return 1 if (a[4] * t + a[5] * x + a[6] * i + a[7]) % P % 2 else -1
        return -1 if self.signed and mix(v * self.C + i // self.Z + (mix(s) if s else 0) & MASK) >= 2**63 else 1

    def row(self, t, x, v):
        if (t, x) in self.hot:
            begin = self.M + self.hot[t, x] * self.d
            return self.array[begin:begin + self.d]
        row = [0.0] * self.d
        for s in self.seeds:
            places = [self.place(s, t, x, v, c) for c in range(self.C)]
            for i in range(self.d):
                at = (places[i // self.Z] + i % self.Z) % self.M
                row[i] += self.sign(s, t, x, v, i) * self.array[at]
        return row


def quotient_rows(meta, array, sizes, d):
    divisor, rows, begin = int(meta["embedding.divisor"]), [], 0
    for n in sizes:
        a = (n + divisor - 1) // divisor
        b = (n + a - 1) // a
        if a + b >= n:
            a, b = n, 0
        part = [array[(begin + r) * d:(begin + r + 1) * d] for r in range(a + b)]
        for x in range(n):
            rows.append([r * q for r, q in zip(part[x % a], part[a + x // a])] if b else part[x])
        begin += a + b
    return rows


def all_rows(path):
    (meta, tensors), = documents(path)
    d, sizes = int(meta["embedding.dim"]), [table["rows"] for table in json.loads(meta["embedding.tables"])]
    numbers = [(t, x) for t, n in enumerate(sizes) for x in range(n)]
    if meta["embedding.method"] in ("int8", "int4"):
        codes, scales = tensors["embedding.codes"][2], tensors["embedding.scales"][2]
        if meta["embedding.method"] == "int4":
            codes = [half for code in codes for half in (code & 15, code >> 4)]
        return [[scales[2 * v + 1] + scales[2 * v] * codes[v * d + i] for i in range(d)] for v in range(sum(sizes))]
    array = tensors["embedding.array"][2]
    if "embedding.array.scale" in tensors:
        scale, group = tensors["embedding.array.scale"][2], 64
        if "embedding.array.numbers" in meta:
            halves = [half - 8 for byte in array for half in (byte & 15, byte >> 4)]
            array, group = halves[:int(meta["embedding.array.numbers"])], 32
        array = [scale[i // group] * x for i, x in enumerate(array)]
    if meta["embedding.method"] == "full":
        return [array[v * d:(v + 1) * d] for v in range(sum(sizes))]
    if meta["embedding.method"] == "qr":
        return quotient_rows(meta, array, sizes, d)
    blocks = Blocks(meta, tensors, array, sizes)
    return [blocks.row(t, x, v) for v, (t, x) in enumerate(numbers)]


for number in range(1, int(sys.argv[1]) + 1):
    (_, expanded), = documents(f"rows-{number}.safetensors")
    found = [value for row in all_rows(f"{number}.safetensors") for value in row]
    expected = [value for name in "abc" for value in expanded[name][2]]
    assert len(found) == len(expected) and len(found) > 1000
    for i, (x, y) in enumerate(zip(found, expected)):
        rounded, = struct.unpack("<f", struct.pack("<f", x))
        assert abs(rounded - y) <= 1e-6 * max(abs(y), 0.01), f"model {number}: row {i // 6}, number {i % 6}: {x}, not {y}"
PYTHON
