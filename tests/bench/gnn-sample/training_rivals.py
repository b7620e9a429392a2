#!/usr/bin/env python3
"""GraphSAGE on sampled batches by one of the rivals, on a graph file with features; prints one JSON object.

    training_rivals.py GRAPH --way pyg|pyg-given|pyg-blocks|graphbolt [--epochs 1] [--batches 0] [--workers 0] [--threads N]
                       [--fanouts 15,10,5] [--eval-fanouts 20,20,20] [--batch-size 1024] [--hidden 256]
                       [--dropout 0.5] [--learning-rate 0.003] [--split 0] [--evaluate 20000] [--seed 1]
                       [--device cpu] [--stream BATCHES [--test-stream BATCHES]] [--ddp]

Needs the rival in this interpreter. Ways:
  pyg         PyTorch Geometric's NeighborLoader (pyg-lib or torch-sparse) and its GraphSAGE, whose layers are
              trimmed to the nodes that still count where the sampler tells them
  pyg-given   the same layers on the mini-batches of --stream, by gnn-sample sample --semantics frontier --layout coo
              --no-features --level none: read and moved to the device before the clock starts, as are the features. An
              epoch is a pass over the file, without sampling or copies; accuracy is that of --test-stream
  pyg-blocks  its older NeighborSampler (torch-sparse, the one that SALIENT sets out from): a block for each
              layer as a SparseTensor, and SAGEConv from sources to targets
  graphbolt   DGL's GraphBolt DataLoader and DGL's SAGEConv, which starts with weights drawn as PyTorch Geometric's
All: --workers processes for batches (0: between steps), mean aggregation, ReLU and dropout between layers,
Adam, features F32 in memory. --device cuda: the model of pyg and pyg-given is there, and batches are copied there. The
first batches of the run are not timed, a quarter of an epoch at most.
--ddp: graphbolt as ranks that mpirun started, with DistributedDataParallel (gloo); its loader deals the batches to ranks,
as many to each, and each has all features. --batches: time so many of each epoch; the epoch's seconds are then scaled up to all batches (`extrapolated`). `waiting` is the share of the time in which the next batch was not there, and with it
the making of batches where there are no workers. Accuracy on at most --evaluate nodes of the split's test part,
with sampled neighbours.
"""
import argparse
import json
import os
import statistics
import sys
import time
import warnings

import graph_data
import numpy as np
from sampling_rivals import cpu_seconds, fanouts_of, give_rows


class Input:
    """A graph file as tensors: offsets, neighbours, features, labels, and nodes of each part of the split."""
    def __init__(self, torch, args):
        tensors, metadata = graph_data.read_graph(args.graph)
        split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, args.split]
        self.offsets = torch.from_numpy(tensors["offsets"].astype(np.int64))
        ids = "i4" if args.way == "graphbolt" else "i8"
        self.neighbors = torch.from_numpy(tensors["neighbors"].astype(ids))
        self.features = torch.from_numpy(np.array(tensors["features"], np.float32))
        self.labels = torch.from_numpy(tensors["labels"].astype(np.int64))
        self.classes = int(metadata.get("graph.classes", 0)) or int(self.labels.max()) + 1
        rng = np.random.default_rng(args.seed)
        self.train, self.test = (torch.from_numpy(rng.permutation(np.flatnonzero(split == part)))
                                 for part in (graph_data.TRAIN, graph_data.TEST))
        self.test = self.test[:args.evaluate]


class PyG:
    """NeighborLoader and PyTorch Geometric's layers."""
    def __init__(self, torch, data, args):
        from torch_geometric.data import Data
        from torch_geometric.nn import GraphSAGE
        self.torch, self.data, self.args = torch, data, args
        self.graph = Data(x=data.features, y=data.labels, edge_index=torch.empty(2, 0, dtype=torch.int64))
        self.model = GraphSAGE(data.features.shape[1], args.hidden, len(fanouts_of(args.fanouts)), data.classes,
                               dropout=args.dropout).to(args.device)

    def loader(self, seeds, fanouts, shuffle):
        from torch_geometric.loader import NeighborLoader
        workers = self.args.workers
        loader = NeighborLoader(self.graph, fanouts, input_nodes=seeds, batch_size=self.args.batch_size,
                                shuffle=shuffle, num_workers=workers, persistent_workers=workers > 0,
                                pin_memory=self.args.device != "cpu")
        return give_rows(loader, self.data.offsets, self.data.neighbors)

    def forward(self, batch):
        trim = {}
        if getattr(batch, "num_sampled_nodes", None) is not None:
            trim = {"num_sampled_nodes_per_hop": batch.num_sampled_nodes,
                    "num_sampled_edges_per_hop": batch.num_sampled_edges}
        size, batch = batch.batch_size, batch.to(self.args.device, non_blocking=True)
        return self.model(batch.x, batch.edge_index, **trim)[:size], batch.y[:size]


