"""The loader of examples/gnn against the pipe of the same gnn-sample; see loader.sh.

    loader.py CASE
"""
import contextlib
import glob
import importlib.util
import os
import pickle
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

import numpy as np
from frugal_loader import Loader, LoaderError
from minibatches import minibatches

SPARSE = importlib.util.find_spec("scipy") is not None  # matrices of SciPy
PLAIN = dict(fanouts=[5, 3], batch_size=200, seed=3)


def from_pipe(graph, *words):
    with subprocess.Popen(["gnn-sample", "sample", graph, "-q", "-o", "-", *words], stdout=subprocess.PIPE) as process:
        for metadata, arrays in minibatches(process.stdout):
            yield metadata, {name: dense(array).copy() for name, array in arrays.items()}


def dense(array):
    return array.toarray() if hasattr(array, "toarray") else array


def same(expected, batch):
    metadata, arrays = expected
    assert {**metadata, "frugal.seq": 0, "frugal.history": 0} == {**batch.metadata, "frugal.seq": 0, "frugal.history": 0}
    assert set(arrays) == set(batch), (set(arrays), set(batch))
    for name, array in arrays.items():
        assert dense(batch[name]).dtype == array.dtype and np.array_equal(dense(batch[name]), array), name


def tools():
    """Running gnn-samples that this process or one of its children started."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
            with open(path.replace("cmdline", "stat"), encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if b"--shared" in words and os.fsencode(os.path.abspath("g.safetensors")) in words and state != "Z":
            found.append(int(path.split("/")[2]))
    return found


def wait_for_none(seconds):
    end = time.monotonic() + seconds
    while tools():
        assert time.monotonic() < end, "gnn-sample still runs"
        time.sleep(0.02)


def graph():
    return os.path.abspath("g.safetensors")  # a folder of its own: tools() finds only these


def raises(text, act, error=LoaderError):
    try:
        act()
    except error as found:
        assert text in str(found), found
        return found
    raise AssertionError(f"no error: {text}")


def equal():
    """The mini-batches of the pipe, for each kind of seeds and graph, in epochs, parts and with slots that grow."""
    kinds = [
        ("g.safetensors", PLAIN, "--fanouts 5,3 --batch-size 200 --seed 3"),
        ("g.safetensors", dict(seeds="valid", shuffle=False, layout="coo", batch_size=1),
         "--seeds valid --no-shuffle --layout coo --batch-size 1"),
        ("g.safetensors", dict(PLAIN, slots=2, threads=2), "--fanouts 5,3 --batch-size 200 --seed 3"),
        ("s.safetensors", dict(seeds="all", fanouts=[3], batch_size=90), "--seeds all --fanouts 3 --batch-size 90"),
        ("g.safetensors", dict(seeds="edges", negatives=1, exclude_seed_edges=True, fanouts=[4], batch_size=700),
         "--seeds edges --negatives 1 --exclude-seed-edges --fanouts 4 --batch-size 700"),
        ("types.safetensors", dict(seed_type="b", seeds="all", fanouts={None: [5, 3], ("b", "s", "a"): [2, 2]}, batch_size=70),
         "--seed-type b --seeds all --fanouts 5,3 --fanouts b:s:a=2,2 --batch-size 70"),
        ("g.safetensors", dict(walks=4, walks_per_node=2), "--walks 4 --walks-per-node 2"),
        ("s.safetensors", dict(seeds="all", dense_features=True), "--seeds all --dense-features"),
        ("g.safetensors", dict(seeds=[5, 3, 9], fanouts=[2]), "--seeds nodes --fanouts 2"),
        ("g.safetensors", dict(edges=np.array([[5, 3], [9, 1]]), fanouts=[2]), "--edges pairs --fanouts 2"),
    ]
    with open("nodes", "w", encoding="utf-8") as file:
        print(5, 3, 9, sep="\n", file=file)
    with open("pairs", "w", encoding="utf-8") as file:
        print("5,3\n9,1", file=file)
    for path, options, words in kinds:
        if path == "s.safetensors" and not SPARSE and "dense_features" not in options:
            continue
        expected = list(from_pipe(path, *words.split(), "--epochs", "3"))
        with Loader(path, **options, float32=False) as loader:
            length, seen = len(loader), 0
            assert length * 3 == len(expected), (length, len(expected))
            for epoch in range(3):
                for batch in loader:
                    assert batch.metadata["batch.epoch"] == str(epoch)
                    same(expected[seen], batch)
                    seen += 1
                assert seen == length * (epoch + 1)
    # Parts together are the whole; an epoch that is left, or chosen, begins anew.
    expected = list(from_pipe("g.safetensors", *"--fanouts 5,3 --batch-size 60 --seed 3 --epochs 3".split()))
    per_epoch, small = len(expected) // 3, dict(PLAIN, batch_size=60)
    parts = [Loader("g.safetensors", **small, shard=(i, 3), uneven_shards="keep", float32=False) for i in range(3)]
    for epoch in range(3):
        found = {int(batch.metadata["batch.number"]): same(expected[int(batch.metadata["batch.number"])], batch)
                 for part in parts for batch in part}
        assert sorted(found) == list(range(epoch * per_epoch, (epoch + 1) * per_epoch)), sorted(found)
    with Loader("g.safetensors", **small, float32=False) as loader:
        for batch in loader:
            break
        same(expected[per_epoch], next(iter(loader)))
        loader.set_epoch(1)
        for number, batch in enumerate(loader):
            same(expected[per_epoch + number], batch)
        copies = pickle.loads(pickle.dumps(loader))
        copies.copy = True
        for number, batch in enumerate(list(copies)):
            same(expected[2 * per_epoch + number], batch)
    ranks = [Loader("g.safetensors", **dict(small, seeds=list(range(130))), shard=(i, 2)) for i in range(2)]
    for _ in range(2):  # three mini-batches, of which one is there twice
        assert [len(loader) for loader in ranks] == [len(list(loader)) for loader in ranks] == [2, 2]
    for seeds in (iter([5, 3, 9]), np.array([5, 3, 9])):  # twice each: the program starts anew
        with Loader("g.safetensors", seeds=seeds, shuffle=np.bool_(False), fanouts=[2]) as loader:
            for _ in range(2):
                assert next(iter(loader))["nodes"][:3].tolist() == [5, 3, 9]
    bits = next(iter(Loader("h.safetensors", **PLAIN, float32=False, copy=True)))["features"]
    with Loader("h.safetensors", **PLAIN) as loader:
        features = next(iter(loader))["features"]
    assert bits.dtype == "f2" and features.dtype == "f4" and np.array_equal(features, bits) and features.any()
    with Loader("g.safetensors", **small, held=3, slots=5) as loader:
        kept = []
        for number, batch in enumerate(loader):
            kept = [*kept[-2:], batch["nodes"]]
            for back, nodes in enumerate(reversed(kept)):
                assert np.array_equal(nodes, expected[number - back][1]["nodes"])


def errors():
    assert raises("nowhere: cannot open", lambda: list(Loader("nowhere"))).status == 66
    assert raises("--fanouts", lambda: len(Loader(graph(), fanouts="x"))).status == 2
    raises("unknown option '--no-such'", lambda: len(Loader(graph(), no_such=1)))
    raises("put it in PATH", lambda: len(Loader(graph(), program="no-such-program")))
    for held in (0, -1, 1.0, True, "2"):
        raises("expected a whole number from 1 on", lambda held=held: Loader(graph(), held=held), ValueError)
    for shard in ((0, 0), (2, 2), (-1, 2)):
        raises("expected (rank, ranks)", lambda shard=shard: Loader(graph(), shard=shard), ValueError)
    raises("leave the loop", lambda: Loader(graph(), batches=3), ValueError)
    raises("held is 9", lambda: len(Loader(graph(), held=9, slots=4)), ValueError)
    raises("walks do not go with 'pyg'", lambda: Loader(graph(), "pyg", walks=3), ValueError)
    raises("form is 'x'", lambda: Loader(graph(), "x"), ValueError)
    raises("the loader sets it", lambda: Loader(graph(), epochs=3), ValueError)
    loader = Loader(graph(), **PLAIN)
    first = iter(loader)
    next(first)
    list(loader)
    raises("another iteration", lambda: next(first))
    loader.close()
    with socket.socket(socket.AF_UNIX) as listener:  # a path in place of a descriptor
        listener.bind("here")
        listener.listen()
        with subprocess.Popen(["gnn-sample", "sample", graph(), "--shared", "here"]) as process:
            reader, _ = listener.accept()
            assert struct.unpack("<4Q", reader.recv(32, socket.MSG_WAITALL))[::3] == (1, 1)
            reader.close()
            assert process.wait(2) == -signal.SIGPIPE
    with socket.socket() as other:
        words = ["gnn-sample", "sample", graph(), "--shared", str(other.fileno())]
        refused = subprocess.run(words, pass_fds=[other.fileno()], stderr=subprocess.PIPE, check=False)
        assert refused.returncode == 2 and b"no connected Unix-domain socket" in refused.stderr, refused
    limits()
    wait_for_none(1)


def limits():
    """Too few descriptors, for slots that arrive and for slots that are mapped; too little room for a mini-batch."""
    @contextlib.contextmanager
    def limited(limit, value):
        before = resource.getrlimit(limit)
        resource.setrlimit(limit, (value, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(limit, before)
    with socket.socket() as probe:
        free = probe.fileno()
    found = set()
    for more in range(60):
        with limited(resource.RLIMIT_NOFILE, free + more), Loader(graph(), **PLAIN, slots=40) as loader:
            try:
                for _ in range(50):
                    list(loader)
                break
            except LoaderError as error:
                assert "ulimit -n" in str(error), error
                found.add(str(error).partition(":")[0])
    assert {text.split()[0] for text in found} == {"gnn-sample", "too"}, found
    with limited(resource.RLIMIT_FSIZE, 70000):
        error = raises("more wanted", lambda: list(Loader(graph(), **PLAIN)))
    assert error.status == 69 and "of memory left" in str(error), error


def ends():
    """The program's status, for readers that close at the end, and in the middle."""
    def status(*words, take):
        reader, theirs = socket.socketpair()
        with subprocess.Popen(["gnn-sample", "sample", graph(), "--fanouts", "3", "--shared", str(theirs.fileno()), "-q", *words],
                              pass_fds=[theirs.fileno()]) as process:
            theirs.close()
            slot = 0
            while slot != 2**64 - 1 and take:
                slot, take = struct.unpack("<4Q", reader.recv(32, socket.MSG_WAITALL))[0], take - 1
                with contextlib.suppress(BrokenPipeError):  # it has sent the end
                    reader.send(b"\0")
            reader.close()
            return process.wait()
    assert {status("--batch-size", "60", take=100) for _ in range(50)} == {0}
    assert {status("--batch-size", "6", "--epochs", "100", take=take) for take in range(60)} == {-signal.SIGPIPE}


