#!/usr/bin/env python3
"""Mini-batches of gnn-sample for a loop in Python, in shared memory: nothing is copied, nothing goes through a pipe.

    from frugal_loader import Loader
    train = Loader("graph.safetensors", "pyg", fanouts=[10, 5], batch_size=1024, seed=1)
    valid = Loader("graph.safetensors", "pyg", fanouts=[10, 5], seeds="valid", shuffle=False)
    for epoch in range(10):
        for batch in train: ...
        for batch in valid: ...

The second argument chooses the mini-batches:
  numpy   Batch: a dict of arrays by their names in gnn-sample-sample(1), with .metadata; sparse features are a CSR matrix of SciPy
  torch   Batch of tensors of PyTorch; sparse features are a tensor of layout sparse_csr
  pyg     Data or HeteroData as of NeighborLoader; the labels y are those of the seeds alone
  dgl     (input_nodes, output_nodes, blocks); blocks[0].srcdata["feat"] and blocks[-1].dstdata["label"]; of links
          (input_nodes, (ends, labels), blocks)
Other arguments are the options of gnn-sample sample: batch_size=512, shuffle=False, negatives=1, fanouts={"a:r:b": [5, 5]}.
seeds, edges and seed_times may be arrays.

A loader starts its own gnn-sample when it is first used and ends it with close(), with the `with` statement, or when
it is collected. The program samples ahead, also while another loader is in use, until its ring of slots is full. If
either process dies, the other notices at once, and no memory is left. Errors of the program are raised as LoaderError.

A mini-batch is valid until the loop asks for the next one; held=N keeps the last N valid, copy=True all of them.
Features of bf16 and f16 become float32 unless float32=False.

Ranks of DistributedDataParallel pass shard=(rank, ranks), each gets as many mini-batches. In worker processes,
DataLoader(loader, batch_size=None, num_workers=2), each worker samples its part. Workers that are not persistent_workers
need loader.set_epoch(epoch) before each epoch if there are ranks, as DistributedSampler does. A Batch that goes through
DataLoader keeps its .metadata.
"""
import atexit
import contextlib
import errno
import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import weakref
from numbers import Integral

import numpy as np
from minibatches import Batch, arrays_of, float32_features, torch_csr

try:
    import torch
    from torch.utils.data import IterableDataset as Base, get_worker_info
except ImportError:
    Base, get_worker_info = object, lambda: None

MESSAGE = struct.Struct("<4Q")
END = 2**64 - 1
TOO_MANY = (errno.EMFILE, errno.ENFILE)
MAPPED = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)  # of Python 3.10; pages that come one by one cost more
EPOCHS = 10**9  # more than anybody asks for
SWITCHES = {"shuffle", "features", "labels", "names"}  # on, unless --no-...
FILES = {"seeds", "edges", "seed_times"}
FORMS = {"numpy": {}, "torch": {},
         "pyg": {"semantics": "frontier", "layout": "coo", "wide_ids": True, "dense_features": True},
         "dgl": {"semantics": "mfg", "layout": "csr", "dense_features": True}}
alive = weakref.WeakSet()
# A child made by fork must not keep the connections open, for the program ends when they close.
os.register_at_fork(after_in_child=lambda: [process.leave() for process in list(alive) if not process.closed])
atexit.register(lambda: [process.close() for process in list(alive)])  # while Python still has its modules


class LoaderError(RuntimeError):
    """gnn-sample failed; the text is its own. `status` is its exit status, negative for a signal."""
    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


@contextlib.contextmanager
def enough_descriptors():
    """Explains the error of having too many files open."""
    try:
        yield
    except OSError as error:
        if error.errno not in TOO_MANY:
            raise
        raise LoaderError("too many open files; raise the limit of descriptors (ulimit -n), or pass fewer slots=", 0) from error


def words_of(options, descriptors):
    """The options as words of a command; arrays become files without names, whose descriptors are added."""
    for name, value in options.items():
        word = "--" + name.replace("_", "-")
        if name in FILES and value is not None and not isinstance(value, (str, os.PathLike)):
            descriptors.append(os.memfd_create(name))
            with open(descriptors[-1], "w", closefd=False, encoding="utf-8") as file:
                for row in np.asarray(value).tolist():
                    print(*row if isinstance(row, list) else [row], sep=",", file=file)
            value = f"/proc/self/fd/{descriptors[-1]}"
        if isinstance(value, (bool, np.bool_)):
            yield from [word] if value else ["--no-" + word[2:]] if name in SWITCHES else []
        elif value is not None:
            for kind, part in value.items() if isinstance(value, dict) else [(None, value)]:
                kind = ":".join(kind) if isinstance(kind, tuple) else kind
                text = ",".join(map(str, part)) if isinstance(part, (list, tuple)) else str(part)
                yield from (word, text if kind is None else f"{kind}={text}")