class PyGGiven(PyG):
    """The same layers on mini-batches of a file."""
    def __init__(self, torch, data, args):
        super().__init__(torch, data, args)
        self.features = data.features.to(args.device)
        self.streams = {True: self.read(args.stream), False: self.read(args.test_stream)}

    def read(self, path):
        """(nodes, edges, numbers of nodes and of edges that each hop adds, labels of the seeds) of each mini-batch."""
        if not path:
            return []
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/gnn"))
        import minibatches
        batches = []
        with open(path, "rb") as stream:
            for metadata, arrays in minibatches.minibatches(stream):
                nodes, edges, labels = (self.torch.from_numpy(arrays[name].astype(np.int64)).to(self.args.device) for name in (
                    "nodes", f"hop.{len(fanouts_of(self.args.fanouts)) - 1}.edge_index", "labels"))
                known = [int(n) for n in metadata["batch.nodes"].split(",")]  # before the first hop, after it, ...
                # Edges are sorted by target, so those of a hop are those into the nodes that the hop before it found.
                bounds = self.torch.searchsorted(edges[1].contiguous(), self.torch.tensor(known[:-1], device=edges.device)).tolist()
                batches.append((nodes, edges, np.diff(known, prepend=0).tolist(), np.diff(bounds, prepend=0).tolist(), labels))
        return batches

    def loader(self, seeds, fanouts, shuffle):
        return self.streams[shuffle]

    def forward(self, batch):
        nodes, edges, nodes_of_hops, edges_of_hops, labels = batch
        outputs = self.model(self.features[nodes], edges, num_sampled_nodes_per_hop=nodes_of_hops,
                             num_sampled_edges_per_hop=edges_of_hops)
        return outputs[:len(labels)], labels


class PyGBlocks:
    """The older NeighborSampler and a layer for each block."""
    def __init__(self, torch, data, args):
        from torch_geometric.nn import SAGEConv
        from torch_sparse import SparseTensor
        self.torch, self.data, self.args = torch, data, args
        nodes = len(data.offsets) - 1
        self.rows = SparseTensor(rowptr=data.offsets, col=data.neighbors, sparse_sizes=(nodes, nodes),
                                 is_sorted=True, trust_data=True)
        self.model = torch.nn.ModuleList(SAGEConv(a, b) for a, b in layer_sizes(data, args))

    def loader(self, seeds, fanouts, shuffle):
        from torch_geometric.loader import NeighborSampler
        workers = self.args.workers
        return NeighborSampler(self.rows, fanouts, seeds, return_e_id=False, batch_size=self.args.batch_size,
                               shuffle=shuffle, num_workers=workers, persistent_workers=workers > 0)

    def forward(self, batch):
        size, nodes, blocks = batch
        hidden = self.data.features[nodes]
        for i, (layer, block) in enumerate(zip(self.model, blocks)):
            hidden = layer((hidden, hidden[:block.size[1]]), block.adj_t)
            if i + 1 < len(blocks):
                hidden = self.torch.nn.functional.dropout(hidden.relu(), self.args.dropout, self.model.training)
        return hidden, self.data.labels[nodes[:size]]


class GraphBolt:
    """GraphBolt's pipeline of data and DGL's layers."""
    def __init__(self, torch, data, args):
        import dgl.graphbolt
        from dgl.nn import SAGEConv
        self.bolt, self.data, self.args, self.torch = dgl.graphbolt, data, args, torch
        self.graph = dgl.graphbolt.fused_csc_sampling_graph(data.offsets, data.neighbors)
        self.features = dgl.graphbolt.BasicFeatureStore(
            {("node", None, "feat"): dgl.graphbolt.TorchBasedFeature(data.features)})
        self.model = torch.nn.ModuleList(SAGEConv(a, b, "mean") for a, b in layer_sizes(data, args))
        # SAGEConv draws weights by Xavier's rule with a gain of sqrt(2), the others by PyTorch's rule for Linear.
        for layer in self.model:
            layer.fc_self.reset_parameters()
            layer.fc_neigh.reset_parameters()

    def loader(self, seeds, fanouts, shuffle):
        items = self.bolt.ItemSet((seeds.int(), self.data.labels[seeds]), names=("seed_nodes", "labels"))
        pipe = self.bolt.ItemSampler(items, batch_size=self.args.batch_size, shuffle=shuffle)
        # Its fanouts are from the outermost hop inwards.
        pipe = pipe.sample_neighbor(self.graph, fanouts[::-1])
        pipe = pipe.fetch_feature(self.features, node_feature_keys=["feat"])
        return self.bolt.DataLoader(pipe, num_workers=self.args.workers)

    def forward(self, batch):
        hidden = batch.node_features["feat"]
        for i, (layer, block) in enumerate(zip(self.model, batch.blocks)):
            hidden = layer(block, hidden)
            if i + 1 < len(self.model):
                hidden = self.torch.nn.functional.dropout(hidden.relu(), self.args.dropout, self.model.training)
        return hidden, batch.labels