def leaving():
    """Loaders that are in use when Python ends say nothing."""
    code = ("import sys, threading\nfrom frugal_loader import Loader\n"
            "loader, other = (Loader(sys.argv[1], seeds=s, batch_size=20) for s in ('train', 'valid'))\n"
            "batches, threading.current_thread().kept = iter(loader), iter(other)\n"
            "next(batches), next(threading.current_thread().kept)\n")
    for _ in range(3):
        said = subprocess.run([sys.executable, "-c", code, graph()], stderr=subprocess.PIPE, check=True, timeout=60)
        assert not said.stderr, said.stderr
    wait_for_none(1)


def killed():
    """kill -9 of either side, and of a process with forked children."""
    before = set(os.listdir("/dev/shm"))
    loader = Loader(graph(), **PLAIN)
    batches = iter(loader)
    nodes = next(batches)["nodes"]
    copy = nodes.copy()
    os.kill(tools()[0], signal.SIGKILL)
    assert np.array_equal(nodes, copy)  # the memory stays
    assert raises("killed by SIGKILL", lambda: [list(batches), *(list(loader) for _ in range(9))]).status == -9
    with loader:
        assert len(list(loader)) == len(loader)
    code = ("import os, sys, time\nfrom frugal_loader import Loader\n"
            "loaders = [Loader(sys.argv[1], fanouts=[5, 3], batch_size=20, seeds=s) for s in ('train', 'valid')]\n"
            "for loader in loaders: next(iter(loader))\n"
            "if os.fork() == 0: time.sleep(3); os._exit(0)\n"
            "print(flush=True); time.sleep(20)\n")
    with subprocess.Popen([sys.executable, "-c", code, graph()], stdout=subprocess.PIPE) as consumer:
        consumer.stdout.read(1)
        assert len(tools()) == 2, tools()
        consumer.kill()
        wait_for_none(1)
    assert set(os.listdir("/dev/shm")) <= before
    loader = Loader(graph(), **PLAIN)
    next(iter(loader))
    del loader
    wait_for_none(1)