class Process:
    """A running gnn-sample and its slots."""
    def __init__(self, program, graph, options, quiet):
        self.owner, self.closed, self.fds, self.given, self.position = os.getpid(), True, [], 0, None
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(None)
        self.errors = os.memfd_create("gnn-sample-errors")
        passed = [theirs.fileno()]
        try:
            words = [program, "sample", os.fspath(graph), "--shared", str(theirs.fileno()), *words_of(options, passed)]
            self.process = subprocess.Popen(words + ["--quiet"] * quiet, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=self.errors if quiet else None, pass_fds=passed)
        except OSError as error:
            os.close(self.errors)
            self.socket.close()
            if error.errno in TOO_MANY:
                raise
            raise LoaderError(f"cannot start {program}: {error.strerror}; put it in PATH, or pass program=", 127) from error
        finally:
            theirs.close()
            for descriptor in passed[1:]:
                os.close(descriptor)
        self.closed = False
        alive.add(self)
        version, slots, self.per_epoch, shard = MESSAGE.unpack(self.receive(first=True))
        if version != 1:
            self.close()
            raise LoaderError(f"{program} speaks version {version} of --shared, expected 1", 0)
        if slots != len(self.fds):  # Linux drops descriptors beyond the limit
            self.close()
            raise OSError(errno.EMFILE, "too many open files")
        self.slots, self.shard = [None] * slots, (shard >> 32, shard & 0xffffffff)

    def receive(self, first=False):
        message = b""
        while len(message) < MESSAGE.size:
            try:
                if first and not message:
                    part, self.fds, _, _ = socket.recv_fds(self.socket, MESSAGE.size, 253, socket.MSG_CMSG_CLOEXEC)
                else:
                    part = self.socket.recv(MESSAGE.size - len(message))
            except ConnectionError:
                part = b""
            message += part or self.fail()
        return message

    def fail(self):
        """Raises what the program, which has closed its end, says."""
        status = self.process.wait()
        text = os.pread(self.errors, 1 << 16, 0).decode(errors="replace").strip()
        self.close()
        if not text:
            text = "gnn-sample " + (f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}")
        raise LoaderError(text, status)

    def next(self, held, copy):
        """Metadata, header and data of the next mini-batch; those before the last `held` are given back."""
        slot, place, size, _ = MESSAGE.unpack(self.receive())
        if slot == END:
            raise LoaderError("gnn-sample has no more mini-batches", 0)
        self.given += 1
        data = self.slots[slot]
        if data is None or len(data) < size:
            with enough_descriptors():
                data = self.slots[slot] = mmap.mmap(self.fds[slot], size, MAPPED)
        header = json.loads(data[place + 8:place + 8 + int.from_bytes(data[place:place + 8], "little")])
        metadata = header.pop("__metadata__")
        if copy:
            data = bytearray(memoryview(data)[:place])
        if copy or self.given > held:
            self.give_back()
        return metadata, header, data

    def give_back(self):
        with contextlib.suppress(ConnectionError):  # it has sent the last mini-batches, or receive() tells
            self.socket.send(b"\0")

    def leave(self):
        """Closes this process's share of the connection."""
        self.socket.close()
        for descriptor in [*self.fds, self.errors]:
            os.close(descriptor)
        self.closed = True

    def close(self):
        if self.closed:
            return
        self.leave()
        if self.owner == os.getpid():
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    __del__ = close


