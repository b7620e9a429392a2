#!/usr/bin/env python3
"""Reads mini-batches of gnn-sample from a pipe, with numpy; nothing is copied behind the pipe.

    gnn-sample sample GRAPH -o - | python3 minibatches.py        prints a line for each mini-batch

As a module: for metadata, arrays in minibatches(sys.stdin.buffer): ...; arrays maps a name (gnn-sample(1)) to
an array that is valid until the next mini-batch. Features that the graph keeps sparse are one array, too, a CSR
matrix of SciPy; torch_csr() makes PyTorch's of it. names_of() tells what the owner of the graph calls its nodes.
The functions are all that a program of yours needs. On
pipes streams are plain, in files with --level none; tensor-file(5) describes them.
"""
import json
import sys

FORMATS = {"I8": "i1", "U8": "u1", "I32": "<i4", "I64": "<i8", "U32": "<u4", "U64": "<u8", "F16": "<f2",
           "BF16": "<u2", "F32": "<f4", "F64": "<f8"}  # numpy has no bfloat16: its bits, see bfloat16_to_float32()


def documents(stream):
    """(metadata, header, data) of each mini-batch of a binary stream; `data` is read over by the next."""
    buffer = bytearray(1 << 20)
    count, ended = 0, False
    while first := stream.read(1):  # what is read may be less than what is asked for
        start = first + exactly(stream, memoryview(bytearray(7)))
        if start[:4] == b"\x28\xb5\x2f\xfd":
            raise ValueError("the stream is compressed; write it with gnn-sample sample --level none, "
                             "or read it through zstd -dc")
        length = int.from_bytes(start, "little")
        header = json.loads(bytes(exactly(stream, memoryview(bytearray(length)))))
        metadata = header.pop("__metadata__", None) or {}
        size = max((tensor["data_offsets"][1] for tensor in header.values()), default=0)
        if size > len(buffer):
            buffer = bytearray(size + size // 4)
        data = exactly(stream, memoryview(buffer)[:size])
        ended = metadata.get("frugal.kind") == "end"
        if not ended:
            yield metadata, header, data
            count += 1
        elif int(metadata["frugal.documents"]) != count:
            raise ValueError(f"{metadata['frugal.documents']} mini-batches were written, {count} arrived")
        else:
            count = 0  # streams may follow one another
    if not ended:
        raise ValueError(f"the stream ends after {count} mini-batches without its end document")


def exactly(stream, view):
    """Fills the view."""
    at = 0
    while at < len(view):
        read = stream.readinto(view[at:])
        if not read:
            raise ValueError("the stream ends inside a mini-batch")
        at += read
    return view


def minibatches(stream):
    """(metadata, arrays) of each mini-batch; an array is a view that is valid until the next one."""
    for metadata, header, data in documents(stream):
        yield metadata, arrays_of(metadata, header, data)


def arrays_of(metadata, header, data):
    """Views of the data by name, or CSR matrices."""
    import numpy as np
    arrays, data = {}, np.frombuffer(data, np.uint8)
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        arrays[name] = data[begin:end].view(FORMATS[tensor["dtype"]]).reshape(tensor["shape"])
    for name in [name for name in arrays if name.endswith("features.offsets")]:
        join_sparse(metadata, header, arrays, name.removesuffix(".offsets"))
    return arrays


def join_sparse(metadata, header, arrays, name):
    """Puts a CSR matrix of float32 in the place of the three arrays of sparse features."""
    import numpy as np
    from scipy.sparse import csr_matrix
    offsets, columns = arrays.pop(name + ".offsets"), arrays.pop(name + ".columns")
    values = arrays.pop(name + ".values", None)
    if values is None:
        values = np.ones(len(columns), np.float32)
    elif header[name + ".values"]["dtype"] == "BF16":
        values = bfloat16_to_float32(values)
    parts = name.split("/")  # of a graph of several types nodes/TYPE/features
    width = int(metadata[".".join(["graph.features"] + parts[1:-1])])
    arrays[name] = csr_matrix((values.astype(np.float32, copy=False), columns, offsets), (len(offsets) - 1, width))


def torch_csr(matrix):
    """The matrix as a sparse tensor of PyTorch."""
    import torch
    return torch.sparse_csr_tensor(*map(torch.from_numpy, (matrix.indptr, matrix.indices, matrix.data)), matrix.shape)


def names_of(arrays, prefix=""):
    """What the owner of the graph calls the nodes: their names or numbers in the input of import."""
    if prefix + "names" in arrays:
        names, ends = arrays[prefix + "names"].tobytes(), arrays[prefix + "names.offsets"]
        return [names[begin:end].decode() for begin, end in zip(ends, ends[1:])]
    return arrays.get(prefix + "ids", arrays[prefix + "nodes"]).tolist()


def bfloat16_to_float32(bits):
    """The numbers of bfloat16 bits, which are the upper halves of floats."""
    import numpy as np
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Name(str):
    """A key of a Batch, with its metadata: DataLoader of some PyTorch makes a new Batch of the keys and tensors alone."""


class Batch(dict):
    """Arrays or tensors by name."""
    def __init__(self, arrays, metadata=None):
        if metadata is not None:
            arrays = {Name(name): array for name, array in arrays.items()}
            for name in arrays:
                name.metadata = metadata
        super().__init__(arrays)
        self.metadata = next(iter(self)).metadata


def float32_features(bits):
    """Features as float32: bits of bfloat16, or float16; others as they are."""
    if getattr(bits, "dtype", None) == "u2":
        return bfloat16_to_float32(bits)
    return bits.astype("f4") if getattr(bits, "dtype", None) == "f2" else bits


def main():
    for metadata, header, data in documents(sys.stdin.buffer):
        shapes = " ".join(f"{name}{tensor['shape']}" for name, tensor in sorted(header.items()))
        print(f"epoch {metadata['batch.epoch']}, mini-batch {metadata['batch.number']}: {shapes}, {len(data)} bytes")


if __name__ == "__main__":
    main()
