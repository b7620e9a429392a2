#!/usr/bin/env python3
"""Reads tensor files (*.safetensors.zst, *.tzs, *.safetensors) with the standard library and the zstd program.

    read_with_zstd.py FILE          prints "document name dtype shape: first elements" for every tensor

As a module: for metadata, tensors in documents("batches.tzs"): ...; tensors maps a name to (dtype, shape,
elements), elements being flat, in C order. Files with packed tensors (tensor-file convert --pack) are
unpacked. The format is described in tensor-file(5).
"""
import json
import struct
import subprocess
import sys

FORMATS = {"BOOL": "?", "U8": "B", "I8": "b", "U16": "H", "I16": "h", "F16": "e", "U32": "I", "I32": "i",
           "F32": "f", "U64": "Q", "I64": "q", "F64": "d"}


def plain_bytes(path):
    """The whole content. A pipe from "zstd -dc" does as well for what does not fit into memory."""
    with open(path, "rb") as file:
        packed = file.read(4) == b"\x28\xb5\x2f\xfd"
    if not packed:
        with open(path, "rb") as file:
            return file.read()
    return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout


def elements(dtype, data):
    if dtype == "BF16":  # the upper half of a float
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    size = struct.calcsize(FORMATS[dtype])
    return list(struct.unpack(f"<{len(data) // size}{FORMATS[dtype]}", data))


def unpacked(encoding, data):
    """Byte plane j holds byte j of every element; with "delta" the elements are first differences."""
    count = 1
    for dimension in encoding["shape"]:
        count *= dimension
    size = len(data) // count
    merged = bytearray(len(data))
    for j in range(size):
        merged[j::size] = data[j * count:(j + 1) * count]
    if "delta" in encoding["steps"]:
        total = 0
        for i in range(0, len(merged), size):
            total = (total + int.from_bytes(merged[i:i + size], "little")) % (1 << 8 * size)
            merged[i:i + size] = total.to_bytes(size, "little")
    return bytes(merged)


def documents(path):
    data = plain_bytes(path)
    at = 0
    in_stream = ended = False
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        header = json.loads(data[at + 8:at + 8 + length])
        at += 8 + length
        metadata = header.pop("__metadata__", None) or {}
        end = at + max((entry["data_offsets"][1] for entry in header.values()), default=0)
        if end > len(data):
            raise ValueError(f"{path}: truncated")
        ended = metadata.get("frugal.kind") == "end"
        in_stream = in_stream or "frugal.seq" in metadata
        if not ended:
            packing = json.loads(metadata.get("frugal.enc", "{}"))
            tensors = {}
            for name, entry in header.items():
                begin, stop = entry["data_offsets"]
                content = data[at + begin:at + stop]
                if name in packing:
                    entry, content = packing[name], unpacked(packing[name], content)
                tensors[name] = entry["dtype"], entry["shape"], elements(entry["dtype"], content)
            yield metadata, tensors
        at = end
    if in_stream and not ended:
        raise ValueError(f"{path}: stream truncated: no end document")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: read_with_zstd.py FILE")
    for number, (_, tensors) in enumerate(documents(sys.argv[1])):
        for name, (dtype, shape, values) in sorted(tensors.items()):
            print(number, name, dtype, f"{shape}:", *values[:8])


if __name__ == "__main__":
    main()