def growth():
    """100 epochs: neither side has more memory or descriptors at the end than after ten."""
    def used(process):
        with open(f"/proc/{process}/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * 4, len(os.listdir(f"/proc/{process}/fd")), len(os.listdir(f"/proc/{process}/task"))
    with Loader(graph(), **PLAIN) as train, Loader(graph(), seeds="valid", fanouts=[5, 3], shuffle=False) as valid:
        for epoch in range(100):
            assert sum(len(batch["labels"]) for batch in train) == sum(len(batch["labels"]) for batch in train) > 0
            assert sum(1 for _ in valid) == len(valid)
            if epoch == 9:
                processes = ["self", *tools()]
                before = [used(process) for process in processes]
        assert processes == ["self", *tools()]
        for process, (memory, files, threads) in zip(processes, before):
            now = used(process)
            assert now[0] <= memory + 2048 and now[1:] == (files, threads), (process, memory, files, threads, now)
            print(f"{process}: {memory} kB, {files} descriptors after 10 epochs, {now[0]} kB, {now[1]} after 100")


def distributed():
    """Two ranks of DistributedDataParallel have the same model after two epochs."""
    code = ("import sys, torch, torch.distributed as d\nfrom frugal_loader import Loader\nrank = int(sys.argv[2])\n"
            "d.init_process_group('gloo', init_method='file://' + sys.argv[1] + '.ranks', rank=rank, world_size=2)\n"
            "model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 8))\n"
            "optimizer, steps = torch.optim.SGD(model.parameters(), 0.1), 0\n"
            "loader = Loader(sys.argv[1], 'torch', fanouts=[3], batch_size=70, shard=(rank, 2))\n"
            "for epoch in range(2):\n"
            "    for batch in loader:\n"
            "        labels = batch['labels'].long()\n"
            "        torch.nn.functional.cross_entropy(model(batch['features'][:len(labels)]), labels).backward()\n"
            "        optimizer.step(); optimizer.zero_grad(); steps += 1\n"
            "print(steps, model.module.weight.double().sum().item())\nd.destroy_process_group()\n")
    ranks = [subprocess.Popen([sys.executable, "-c", code, graph(), str(rank)], stdout=subprocess.PIPE) for rank in range(2)]
    said = [rank.communicate(timeout=120)[0] for rank in ranks]
    assert said[0] == said[1] and int(said[0].split()[0]) > 4, said


def frameworks():
    """PyTorch: tensors, DataLoader with workers; Data and HeteroData of PyTorch Geometric where it is there."""
    import torch
    from torch.utils.data import DataLoader
    plain = {int(m["batch.number"]): a for m, a in from_pipe("g.safetensors", *"--fanouts 5,3 --batch-size 60 --seed 3 --epochs 2".split())}
    small = dict(PLAIN, batch_size=60)
    with Loader(graph(), "torch", **small) as loader:
        for batch in loader:
            arrays = plain[int(batch.metadata["batch.number"])]
            assert batch["features"].dtype == torch.float32 and np.array_equal(batch["nodes"].numpy(), arrays["nodes"])
            assert np.array_equal(batch["features"].numpy(), (arrays["features"].astype(np.uint32) << 16).view(np.float32))
    from frugal_loader import Batch
    for form in ("numpy", "torch"):
        for workers in (0, 1):
            batch = next(iter(DataLoader(Loader(graph(), form, **small), batch_size=None, num_workers=workers)))
            assert batch.metadata["batch.number"] == "0" and torch.is_tensor(batch["features"])
    assert Batch({name: batch[name] for name in batch}).metadata == batch.metadata  # what PyTorch 2.2 does
    for context in ("fork", "spawn"):  # which takes long
        loader = DataLoader(Loader(graph(), "torch", **small), batch_size=None, num_workers=2, multiprocessing_context=context)
        for _ in range(2 if context == "fork" else 1):
            loader.dataset.set_epoch(1)
            seeds = [batch["nodes"][:len(batch["labels"])] for batch in loader]
            expected = [plain[number]["nodes"][:len(plain[number]["labels"])] for number in range(len(plain) // 2, len(plain))]
            assert sorted(map(tuple, map(torch.Tensor.tolist, seeds))) == sorted(map(tuple, map(np.ndarray.tolist, expected)))
            assert len(loader) == len(seeds)
        if context == "spawn":
            break
        loader.dataset.close()
        loader.dataset.epoch_set = False
        orders = [torch.cat([batch["nodes"][:len(batch["labels"])] for batch in loader]).tolist() for _ in range(2)]
        assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1]
    loader.dataset.close()
    del loader
    wait_for_none(2)
    if SPARSE:
        with Loader("s.safetensors", "torch", seeds="all", fanouts=[3]) as loader:
            assert all(batch["features"].layout == torch.sparse_csr for batch in loader)
    distributed()
    try:
        import torch_geometric
    except ImportError:
        return
    with Loader(graph(), "pyg", **PLAIN) as loader:
        for data in loader:
            data.validate()
            assert data.x.shape[0] == len(data.n_id) == data.num_nodes and len(data.y) == data.batch_size
            assert sum(data.num_sampled_edges) == data.edge_index.shape[1] and data.edge_index.max() < data.num_nodes
    with Loader(graph(), "pyg", seeds="edges", negatives=1, fanouts=[3]) as loader:
        data = next(iter(loader))
        assert data.edge_label_index.shape == (2, len(data.edge_label)) and data.edge_label.mean() == 0.5
    with Loader("types.safetensors", "pyg", seed_type="b", seeds="all", fanouts=[5, 3], batch_size=70) as loader:
        for data in loader:
            data.validate()
            assert data["b"].batch_size <= 70 and data["a", "r", "b"].edge_index.shape[1] == sum(data["a", "r", "b"].num_sampled_edges)
    print(torch_geometric.__version__)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
