#!/usr/bin/env python3
"""Reads tensor files with the packages safetensors, zstandard and numpy (pip install safetensors zstandard numpy).

    read_tensor_file.py FILE        prints "document name dtype shape: first elements" for every tensor

The two functions are all that a program of yours needs. Tensors of type BF16 need safetensors.torch instead of
safetensors.numpy; files written with --pack need tensor-file convert, or read_with_zstd.py beside this file.
"""
import json
import struct
import sys

import safetensors.numpy as st
import zstandard


def opened(path):
    """The bytes of a file, decompressed if it is compressed; zstandard.decompress() would stop after one frame."""
    raw = open(path, "rb")
    compressed = raw.read(4) == b"\x28\xb5\x2f\xfd"
    raw.seek(0)
    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=True) if compressed else raw


def load(path):
    """The tensors of a file that holds one document, such as *.safetensors and *.safetensors.zst."""
    with opened(path) as f:
        return st.load(f.read())


def stream(f):
    """(metadata, tensors) for each document of a stream, in constant memory; `f` has its decompressed bytes."""
    def read(n):
        b = bytearray()
        while len(b) < n and (c := f.read(n - len(b))):
            b += c
        return bytes(b)

    ended = False
    while len(length := read(8)) == 8:
        text = read(struct.unpack("<Q", length)[0])
        header = json.loads(text)
        metadata = header.pop("__metadata__", None) or {}
        size = max((t["data_offsets"][1] for t in header.values()), default=0)
        document = st.load(length + text + read(size))
        ended = metadata.get("frugal.kind") == "end"
        if not ended:
            yield metadata, document
    if not ended:
        raise ValueError("stream truncated: no end document")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: read_tensor_file.py FILE")
    path = sys.argv[1]
    if path.endswith((".safetensors", ".safetensors.zst")):
        found = [load(path)]
    else:  # models, graphs and mini-batches of any other name are streams
        with opened(path) as f:
            found = [tensors for _, tensors in stream(f)]
    for number, tensors in enumerate(found):
        for name, array in sorted(tensors.items()):
            values = array.ravel()[:8].tolist()
            print(number, name, array.dtype.name, f"{list(array.shape)}:", *values)


if __name__ == "__main__":
    main()
