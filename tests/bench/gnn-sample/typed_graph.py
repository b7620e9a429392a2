#!/usr/bin/env python3
"""Makes a graph file of several types in the shape of ogbn-mag: papers, authors, institutions and fields of study,
every type of edges in both directions (42 million edges at --scale 1). Needs NumPy.

    typed_graph.py OUTPUT.safetensors [--one-type FILE.safetensors] [--scale 1] [--seed 1] [--classes 349]

--one-type: also the same edges as a graph of one type, papers first. A few nodes have most of the edges. --classes: each node
has a hidden class, and papers have 128 features, labels and parts as in ogbn-mag (85 % train, 9 % validate, 6 % test).
Half of the edges join nodes of one class, a fifth of the labels are random, and the features say little of the class.
"""
import argparse

import graph_data
import numpy as np

NODES = {"paper": 736389, "author": 1134649, "institution": 8740, "field": 59965}
EDGES = [("author", "writes", "paper", 7145660), ("paper", "cites", "paper", 5416271),
         ("author", "affiliated_with", "institution", 1043998), ("paper", "has_topic", "field", 7505078)]
SKEW = 2  # ends are n * u^SKEW for uniform u
TRAIN_SHARE = 0.85
VALID_SHARE, FEATURES = 0.09, 128
HOMOPHILY, LABEL_NOISE, SIGNAL = 0.5, 0.2, 0.15  # SIGNAL: of a feature's mean, beside noise of deviation 1


def draw(random, nodes, count):
    """Numbers of nodes, shuffled so that busy ones lie anywhere."""
    ranks = (nodes * random.random(count) ** SKEW).astype(np.int64)
    return random.permutation(nodes)[ranks]


class Hidden:
    """The hidden classes of all nodes, and what follows from them."""
    def __init__(self, random, nodes, classes):
        self.random, self.count = random, classes
        self.classes = {name: random.integers(0, classes, size) for name, size in nodes.items()}

    def attract(self, sources, targets, source_type, target_type):
        """Moves a part of the edges' targets to nodes of the sources' classes."""
        moved = np.flatnonzero(self.random.random(len(sources)) < HOMOPHILY)
        order = np.argsort(self.classes[target_type], kind="stable")
        counts = np.bincount(self.classes[target_type], minlength=self.count)
        kinds = self.classes[source_type][sources[moved]]
        places = (counts[kinds] * self.random.random(len(moved)) ** SKEW).astype(np.int64)
        some = counts[kinds] > 0
        targets[moved[some]] = order[(np.cumsum(counts) - counts)[kinds[some]] + places[some]]

    def of_papers(self):
        """Features, labels and the split of papers."""
        random, labels = self.random, self.classes["paper"].astype(np.int32)
        means = random.standard_normal((self.count, FEATURES), np.float32)
        features = random.standard_normal((len(labels), FEATURES), np.float32) + SIGNAL * means[labels]
        noisy = random.random(len(labels)) < LABEL_NOISE
        labels[noisy] = random.integers(0, self.count, noisy.sum())
        part = random.random(len(labels))
        split = np.where(part < TRAIN_SHARE, graph_data.TRAIN,
                         np.where(part < TRAIN_SHARE + VALID_SHARE, graph_data.VALID, graph_data.TEST)).astype(np.uint8)
        return {"features": features, "labels": labels, "split": split}


def rows(sources, targets, num_targets):
    """Offsets and neighbours of different edges, in-edges by target."""
    keys = np.unique(targets << 32 | sources)
    counts = np.bincount(keys >> 32, minlength=num_targets)
    return {"offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64),
            "neighbors": (keys & 0xffffffff).astype(np.uint32)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--one-type")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--classes", type=int, default=0)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    nodes = {name: max(1, int(count * args.scale)) for name, count in NODES.items()}
    first = dict(zip(nodes, np.cumsum([0, *nodes.values()])))  # in the graph of one type
    tensors, edge_types, ends = {}, [], []
    hidden = Hidden(np.random.default_rng([args.seed, 1]), nodes, args.classes) if args.classes else None
    for source, relation, target, count in EDGES:
        count = int(count * args.scale)
        from_nodes, to_nodes = draw(random, nodes[source], count), draw(random, nodes[target], count)
        if hidden:
            hidden.attract(from_nodes, to_nodes, source, target)
        for name, tail, head, size in ((f"{source}:{relation}:{target}", from_nodes, to_nodes, nodes[target]),
                                       (f"{target}:rev_{relation}:{source}", to_nodes, from_nodes, nodes[source])):
            edge_types.append(name)
            tensors.update({f"edges/{name}/{key}": value for key, value in rows(tail, head, size).items()})
        ends += [(from_nodes + first[source], to_nodes + first[target]),
                 (to_nodes + first[target], from_nodes + first[source])]
    split = np.where(random.random(nodes["paper"]) < TRAIN_SHARE, graph_data.TRAIN, graph_data.TEST).astype(np.uint8)
    papers = hidden.of_papers() if hidden else {"split": split}
    split = papers["split"]
    tensors.update({f"nodes/paper/{key}": value for key, value in papers.items()})
    num_edges = sum(len(tensors[f"edges/{name}/neighbors"]) for name in edge_types)
    metadata = {"frugal.version": "1", "frugal.kind": "graph", "graph.directed": "true",
                "graph.nodes": str(sum(nodes.values())), "graph.edges": str(num_edges),
                "graph.node_types": ",".join(nodes), "graph.edge_types": ",".join(edge_types),
                **{f"graph.nodes.{name}": str(count) for name, count in nodes.items()}}
    if hidden:
        metadata["graph.classes.paper"] = str(args.classes)
    graph_data.write_graph(args.output, tensors, metadata)
    if args.one_type:
        all_nodes = sum(nodes.values())
        sources, targets = (np.concatenate(part) for part in zip(*ends))
        one = rows(sources, targets, all_nodes)
        one["split"] = np.full(all_nodes, graph_data.NONE, np.uint8)
        one["split"][:nodes["paper"]] = split
        graph_data.write_graph(args.one_type, one, graph_data.metadata_of(one, directed=True))


if __name__ == "__main__":
    main()
