#!/usr/bin/env python3
"""The loader of examples/gnn: its rate beside mini-batches that go nowhere, and one PyG training fed by several loaders.

    loader.py rates GRAPH [--threads 1,2] [--batches 200] [...]
    loader.py train GRAPH --ways neighbor,frugal[,graphbolt,frugal-blocks] [--python PATH] [--epochs 3] [...]

rates: in turn `gnn-sample sample -o /dev/null` and a loop over frugal_loader.Loader, which adds up the node ids. Both
count from the moment when the graph is there. Medians of wall seconds and of CPU seconds of both processes.
train: one training loop, one optimiser, one model of PyG's SAGEConv, run in turn with each loader, in a process each:
  neighbor, frugal         mini-batches of PyG: NeighborLoader (pyg-lib or torch-sparse, what --python has) and the loader,
                           layers trimmed to what still counts, if the sampler tells (pyg-lib and ours) and unless --no-trim
  graphbolt, frugal-blocks a block a layer, of all nodes known so far: GraphBolt's DataLoader and the loader
                           (--sparse-tensor: SAGEConv gets each as a SparseTensor, which it multiplies, in place of edges)
The second of a pair is compared with the first. --workers: worker processes of NeighborLoader and GraphBolt. Seconds of an
epoch without the first, CPU seconds with all processes, and accuracy on --evaluate test nodes. --hidden 0: no model. Needs NumPy; sampling.py
says how to install the rivals.
"""
import argparse
import glob
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings

import graph_data
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../examples/gnn"))
PAIRS = {"frugal": "neighbor", "frugal-blocks": "graphbolt"}


