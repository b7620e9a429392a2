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


def load(path):
    """The tensors of a file that holds one document."""
    with zstandard.open(path, "rb") as f:  # not zstandard.decompress(): it stops after one frame
        return st.load(f.read())


def stream(raw):
    """(metadata, tensors) for each document of a stream, in constant memory; `raw` is a binary file or pipe."""
    f = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)

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
    if path.endswith(".tzs"):
        with open(path, "rb") as raw:
            found = [tensors for _, tensors in stream(raw)]
    else:
        found = [load(path)]
    for number, tensors in enumerate(found):
        for name, array in sorted(tensors.items()):
            values = array.ravel()[:8].tolist()
            print(number, name, array.dtype.name, f"{list(array.shape)}:", *values)


if __name__ == "__main__":
    main()
