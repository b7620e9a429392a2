"""Graphs for the benchmarks: graph files of gnn-sample, and the text sets of the data folder. Needs NumPy."""
import csv
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sparse-train"))
import measures  # noqa: E402

DTYPES = {"U8": "<u1", "I8": "<i1", "U16": "<u2", "I32": "<i4", "U32": "<u4", "I64": "<i8", "U64": "<u8",
          "F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}
NAMES = {np.dtype(kind): name for name, kind in DTYPES.items() if name != "BF16"}
TRAIN, VALID, TEST, NONE = 0, 1, 2, 255  # numbers of `split`


ZSTD = b"\x28\xb5\x2f\xfd"


def read_graph(path):
    """The tensors of a graph file, mapped, and its metadata. BF16 becomes F32, sparse features dense."""
    with open(path, "rb") as file:
        compressed = file.read(len(ZSTD)) == ZSTD
    if not compressed:
        return read_plain_graph(path)
    with tempfile.TemporaryDirectory() as folder:  # mapped files outlive their names
        plain = os.path.join(folder, "graph.safetensors")
        subprocess.run([measures.default_program("tensor-file"), "convert", path, plain, "-q"], check=True)
        return read_plain_graph(plain)


def read_plain_graph(path):
    """The same of a file that is not compressed."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    metadata = header.pop("__metadata__", {})
    data = np.memmap(path, mode="r", offset=8 + size)
    tensors = {}
    for name, field in header.items():
        begin, end = field["data_offsets"]
        tensors[name] = data[begin:end].view(DTYPES[field["dtype"]]).reshape(field["shape"])
        if field["dtype"] == "BF16":
            tensors[name] = (tensors[name].astype("<u4") << 16).view("<f4")
    if "features.offsets" in tensors:
        tensors["features"] = dense_features(tensors, int(metadata["graph.features"]))
    return tensors, metadata


def read_types(path):
    """Types with their size, features (dense, or CSR of SciPy), labels and splits; edges (source, target) by relation."""
    import scipy.sparse
    tensors, metadata = read_graph(path)
    nodes, edges = {}, {}
    for kind in metadata["graph.node_types"].split(","):
        prefix, size = f"nodes/{kind}/", int(metadata[f"graph.nodes.{kind}"])
        nodes[kind] = {"size": size, "features": tensors.get(prefix + "features"),
                       "labels": tensors.get(prefix + "labels"), "split": tensors.get(prefix + "split")}
        if prefix + "features.offsets" in tensors:
            columns = tensors[prefix + "features.columns"].astype(np.int32)
            values = tensors.get(prefix + "features.values", np.ones(len(columns), np.float32)).astype(np.float32)
            nodes[kind]["features"] = scipy.sparse.csr_matrix(
                (values, columns, tensors[prefix + "features.offsets"].astype(np.int64)),
                (size, int(metadata[f"graph.features.{kind}"])))
    for name in metadata["graph.edge_types"].split(","):
        offsets = tensors[f"edges/{name}/offsets"].astype(np.int64)
        targets = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        edges[tuple(name.split(":"))] = np.stack([tensors[f"edges/{name}/neighbors"].astype(np.int64), targets])
    return nodes, edges


def dense_features(tensors, dim):
    offsets, columns = tensors.pop("features.offsets"), tensors.pop("features.columns")
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))
    features = np.zeros((len(offsets) - 1, dim), np.float32)
    features[rows, columns] = tensors.pop("features.values", 1)
    return features


def sparse_features(tensors, metadata):
    """The same with sparse features where few numbers are not 0, as `gnn-sample import` stores them."""
    features = tensors["features"]
    rows, columns = np.nonzero(features)
    if len(rows) > 0.2 * features.size:
        return tensors, metadata
    offsets = np.zeros(len(features) + 1, np.uint64)
    np.cumsum(np.bincount(rows, minlength=len(features)), out=offsets[1:])
    rest = {name: tensor for name, tensor in tensors.items() if name != "features"}
    return ({**rest, "features.offsets": offsets, "features.columns": columns.astype(np.uint32),
             "features.values": features[rows, columns]}, {**metadata, "graph.features": str(features.shape[1])})


def write_graph(path, tensors, metadata):
    """Tensors by size of their elements, largest first, then by name, as gnn-sample writes them."""
    header, offset = {"__metadata__": metadata}, 0
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    for name in order:
        tensor = tensors[name]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in order:
            np.ascontiguousarray(tensors[name]).tofile(file)


def metadata_of(tensors, directed=False):
    """What a graph file of these tensors says of itself."""
    classes = int(tensors["labels"].max()) + 1 if "labels" in tensors else 0
    return {"frugal.version": "1", "frugal.kind": "graph", "graph.nodes": str(len(tensors["offsets"]) - 1),
            "graph.edges": str(len(tensors["neighbors"])), "graph.directed": "true" if directed else "false",
            "graph.classes": str(classes)}


def copy_with_fewer(graph, path, count):
    """An uncompressed graph file again, with at most `count` nodes of each split to validate and to test with."""
    shutil.copyfile(graph, path)
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        begin, end = json.loads(file.read(size))["split"]["data_offsets"]
    split = np.memmap(path, np.uint8, "r+", 8 + size + begin, end - begin)
    rng = np.random.default_rng(0)
    for part in (VALID, TEST):
        split[rng.permutation(np.flatnonzero(split == part))[count:]] = NONE
    split.flush()


def to_csr(nodes, sources, targets):
    """In-edges of each node, ascending and each once: offsets, neighbours."""
    keys = np.unique(targets.astype(np.uint64) * np.uint64(nodes) + sources.astype(np.uint64))
    offsets = np.zeros(nodes + 1, np.uint64)
    np.cumsum(np.bincount((keys // np.uint64(nodes)).astype(np.int64), minlength=nodes), out=offsets[1:])
    return offsets, (keys % np.uint64(nodes)).astype(np.uint32)


def read_text(folder, name):
    return measures.read(measures.find(folder, name)).decode()


def read_libsvm(text):
    """Labels [nodes] and features [nodes, dim] of lines `class index:value ...`."""
    lines = [line.split() for line in text.splitlines()]
    pairs = [[pair.split(":") for pair in line[1:]] for line in lines]
    dim = 1 + max(int(index) for row in pairs for index, _ in row)
    features = np.zeros((len(lines), dim), np.float32)
    for row, found in enumerate(pairs):
        for index, value in found:
            features[row, int(index)] = float(value)
    return np.array([int(line[0]) for line in lines], np.int32), features


def read_splits(folder, nodes):
    """[nodes, splits] of TRAIN, VALID, TEST and NONE; no columns where the set has no split of its own."""
    if os.path.exists(os.path.join(folder, "split.txt")):
        numbers = {"train": TRAIN, "val": VALID, "valid": VALID, "test": TEST}
        parts = [[numbers.get(line, NONE)] for line in read_text(folder, "split.txt").split("\n")[:nodes]]
    elif os.path.exists(os.path.join(folder, "splits.csv")):
        parts = [line.split(",") for line in read_text(folder, "splits.csv").splitlines() if line[0] != "#"]
    elif os.path.exists(os.path.join(folder, "nodes.csv.zst")):
        numbers = {"train": TRAIN, "val": VALID, "valid": VALID, "test": TEST}
        rows = csv.DictReader(io.StringIO(read_text(folder, "nodes.csv")))
        parts = [[numbers.get(row["split"], NONE)] for row in rows]
    else:
        return np.zeros((nodes, 0), np.uint8)
    return np.array(parts, np.uint8)


def read_set(folder, symmetrize=True):
    """A set of the data folder as tensors of a graph file; `split` is [nodes, splits]."""
    labels, features = read_libsvm(read_text(folder, "features.libsvm"))
    edges = np.loadtxt(io.StringIO(read_text(folder, "edges.csv")), np.int64, delimiter=",", skiprows=1)
    sources, targets = edges.T
    if symmetrize:
        sources, targets = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    offsets, neighbors = to_csr(len(labels), sources, targets)
    return {"offsets": offsets, "neighbors": neighbors, "features": features, "labels": labels,
            "split": read_splits(folder, len(labels))}


def largest_component(tensors):
    """The same without the nodes that are not connected with most others."""
    import scipy.sparse
    nodes = len(tensors["labels"])
    edges = scipy.sparse.csr_matrix((np.ones(len(tensors["neighbors"]), np.int8), tensors["neighbors"].astype(np.int64),
                                     tensors["offsets"].astype(np.int64)), (nodes, nodes))
    component = scipy.sparse.csgraph.connected_components(edges, directed=False)[1]
    kept = np.flatnonzero(component == np.bincount(component).argmax())
    edges = edges[kept][:, kept].sorted_indices()
    return {"offsets": edges.indptr.astype(np.uint64), "neighbors": edges.indices.astype(np.uint32),
            **{name: tensors[name][kept] for name in ("features", "labels", "split")}}


def random_split(labels, seed, train_each=20, valid_each=30):
    """So many nodes of each class to train on and to validate with, all others to test (Shchur et al. 2018)."""
    rng = np.random.default_rng(seed)
    split = np.where(labels >= 0, TEST, NONE).astype(np.uint8)
    for label in range(labels.max() + 1):
        nodes = rng.permutation(np.flatnonzero(labels == label))
        split[nodes[:train_each]] = TRAIN
        split[nodes[train_each:train_each + valid_each]] = VALID
    return split


def splits_of(tensors, count):
    """The set's own splits, or `count` random ones, of seeds 0, 1 ...: [nodes, splits]."""
    if tensors["split"].shape[1]:
        return tensors["split"]
    return np.stack([random_split(tensors["labels"], seed) for seed in range(count)], 1)


def normalized(features):
    """Each row divided by its sum; rows of zeros stay."""
    sums = features.sum(1, keepdims=True)
    return features / np.where(sums == 0, 1, sums)