def cpu_seconds():
    """Seconds of this process and of its children, running and ended."""
    total = sum(usage.ru_utime + usage.ru_stime for usage in
                map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def options(args):
    return {"fanouts": [int(n) for n in args.fanouts.split(",")], "batch_size": args.batch_size}


def nowhere(args, threads):
    before = cpu_seconds()
    out = subprocess.run(["gnn-sample", "sample", args.graph, "--fanouts", args.fanouts, "--batch-size", str(args.batch_size),
                          "--batches", str(args.batches), "--epochs", "100000", "--threads", str(threads), "-o", os.devnull,
                          "--level", "none", "--json", "-q"], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)["seconds"], cpu_seconds() - before


def consume(args, threads):
    from frugal_loader import Loader
    before = cpu_seconds()
    with Loader(args.graph, **options(args), threads=threads, float32=False) as loader:
        loader.options["batches"] = args.batches  # for the program, so that it does not sample ahead of the end
        len(loader)
        began, count, total = time.perf_counter(), 0, 0
        for batch in itertools.islice(itertools.chain.from_iterable(itertools.repeat(loader)), args.batches):
            total += int(batch["nodes"].sum())
            count += 1
        seconds = time.perf_counter() - began
        assert count == args.batches
        return seconds, cpu_seconds() - before


def rates(args):
    for threads in map(int, args.threads.split(",")):
        found = [[], []]
        for _ in range(args.runs):
            for way, results in zip((nowhere, consume), found):
                results.append(way(args, threads))
        (wall, cpu), (wall_loader, cpu_loader) = ([statistics.median(column) for column in zip(*results)] for results in found)
        print(f"{threads} threads, {args.batches} mini-batches: into nowhere {wall:.2f} s ({cpu:.2f} CPU s), loader {wall_loader:.2f} s "
              f"({cpu_loader:.2f} CPU s): {100 * wall / wall_loader:.1f} % of the rate, {100 * cpu / cpu_loader:.1f} % a CPU second",
              f"; all runs {found}", flush=True)


class Neighbor:
    """NeighborLoader."""
    def __init__(self, torch, args, data):
        from torch_geometric.data import Data
        self.args, self.torch = args, torch
        self.offsets, self.neighbors = data["offsets"], data["neighbors"]
        self.graph = Data(x=data["features"], y=data["labels"], edge_index=torch.empty(2, 0, dtype=torch.int64))

    def loader(self, nodes, part, shuffle):
        from sampling_rivals import give_rows
        from torch_geometric.loader import NeighborLoader
        return give_rows(NeighborLoader(self.graph, options(self.args)["fanouts"], input_nodes=nodes, batch_size=self.args.batch_size,
                                        shuffle=shuffle, num_workers=self.args.workers, persistent_workers=self.args.workers > 0),
                         self.offsets, self.neighbors)

    def forward(self, model, batch):
        x, edges, size = batch.x, batch.edge_index, batch.batch_size
        known, hops = getattr(batch, "num_sampled_nodes", None), getattr(batch, "num_sampled_edges", None)
        from torch_geometric.utils import trim_to_layer
        for i, layer in enumerate(model):
            if known is not None and not self.args.no_trim:  # torch-sparse does not tell
                x, edges, _ = trim_to_layer(i, known, hops, x, edges)
            x = layer(x, edges)
            if i + 1 < len(model):
                x = self.torch.nn.functional.dropout(x.relu(), 0.5, model.training)
        return x[:size], batch.y[:size]


class Frugal(Neighbor):
    def __init__(self, torch, args, data):
        self.args, self.torch = args, torch

    def loader(self, nodes, part, shuffle):
        from frugal_loader import Loader
        return Loader(self.args.graph, "pyg", **options(self.args), seeds=part if shuffle else nodes.tolist(), shuffle=shuffle,
                      seed=self.args.seed, threads=self.args.loader_threads)


class GraphBolt:
    """GraphBolt's pipeline of data."""
    def __init__(self, torch, args, data):
        import dgl.graphbolt
        self.bolt, self.args, self.torch, self.labels = dgl.graphbolt, args, torch, data["labels"]
        self.graph = dgl.graphbolt.fused_csc_sampling_graph(data["offsets"], data["neighbors"].int())
        self.features = dgl.graphbolt.BasicFeatureStore({("node", None, "feat"): dgl.graphbolt.TorchBasedFeature(data["features"])})

    def loader(self, nodes, part, shuffle):
        items = self.bolt.ItemSet((nodes.int(), self.labels[nodes]), names=("seed_nodes", "labels"))
        pipe = self.bolt.ItemSampler(items, batch_size=self.args.batch_size, shuffle=shuffle)
        pipe = pipe.sample_neighbor(self.graph, options(self.args)["fanouts"][::-1])
        return self.bolt.DataLoader(pipe.fetch_feature(self.features, node_feature_keys=["feat"]), num_workers=self.args.workers)

    def rows(self, batch):
        """Offsets, neighbours and the number of nodes that a block knows, outermost first."""
        sizes = [len(subgraph.original_row_node_ids) for subgraph in batch.sampled_subgraphs]
        for subgraph, size in zip(batch.sampled_subgraphs, sizes):
            yield subgraph.sampled_csc.indptr.long(), subgraph.sampled_csc.indices.long(), size

    def blocks(self, batch):
        for offsets, neighbors, size in self.rows(batch):
            targets = len(offsets) - 1
            if self.args.sparse_tensor:
                from torch_sparse import SparseTensor
                yield SparseTensor(rowptr=offsets, col=neighbors, sparse_sizes=(targets, size), is_sorted=True, trust_data=True), targets
            else:
                yield self.torch.stack((neighbors, self.torch.repeat_interleave(self.torch.arange(targets), offsets.diff()))), targets

    def inputs(self, batch):
        return batch.node_features["feat"], batch.labels

    def forward(self, model, batch):
        x, labels = self.inputs(batch)
        for i, (layer, (edges, targets)) in enumerate(zip(model, self.blocks(batch))):
            x = layer((x, x[:targets]), edges)
            if i + 1 < len(model):
                x = self.torch.nn.functional.dropout(x.relu(), 0.5, model.training)
        return x, labels


class FrugalBlocks(GraphBolt):
    def __init__(self, torch, args, data):
        self.args, self.torch = args, torch

    def loader(self, nodes, part, shuffle):
        from frugal_loader import Loader
        return Loader(self.args.graph, "torch", **options(self.args), seeds=part if shuffle else nodes.tolist(), shuffle=shuffle,
                      seed=self.args.seed, layout="csr" if self.args.sparse_tensor else "coo", wide_ids=True, dense_features=True, threads=self.args.loader_threads)

    def rows(self, batch):
        known = [int(n) for n in batch.metadata["batch.nodes"].split(",")]
        return ((batch[f"hop.{hop}.offsets"], batch[f"hop.{hop}.neighbors"], known[hop + 1]) for hop in reversed(range(len(known) - 1)))

    def blocks(self, batch):
        if self.args.sparse_tensor:
            return super().blocks(batch)
        known = [int(n) for n in batch.metadata["batch.nodes"].split(",")]
        return ((batch[f"hop.{hop}.edge_index"], known[hop]) for hop in reversed(range(len(known) - 1)))

    def inputs(self, batch):
        return batch["features"], batch["labels"].long()


WAYS = {"neighbor": Neighbor, "frugal": Frugal, "graphbolt": GraphBolt, "frugal-blocks": FrugalBlocks}


def train_one(args):
    warnings.filterwarnings("ignore")
    os.environ["DGLBACKEND"] = "pytorch"
    import torch
    from torch_geometric.nn import SAGEConv
    torch.set_num_threads(args.torch_threads)
    torch.manual_seed(args.seed)
    tensors, metadata = graph_data.read_graph(args.graph)
    split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, 0]
    nodes = [torch.from_numpy(np.flatnonzero(split == part)) for part in (graph_data.TRAIN, graph_data.TEST)]
    dim, classes = tensors["features"].shape[1], int(metadata.get("graph.classes", 0)) or int(tensors["labels"].max()) + 1
    data = None
    if not args.way.startswith("frugal"):
        data = {"offsets": torch.from_numpy(tensors["offsets"].astype(np.int64)),
                "neighbors": torch.from_numpy(tensors["neighbors"].astype(np.int64)),
                "features": torch.from_numpy(np.array(tensors["features"], np.float32)),
                "labels": torch.from_numpy(tensors["labels"].astype(np.int64))}
    del tensors
    way = WAYS[args.way](torch, args, data)
    sizes = [dim] + [args.hidden or 1] * (args.fanouts.count(",")) + [classes]
    model = torch.nn.ModuleList(map(SAGEConv, sizes, sizes[1:]))
    optimizer = torch.optim.Adam(model.parameters(), args.learning_rate)
    loader, walls, cpus, waits = way.loader(nodes[0], "train", True), [], [], []
    for _ in range(args.epochs + 1):
        began, cpu, waited = time.perf_counter(), cpu_seconds(), 0
        asked = began
        for number, batch in enumerate(loader):
            waited += time.perf_counter() - asked
            if args.hidden:
                optimizer.zero_grad()
                outputs, labels = way.forward(model, batch)
                torch.nn.functional.cross_entropy(outputs, labels).backward()
                optimizer.step()
            if args.batches and number + 1 == args.batches:
                break
            asked = time.perf_counter()
        walls.append((time.perf_counter() - began) / (number + 1))
        cpus.append((cpu_seconds() - cpu) / (number + 1))
        waits.append(waited / (time.perf_counter() - began))
    model.eval()
    right = total = 0
    with torch.no_grad():
        for batch in way.loader(nodes[1][:args.evaluate], "test", False) if args.evaluate and args.hidden else ():
            outputs, labels = way.forward(model, batch)
            right, total = right + (outputs.argmax(1) == labels).sum().item(), total + len(labels)
    print(json.dumps({"wall": statistics.median(walls[1:]), "cpu": statistics.median(cpus[1:]), "waiting": statistics.median(waits[1:]),
                      "accuracy": right / max(1, total), "torch": torch.__version__}))


