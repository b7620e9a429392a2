#!/usr/bin/env python3
"""Neighbour sampling by one of the rivals, over the training nodes of a graph file; prints one JSON object.

    sampling_rivals.py GRAPH --way WAY [--fanouts 15,10,5] [--batch-size 1024] [--threads 1] [--batches 0] [--device cpu]

Needs the rival in this interpreter. Ways, from the one with the least Python about it:
  pyg-lib, torch-sparse       the operator that NeighborLoader calls; a thread of Python for each of --threads
  pyg-lib-types               the operator for graphs of several types, one thread; the seeds are of the type with a
                              split, all types of edges have the same fanouts
  pyg-lib-loader, torch-sparse-loader
                              NeighborLoader without features; a worker process for each of more threads than one
  graphbolt32, graphbolt64    GraphBolt's sample_neighbors and unique_and_compact_csc_formats for each layer,
                              with 32- or 64-bit ids; a thread of Python for each of --threads
  graphbolt32-openmp          the same, but GraphBolt's own threads inside each batch
  labor32, labor64            with sample_layer_neighbors (LABOR), a thread of Python for each of --threads
GraphBolt expands all nodes known so far at each hop, PyG only the new ones. Reading and a few batches come
before the clock starts. --batches: so many batches at most, 0 for all. --device cuda: GraphBolt's graph and seeds lie
there; the others sample on the CPU.
"""
import argparse
import concurrent.futures
import json
import os
import resource
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


def run_operator(torch, way, offsets, neighbors, batches, fanouts):
    run = operator_of(torch, way)
    return [sum(counts) for counts in zip(*(run(offsets, neighbors, seeds, fanouts) for seeds in batches))]


def run_types(torch, tensors, metadata, fanouts):
    """A function of batches of seeds for a graph of several types, and the split of the seeds' type."""
    import pyg_lib  # noqa: F401
    node_types, edge_types = metadata["graph.node_types"].split(","), metadata["graph.edge_types"].split(",")
    tuples = [tuple(name.split(":")) for name in edge_types]

    def tables(name):
        return {"__".join(parts): torch.from_numpy(tensors[f"edges/{':'.join(parts)}/{name}"].astype(np.int64))
                for parts in tuples}
    offsets, neighbors = tables("offsets"), tables("neighbors")
    counts = {key: fanouts for key in offsets}
    seed_type, = (name for name in node_types if f"nodes/{name}/split" in tensors)

    def run(batches):
        edges = nodes = 0
        for seeds in batches:
            found = torch.ops.pyg.hetero_neighbor_sample(node_types, tuples, offsets, neighbors, {seed_type: seeds},
                                                         counts, None, None, None, None, True, False, True, False,
                                                         "uniform", True)
            edges += sum(rows.numel() for rows in found[0].values())
            nodes += sum(ids.numel() for ids in found[2].values())
        return edges, nodes
    return run, tensors[f"nodes/{seed_type}/split"]


def deal(work, batches, threads):
    """Sums of what work(part of the batches) returns, in threads of Python: no rival holds its lock for long."""
    if threads == 1:
        return work(batches)
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return [sum(counts) for counts in zip(*pool.map(work, [batches[i::threads] for i in range(threads)]))]


def give_rows(loader, offsets, neighbors):
    """Lets NeighborLoader sample from rows as they are: of edges that it is given it would sort a copy."""
    sampler = loader.node_sampler
    sampler.colptr, sampler.row, sampler.perm = offsets, neighbors, None
    return loader


def make_loader(torch, way, offsets, neighbors, seeds, args):
    import torch_geometric.typing
    from torch_geometric.data import Data
    from torch_geometric.loader import NeighborLoader
    torch_geometric.typing.WITH_PYG_LIB = way.startswith("pyg-lib") and torch_geometric.typing.WITH_PYG_LIB
    data = Data(num_nodes=len(offsets) - 1, edge_index=torch.empty(2, 0, dtype=torch.int64))
    loader = NeighborLoader(data, fanouts_of(args.fanouts), input_nodes=seeds, batch_size=args.batch_size,
                            num_workers=args.threads if args.threads > 1 else 0)
    return give_rows(loader, offsets, neighbors)


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


def finish(torch, device):
    """Waits for what a GPU was given."""
    if device != "cpu":
        torch.cuda.synchronize()


def fanouts_of(text):
    return [int(fanout) for fanout in text.split(",")]


def prepare(torch, args):
    """A function of a number of batches that samples them, and how many there are."""
    tensors, metadata = graph_data.read_graph(args.graph)
    fanouts = fanouts_of(args.fanouts)
    typed = args.way.endswith("-types")
    if typed:
        work, split = run_types(torch, tensors, metadata, fanouts)
    else:
        split = tensors["split"]
    split = split if split.ndim == 1 else split[:, 0]
    seeds = np.random.default_rng(args.seed).permutation(np.flatnonzero(split == graph_data.TRAIN))
    ids = torch.int32 if "32" in args.way else torch.int64
    seeds = torch.from_numpy(seeds).to(ids)
    batches = seeds.split(args.batch_size)
    if typed:
        return lambda first, count: work(batches[first:first + count]), len(batches)
    offsets = torch.from_numpy(tensors["offsets"].astype(np.int64))
    neighbors = torch.from_numpy(tensors["neighbors"].astype("i4" if ids == torch.int32 else "i8"))
    if args.way.endswith("-loader"):
        def run(first, count):
            part = seeds[first * args.batch_size:(first + count) * args.batch_size]
            return run_loader(make_loader(torch, args.way, offsets, neighbors, part, args))
        return run, len(batches)
    if args.way.startswith(("graphbolt", "labor")):
        import dgl.graphbolt
        graph = dgl.graphbolt.fused_csc_sampling_graph(offsets, neighbors)
        if args.device != "cpu":
            graph, batches = graph.to(args.device), [part.to(args.device) for part in batches]

        def work(part):
            return run_graphbolt(torch, graph, part, fanouts, args.way.startswith("labor"))
    else:
        def work(part):
            return run_operator(torch, args.way, offsets, neighbors, part, fanouts)
    threads = 1 if args.way.endswith("-openmp") else args.threads
    return lambda first, count: deal(work, batches[first:first + count], threads), len(batches)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--way", required=True)
    parser.add_argument("--fanouts", default="15,10,5")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batches", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    os.environ["DGLBACKEND"] = "pytorch"
    os.environ["OMP_NUM_THREADS"] = str(args.threads if args.way.endswith("-openmp") else 1)
    import torch

    torch.manual_seed(args.seed)
    run, count = prepare(torch, args)
    count = min(count, args.batches or count)
    run(0, min(WARM_UP, count))
    finish(torch, args.device)
    wall, cpu = time.perf_counter(), cpu_seconds()
    edges, nodes = run(0, count)
    finish(torch, args.device)
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    print(json.dumps({"edges": edges, "nodes": nodes, "batches": count, "wall": wall, "cpu": cpu,
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
