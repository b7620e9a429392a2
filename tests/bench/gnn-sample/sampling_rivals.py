#!/usr/bin/env python3
"""Neighbour sampling by one of the rivals, over the training nodes of a graph file; prints one JSON object.

    sampling_rivals.py GRAPH --way WAY [--fanouts 15,10,5] [--batch-size 1024] [--threads 1] [--batches 0]

Needs the rival in this interpreter. Ways, from the one with the least Python about it:
  pyg-lib, torch-sparse       the operator that NeighborLoader calls; a thread of Python for each of --threads
  pyg-lib-loader, torch-sparse-loader
                              NeighborLoader without features; a worker process for each of more threads than one
  graphbolt32, graphbolt64    GraphBolt's sample_neighbors and unique_and_compact_csc_formats for each layer,
                              with 32- or 64-bit ids; --threads inside a batch
  labor32, labor64            the same with sample_layer_neighbors (LABOR)
GraphBolt expands all nodes known so far at each hop, PyG only the new ones. Reading and a few batches come
before the clock starts. --batches: so many batches at most, 0 for all.
"""
import argparse
import json
import os
import resource
import threading
import time
import warnings

import graph_data
import numpy as np

WARM_UP = 4  # batches


def cpu_seconds():
    """Of this process and of its children that have ended."""
    return sum(usage.ru_utime + usage.ru_stime for usage in
               map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def operator_of(torch, way):
    """The function (offsets, neighbours, seeds, fanouts) -> (edges, nodes) behind PyG's loader."""
    if way == "pyg-lib":
        import pyg_lib  # noqa: F401
        sample = torch.ops.pyg.neighbor_sample

        def run(offsets, neighbors, seeds, fanouts):
            found = sample(offsets, neighbors, seeds, fanouts, None, None, None, None, True, False, True, False,
                           "uniform", True)
            return found[0].numel(), found[2].numel()
    else:
        import torch_sparse  # noqa: F401
        sample = torch.ops.torch_sparse.neighbor_sample

        def run(offsets, neighbors, seeds, fanouts):
            nodes, rows, _, _ = sample(offsets, neighbors, seeds, fanouts, False, True)
            return rows.numel(), nodes.numel()
    return run


def run_operator(torch, way, offsets, neighbors, batches, fanouts, threads):
    """Batches dealt to threads of Python: the operators do not hold its lock."""
    run = operator_of(torch, way)
    sums = [[0, 0] for _ in range(threads)]

    def work(number):
        for seeds in batches[number::threads]:
            edges, nodes = run(offsets, neighbors, seeds, fanouts)
            sums[number][0] += edges
            sums[number][1] += nodes

    if threads == 1:
        work(0)
    else:
        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return tuple(map(sum, zip(*sums)))


def make_loader(torch, way, offsets, neighbors, seeds, args):
    import torch_geometric.typing
    from torch_geometric.data import Data
    from torch_geometric.loader import NeighborLoader
    torch_geometric.typing.WITH_PYG_LIB = way.startswith("pyg-lib") and torch_geometric.typing.WITH_PYG_LIB
    # NeighborLoader wants edges, which it would sort again: its sampler is given the rows as they are.
    nodes = len(offsets) - 1
    data = Data(num_nodes=nodes, edge_index=torch.empty(2, 0, dtype=torch.int64))
    loader = NeighborLoader(data, fanouts_of(args), input_nodes=seeds, batch_size=args.batch_size,
                            num_workers=args.threads if args.threads > 1 else 0)
    sampler = loader.node_sampler
    sampler.colptr, sampler.row = offsets, neighbors
    return loader


def run_loader(loader):
    edges = nodes = count = 0
    for batch in loader:
        edges += batch.edge_index.shape[1]
        nodes += batch.num_nodes
        count += 1
    return edges, nodes


def run_graphbolt(torch, graph, batches, fanouts, labor):
    from dgl.graphbolt.internal import unique_and_compact_csc_formats
    sample = graph.sample_layer_neighbors if labor else graph.sample_neighbors
    fanouts = [torch.tensor([fanout]) for fanout in fanouts]
    edges = nodes = 0
    for seeds in batches:
        for fanout in fanouts:
            found = sample(seeds, fanout)
            seeds, block = unique_and_compact_csc_formats(found.sampled_csc, seeds)
            edges += block.indices.numel()
        nodes += seeds.numel()
    return edges, nodes


def fanouts_of(args):
    return [int(fanout) for fanout in args.fanouts.split(",")]


def prepare(torch, args):
    """A function of a number of batches that samples them, and how many there are."""
    tensors, _ = graph_data.read_graph(args.graph)
    split = tensors["split"] if tensors["split"].ndim == 1 else tensors["split"][:, 0]
    seeds = np.random.default_rng(args.seed).permutation(np.flatnonzero(split == graph_data.TRAIN))
    ids = torch.int32 if args.way.endswith("32") else torch.int64
    seeds = torch.from_numpy(seeds).to(ids)
    offsets = torch.from_numpy(tensors["offsets"].astype(np.int64))
    neighbors = torch.from_numpy(tensors["neighbors"].astype("i4" if ids == torch.int32 else "i8"))
    batches = seeds.split(args.batch_size)
    fanouts = fanouts_of(args)
    if args.way.endswith("-loader"):
        def run(first, count):
            part = seeds[first * args.batch_size:(first + count) * args.batch_size]
            return run_loader(make_loader(torch, args.way, offsets, neighbors, part, args))
    elif args.way.startswith(("graphbolt", "labor")):
        import dgl.graphbolt
        graph = dgl.graphbolt.fused_csc_sampling_graph(offsets, neighbors)

        def run(first, count):
            return run_graphbolt(torch, graph, batches[first:first + count], fanouts, args.way.startswith("labor"))
    else:
        def run(first, count):
            return run_operator(torch, args.way, offsets, neighbors, batches[first:first + count], fanouts,
                                args.threads)
    return run, len(batches)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--way", required=True)
    parser.add_argument("--fanouts", default="15,10,5")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batches", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    os.environ.setdefault("DGLBACKEND", "pytorch")
    import torch

    torch.set_num_threads(1 if args.way.startswith(("pyg", "torch")) else args.threads)
    torch.manual_seed(args.seed)
    run, count = prepare(torch, args)
    count = min(count, args.batches or count)
    run(0, min(WARM_UP, count))
    wall, cpu = time.perf_counter(), cpu_seconds()
    edges, nodes = run(0, count)
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    print(json.dumps({"edges": edges, "nodes": nodes, "batches": count, "wall": wall, "cpu": cpu,
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