def train(args):
    if args.way:
        return train_one(args)
    ways, found = args.ways.split(","), {}
    for run in range(args.runs):
        for way in ways:
            out = subprocess.run([args.python, *sys.argv, "--way", way, "--seed", str(run + 1)], check=True, stdout=subprocess.PIPE)
            found.setdefault(way, []).append(json.loads(out.stdout.splitlines()[-1]))
            print(way, found[way][-1], flush=True)
    medians = {way: {key: statistics.median(run[key] for run in runs) for key in ("wall", "cpu", "waiting", "accuracy")}
               for way, runs in found.items()}
    for way, m in medians.items():
        text = f"{way}: {1e3 * m['wall']:.1f} ms a step, {1e3 * m['cpu']:.1f} CPU ms, {100 * m['waiting']:.0f} % waiting, accuracy {m['accuracy']:.4f}"
        if other := medians.get(PAIRS.get(way)):
            text += f"; {other['wall'] / m['wall']:.2f} x as fast as {PAIRS[way]}, {other['cpu'] / m['cpu']:.2f} x a CPU second"
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("rates", "train"))
    parser.add_argument("graph")
    for name, default in {"--threads": "1,2", "--fanouts": "15,10,5", "--ways": "neighbor,frugal", "--python": sys.executable, "--way": ""}.items():
        parser.add_argument(name, default=default)
    for name, default in {"--batches": 0, "--batch-size": 1024, "--runs": 3, "--epochs": 3, "--hidden": 64, "--workers": 0, "--seed": 1,
                          "--torch-threads": len(os.sched_getaffinity(0)), "--evaluate": 10000, "--loader-threads": 0}.items():
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    for name in ("--sparse-tensor", "--no-trim"):
        parser.add_argument(name, action="store_true")
    args = parser.parse_args()
    args.loader_threads = args.loader_threads or None
    if args.what == "rates":
        args.batches = args.batches or 200
        rates(args)
    else:
        train(args)


if __name__ == "__main__":
    main()
