#!/usr/bin/env python3
"""Mini-batches of graphs of several types as HeteroData (pip install torch torch_geometric numpy scipy).

    gnn-sample sample GRAPH --semantics frontier --layout coo --fanouts 10,5 -o - | python3 hetero_data.py

prints each. As a module: for data in hetero_batches(sys.stdin.buffer): ..., what NeighborLoader would give, but
that the labels y are those of the seeds alone. Tensors are valid until the next mini-batch.
"""
import sys

import numpy as np
import torch
from minibatches import minibatches
from torch_geometric.data import HeteroData
from train_pytorch import features_of


def hetero_batches(stream):
    for metadata, arrays in minibatches(stream):
        data, known = HeteroData(), {}
        for name in metadata["graph.node_types"].split(","):
            known[name] = [int(n) for n in metadata["batch.nodes." + name].split(",")]  # behind each hop
            data[name].n_id = torch.from_numpy(arrays[f"nodes/{name}/nodes"])
            data[name].num_nodes = known[name][-1]
            data[name].num_sampled_nodes = np.diff(known[name], prepend=0).tolist()
            if f"nodes/{name}/features" in arrays:
                data[name].x = features_of({"features": arrays[f"nodes/{name}/features"]})
            if f"nodes/{name}/labels" in arrays:
                data[name].y = torch.from_numpy(arrays[f"nodes/{name}/labels"]).long()
        data[metadata["batch.seed_type"]].batch_size = known[metadata["batch.seed_type"]][0]
        for name in metadata["graph.edge_types"].split(","):
            source, relation, target = name.split(":")
            last = len(known[target]) - 2  # hop: it begins with the edges of those before it
            edges = arrays[f"edges/{name}/hop.{last}.edge_index"]
            store = data[source, relation, target]
            store.edge_index = torch.from_numpy(edges).long()
            # Edges come by target, so those of a hop are those into the nodes that the hop before it found.
            store.num_sampled_edges = np.diff(np.searchsorted(edges[1], known[target][:-1]), prepend=0).tolist()
        yield data


if __name__ == "__main__":
    for batch in hetero_batches(sys.stdin.buffer):
        print(batch)