class Loader(Base):
    def __init__(self, graph, form="numpy", *, shard=(0, 1), copy=False, held=1, float32=True, program="gnn-sample", quiet=True,
                 **options):
        super().__init__()
        if form not in FORMS:
            raise ValueError(f"form is {form!r}, expected {', '.join(FORMS)}")
        if form in ("pyg", "dgl"):
            if "walks" in options:
                raise ValueError(f"walks do not go with {form!r}, but with 'numpy' and 'torch'")
            for name in ("semantics", "layout"):
                if options.setdefault(name, FORMS[form][name]) != FORMS[form][name]:
                    raise ValueError(f"{name} is {options[name]!r}, expected {FORMS[form][name]!r} with {form!r}")
        for name in {"epochs", "from", "shared", "output"} & set(options):
            raise ValueError(f"{name}: the loader sets it itself")
        if "batches" in options:
            raise ValueError("batches: an epoch has all of its mini-batches; leave the loop, or use itertools.islice")
        if not isinstance(held, Integral) or isinstance(held, bool) or held < 1:
            raise ValueError(f"held is {held!r}, expected a whole number from 1 on")
        if not 0 <= shard[0] < shard[1]:
            raise ValueError(f"shard is {shard}, expected (rank, ranks) with 0 <= rank < ranks")
        for name in FILES & set(options):
            if hasattr(options[name], "__next__"):
                options[name] = list(options[name])  # each start of the program needs them
        self.graph, self.form, self.shard, self.copy, self.held = graph, form, shard, copy, held
        self.float32, self.program, self.quiet = float32, program, quiet
        self.options = {**FORMS[form], **options}
        if options.get("features") is False:
            self.options.pop("dense_features", None)
        if shard[1] > 1:
            self.options.setdefault("uneven_shards", "repeat")
        self.epoch, self.epoch_set, self.per_epoch, self.process = 0, False, None, None

    def __getstate__(self):
        return {**self.__dict__, "process": None}

    def set_epoch(self, epoch):
        """The next iteration is this epoch: the order of the seeds depends on seed and epoch alone."""
        self.epoch, self.epoch_set = epoch, True

    def close(self):
        """Ends the program."""
        if self.process is not None:
            self.process.close()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def part(self):
        """This process's (index, count) of all mini-batches: that of its rank, divided among the workers of a DataLoader."""
        worker = get_worker_info()
        rank, ranks = self.shard
        return (rank, ranks) if worker is None else (rank * worker.num_workers + worker.id, ranks * worker.num_workers)

    def first_and_count(self, epoch):
        """Number of this part's first mini-batch of an epoch, and how many it has."""
        index, count = self.part()
        first = epoch * self.per_epoch + (index - epoch * self.per_epoch) % count
        return first, max(0, -(-((epoch + 1) * self.per_epoch - first) // count))

    def __len__(self):
        """Mini-batches of the next epoch."""
        if self.per_epoch is None:
            self.start(0)
        return self.first_and_count(self.epoch)[1]

    def start(self, epoch):
        """Starts the program at an epoch."""
        self.close()
        worker, (index, count) = get_worker_info(), self.part()
        options = {"epochs": EPOCHS, **self.options}
        if epoch != 0 and self.per_epoch is None:
            self.start(0)
        if epoch != 0:
            options["from"] = epoch * self.per_epoch
        if count > 1:
            options["shard"] = f"{index}/{count}"
        if worker is not None:
            options.setdefault("threads", 1)
            if self.shard[1] == 1 and not self.epoch_set:  # a new worker does not know its epoch, but PyTorch's seed does
                options["seed"] = (int(options.get("seed", 0)) + worker.seed - worker.id) % 2**63
        self.close()
        with enough_descriptors():
            self.process = Process(self.program, self.graph, options, self.quiet)
        if self.held >= len(self.process.slots):
            slots = len(self.process.slots)
            self.close()
            raise ValueError(f"held is {self.held}, expected less than slots, {slots}; pass slots={self.held + 3}")
        self.per_epoch = self.process.per_epoch
        self.process.position = self.first_and_count(epoch)[0]

    def __iter__(self):
        epoch = self.epoch
        if self.process is None or self.process.closed or self.first_and_count(epoch)[0] != self.process.position:
            self.start(epoch)
        self.epoch = epoch + 1
        process, make, step = self.process, getattr(self, "make_" + self.form), self.part()[1]
        for _ in range(self.first_and_count(epoch)[1]):
            if process is not self.process:
                raise LoaderError("another iteration of this loader has begun, or it was closed", 0)
            try:
                metadata, header, data = process.next(self.held, self.copy or get_worker_info() is not None)
            except BaseException:
                self.close()  # where it stands in the stream is not known, as after Ctrl-C
                raise
            process.position += step
            yield make(metadata, arrays_of(metadata, header, data))

    # The forms of a mini-batch.

    def make_numpy(self, metadata, arrays):
        wide = [name for name in arrays if self.float32 and name.endswith("features")]
        return Batch({**arrays, **{name: float32_features(arrays[name]) for name in wide}}, metadata)

    def make_torch(self, metadata, arrays):
        return Batch({name: self.tensor(name, array) for name, array in arrays.items()}, metadata)

    def tensor(self, name, array):
        if not isinstance(array, np.ndarray):
            return torch_csr(array)
        if array.dtype in ("u4", "u8"):
            array = array.view(array.dtype.str.replace("u", "i"))
        bits = torch.from_numpy(array.view("i2") if array.dtype == "u2" else array)
        values = bits.view(torch.bfloat16) if array.dtype == "u2" else bits
        return values.float() if self.float32 and name.endswith("features") else values

    @staticmethod
    def known(metadata, kind):
        """Numbers of nodes of a type before each hop and after the last; `kind` is None in graphs of one type."""
        return [int(n) for n in metadata["batch.nodes" + ("" if kind is None else "." + kind)].split(",")]

    @staticmethod
    def types(metadata):
        """Types of nodes with the prefix of their tensors, and types of edges with theirs."""
        if "graph.node_types" not in metadata:
            return {None: ""}, {None: ""}
        return ({name: f"nodes/{name}/" for name in metadata["graph.node_types"].split(",")},
                {tuple(name.split(":")): f"edges/{name}/" for name in metadata["graph.edge_types"].split(",")})

    @staticmethod
    def target(labels):
        """Labels as loss functions want them: classes, numbers, or several labels a node."""
        return labels if labels.is_floating_point() else labels.long() if labels.dim() == 1 else labels.float()

    def make_pyg(self, metadata, arrays):
        from torch_geometric.data import Data, HeteroData
        tensors, (nodes, edges) = self.make_torch(metadata, arrays), self.types(metadata)
        data = Data() if None in nodes else HeteroData()
        names = {"features": "x", "nodes": "n_id", "ids": "ids", "roots": "batch", "seeds": "seeds", "seed_times": "seed_time"}
        for kind, prefix in nodes.items():
            store, known = (data if kind is None else data[kind]), self.known(metadata, kind)
            store.num_nodes, store.num_sampled_nodes = known[-1], np.diff(known, prepend=0).tolist()
            for name, attribute in names.items():
                if prefix + name in tensors:
                    setattr(store, attribute, tensors[prefix + name])
            if prefix + "labels" in tensors:
                store.y = self.target(tensors[prefix + "labels"])
            if kind in (None, metadata.get("batch.seed_type")):
                store.batch_size = known[0]
        for kind, prefix in edges.items():
            known = self.known(metadata, None if kind is None else kind[2])
            store, hop = (data if kind is None else data[kind]), f"{prefix}hop.{len(known) - 2}."
            # The last hop begins with the edges of those before it. Edges come by target: a hop's go into the nodes
            # that the hop before found.
            index = arrays[hop + "edge_index"]
            store.edge_index = tensors[hop + "edge_index"]
            store.num_sampled_edges = np.diff(np.searchsorted(index[1], known[:-1]), prepend=0).tolist()
            if hop + "edge_ids" in tensors:
                store.e_id = tensors[hop + "edge_ids"]
        if "edge_labels" in tensors:
            del data.seeds
            data.edge_label_index, data.edge_label = tensors["seeds"], tensors["edge_labels"]
        return data

    def make_dgl(self, metadata, arrays):
        import dgl
        tensors, (nodes, edges) = self.make_torch(metadata, arrays), self.types(metadata)
        known = {kind: self.known(metadata, kind) for kind in nodes}
        blocks = []
        for hop in reversed(range(len(next(iter(known.values()))) - 1)):
            ends = {kind or ("_N", "_E", "_N"):
                    ("csc", (tensors[f"{prefix}hop.{hop}.offsets"], tensors[f"{prefix}hop.{hop}.neighbors"], []))
                    for kind, prefix in edges.items()}
            sources, targets = ({kind or "_N": n[hop + step] for kind, n in known.items()} for step in (1, 0))
            blocks.append(dgl.create_block(ends, num_src_nodes=sources, num_dst_nodes=targets))
        for kind, prefix in nodes.items():
            if prefix + "features" in tensors:
                blocks[0].srcnodes[kind or "_N"].data["feat"] = tensors[prefix + "features"]
            if prefix + "labels" in tensors:
                blocks[-1].dstnodes[kind or "_N"].data["label"] = self.target(tensors[prefix + "labels"])
        inputs = {kind: tensors[prefix + "nodes"] for kind, prefix in nodes.items()}
        outputs = {kind: ids[:known[kind][0]] for kind, ids in inputs.items()}
        if None in nodes:
            inputs, outputs = inputs[None], outputs[None]
        return inputs, (tensors["seeds"], tensors["edge_labels"]) if "edge_labels" in tensors else outputs, blocks


if __name__ == "__main__":
    with Loader(sys.argv[1]) as example:
        for minibatch in example:
            print(minibatch.metadata, {name: array.shape for name, array in minibatch.items()})