WARM_UP = 8  # batches
WAYS = {"pyg": PyG, "pyg-given": PyGGiven, "pyg-blocks": PyGBlocks, "graphbolt": GraphBolt}


def layer_sizes(data, args):
    """Inputs and outputs of each layer."""
    sizes = [data.features.shape[1]] + [args.hidden] * (len(fanouts_of(args.fanouts)) - 1) + [data.classes]
    return zip(sizes, sizes[1:])


class Clock:
    """What an epoch took since it was started."""
    def __init__(self):
        self.begin, self.cpu, self.waited, self.count, self.loss = time.perf_counter(), cpu_seconds(), 0, 0, 0

    def stop(self, all_batches):
        """Wall and CPU seconds, scaled up to all batches, and the share of waiting."""
        self.loss = float(self.loss)  # which waits for a GPU
        wall, cpu, scale = time.perf_counter() - self.begin, cpu_seconds() - self.cpu, all_batches / self.count
        return wall * scale, cpu * scale, self.waited / wall


def distributed(torch, way, data, args):
    """Joins the ranks, for which the batches divide then. Returns the rank, how many they are, and forward()."""
    rank, ranks = (int(os.environ["OMPI_COMM_WORLD_" + name]) for name in ("RANK", "SIZE"))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
    together = ranks * args.batch_size
    data.train = data.train[:len(data.train) // together * together]

    class Layers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = way.model

        def forward(self, batch):
            return way.forward(batch)
    return rank, ranks, torch.nn.parallel.DistributedDataParallel(Layers())


def train(torch, way, data, args, ranks, forward):
    """What each epoch took, batches timed in the last, of how many, and their mean loss."""
    optimizer = torch.optim.Adam(way.model.parameters(), lr=args.learning_rate)
    loader = way.loader(data.train, fanouts_of(args.fanouts), True)
    all_batches = -(-len(data.train) // args.batch_size) // ranks
    untimed = min(WARM_UP, all_batches // 4)
    epochs = []
    way.model.train()
    for epoch in range(args.epochs):
        clock = Clock()
        asked = clock.begin
        for number, batch in enumerate(loader):
            if epoch == 0 and number == untimed:
                clock = Clock()
            else:
                clock.waited += time.perf_counter() - asked
            optimizer.zero_grad()
            outputs, labels = forward(batch)
            loss = torch.nn.functional.cross_entropy(outputs, labels)
            loss.backward()
            optimizer.step()
            clock.loss += loss.detach()
            clock.count += 1
            if clock.count == args.batches and (epoch > 0 or number >= untimed):
                break
            asked = time.perf_counter()
        epochs.append(clock.stop(all_batches))
    return epochs, clock.count, all_batches, clock.loss / clock.count


def evaluate(torch, way, data, args):
    """Share of right classes among the test nodes, or nothing where there are none."""
    right = seen = 0
    way.model.eval()
    with torch.no_grad():
        for batch in way.loader(data.test, fanouts_of(args.eval_fanouts), False) if len(data.test) else ():
            outputs, labels = way.forward(batch)
            right += (outputs.argmax(1) == labels).sum().item()
            seen += len(labels)
    return right / seen if seen else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--way", required=True, choices=WAYS)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batches", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--fanouts", default="15,10,5")
    parser.add_argument("--eval-fanouts", default="20,20,20")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--learning-rate", type=float, default=0.003)
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--evaluate", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--stream")
    parser.add_argument("--test-stream")
    parser.add_argument("--ddp", action="store_true")
    args = parser.parse_args()
    if args.device != "cpu" and args.way not in ("pyg", "pyg-given"):
        parser.error(f"--device {args.device} goes with --way pyg and pyg-given alone")
    if (args.stream is None) == (args.way == "pyg-given"):
        parser.error("--stream goes with --way pyg-given, which needs it")
    if args.ddp and args.way != "graphbolt":
        parser.error("--ddp goes with --way graphbolt alone")
    warnings.filterwarnings("ignore")
    os.environ["DGLBACKEND"] = "pytorch"
    import torch

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    data = Input(torch, args)
    way = WAYS[args.way](torch, data, args)
    rank, ranks, forward = distributed(torch, way, data, args) if args.ddp else (0, 1, way.forward)
    epochs, count, all_batches, loss = train(torch, way, data, args, ranks, forward)
    if args.ddp:
        torch.distributed.destroy_process_group()  # loaders of data would wait for the other ranks
    if rank != 0:
        return
    walls, cpus, waiting = zip(*epochs)
    print(json.dumps({"epoch_seconds": walls, "epoch_cpu": statistics.median(cpus),
                      "waiting": statistics.mean(waiting), "batches": count, "of": all_batches,
                      "extrapolated": 0 < args.batches < all_batches, "loss": loss,
                      "accuracy": evaluate(torch, way, data, args), "torch": torch.__version__}))


if __name__ == "__main__":
    main()
