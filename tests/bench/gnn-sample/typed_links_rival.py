#!/usr/bin/env python3
"""Links of one relation of a typed graph by PyTorch Geometric, on held-out edges that gnn-sample wrote.

    typed_links_rival.py GRAPH.safetensors RELATION HELD_OUT.csv [--seed 0] [--epochs 100] [--hidden 64] [--norm]

As PyG's tutorial of links: HeteroConv of SAGEConv, whose sums have a matrix for each relation on means and one for own rows, and
the dot product of the last rows. LinkNeighborLoader draws neighbours, and a negative for each link, with its source and any node of
the target's type. --disjoint of the training edges, drawn once, are predicted,
and the others are messages (disjoint_train_ratio of RandomLinkSplit), in the relation and its reverse one. Types without features
have trained embeddings. Validation and test read all training edges. Prints a line of JSON: mrr and auc of 100 negatives a link,
among nodes of the target's type, in the best epoch of validation, and CPU seconds. Needs torch-sparse or pyg-lib.
"""
import argparse
import csv
import json
import time

import graph_data
import numpy as np

REVERSE = "rev_"


def names_of(tensors, kind, size):
    prefix = f"nodes/{kind}/"
    if prefix + "names" in tensors:
        ends, text = tensors[prefix + "names.offsets"].astype(np.int64), tensors[prefix + "names"].tobytes()
        return {text[ends[i]:ends[i + 1]].decode(): i for i in range(size)}
    return {str(name): i for i, name in enumerate(tensors.get(prefix + "ids", range(size)))}


def read_held_out(path, sources, targets):
    parts = {"valid": [], "test": []}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            parts[row["part"]].append((sources[row["source"]], targets[row["target"]]))
    return {part: np.array(pairs).T for part, pairs in parts.items()}


def without(edges, held_out, size):
    return edges[:, ~np.isin(edges[0] * size + edges[1], held_out[0] * size + held_out[1])]


def metrics(sources, targets, links, generator):
    """MRR among 100 negatives each, equal scores half, and the AUC against the first of these."""
    others = generator.integers(0, len(targets) - 1, (links.shape[1], 100))
    others += others >= links[1][:, None]
    positive = (sources[links[0]] * targets[links[1]]).sum(1)
    negative = np.stack([(sources[links[0]] * targets[others[:, i]]).sum(1) for i in range(100)], 1)
    rank = 1 + (negative > positive[:, None]).sum(1) + (negative == positive[:, None]).sum(1) / 2
    order = np.sort(negative[:, 0])
    below = np.searchsorted(order, positive, "left") + np.searchsorted(order, positive, "right")
    return float((1 / rank).mean()), float(below.mean() / 2 / len(order))


def make_model(torch, args, graph, kinds, relations, ends):
    from torch_geometric.nn import HeteroConv, SAGEConv

    class Links(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = torch.nn.ModuleDict({kind: torch.nn.Embedding(graph[kind].num_nodes, args.hidden, sparse=True)
                                               for kind in kinds if "x" not in graph[kind]})
            for table in self.tables.values():
                torch.nn.init.xavier_uniform_(table.weight)
            self.first = HeteroConv({r: SAGEConv((-1, -1), args.hidden) for r in relations}, aggr="sum")
            self.norms = torch.nn.ModuleDict({kind: torch.nn.LayerNorm(args.hidden) if args.norm else torch.nn.Identity()
                                              for kind in kinds})
            self.second = HeteroConv({r: SAGEConv((-1, -1), args.embedding) for r in relations if r[2] in ends}, aggr="sum")

        def forward(self, data):
            rows = {kind: self.tables[kind](data[kind].n_id) if kind in self.tables else data[kind].x for kind in kinds}
            rows = self.first(rows, data.edge_index_dict)
            rows = {kind: torch.nn.functional.dropout(self.norms[kind](x).relu(), args.dropout, self.training)
                    for kind, x in rows.items()}
            return self.second(rows, data.edge_index_dict)

    return Links()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("relation")
    parser.add_argument("held_out")
    for name, value in (("seed", 0), ("epochs", 100), ("hidden", 64), ("embedding", 64), ("batch-size", 1024), ("eval-every", 3)):
        parser.add_argument("--" + name, type=int, default=value)
    for name, value in (("learning-rate", 0.001), ("dropout", 0.5), ("disjoint", 0.3)):
        parser.add_argument("--" + name, type=float, default=value)
    parser.add_argument("--norm", action="store_true")
    parser.add_argument("--fanouts", default="10,10")
    args = parser.parse_args()
    import torch
    from torch_geometric.data import HeteroData
    from torch_geometric.loader import LinkNeighborLoader
    from torch_geometric.sampler import NegativeSampling
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    nodes, edges = graph_data.read_types(args.graph)
    tensors, _ = graph_data.read_graph(args.graph)
    relation = tuple(args.relation.split(":"))
    source, name, target = relation
    back = (target, name.removeprefix(REVERSE) if name.startswith(REVERSE) else REVERSE + name, source)
    held_out = read_held_out(args.held_out, *(names_of(tensors, kind, nodes[kind]["size"]) for kind in (source, target)))
    size = nodes[target]["size"]
    train = without(edges[relation], np.concatenate(list(held_out.values()), 1), size)
    is_predicted = generator.random(train.shape[1]) < args.disjoint
    kinds, relations = list(nodes), list(edges)

    def graph_of(messages):
        data = HeteroData()
        for kind, node in nodes.items():
            data[kind].num_nodes = node["size"]
            data[kind].n_id = torch.arange(node["size"])
            if node["features"] is not None:
                x = node["features"]
                data[kind].x = torch.from_numpy((x.toarray() if hasattr(x, "toarray") else np.array(x)).astype(np.float32))
        for kind, index in edges.items():
            index = messages if kind == relation else messages[::-1] if kind == back else index
            data[kind].edge_index = torch.from_numpy(np.ascontiguousarray(index))
        return data

    graph, whole = graph_of(train[:, ~is_predicted]), graph_of(train)
    model = make_model(torch, args, graph, kinds, relations, {source, target})
    with torch.no_grad():
        model.eval()(whole)  # its parameters come with the first call
    began = time.process_time()
    tables = list(model.tables.parameters())
    others = [p for p in model.parameters() if all(p is not table for table in tables)]
    optimizers = [torch.optim.Adam(others, args.learning_rate)]
    if tables:
        optimizers.append(torch.optim.SparseAdam(tables, args.learning_rate))  # of nodes of the mini-batch, as in gnn-sample
    loader = LinkNeighborLoader(graph, [int(f) for f in args.fanouts.split(",")], shuffle=True, batch_size=args.batch_size,
                                edge_label_index=(relation, torch.from_numpy(train[:, is_predicted])), neg_sampling=NegativeSampling("triplet", 1))
    best, steps = (-1,), 0
    for epoch in range(args.epochs):
        model.train()
        for batch in loader:
            out = model(batch)
            from_rows, to = out[source][batch[source].src_index], batch[target]
            scores = torch.cat([(from_rows * out[target][index]).sum(1) for index in (to.dst_pos_index, to.dst_neg_index)])
            labels = torch.zeros(len(scores))
            labels[:len(from_rows)] = 1
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, labels)
            model.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            steps += 1
        if (epoch + 1) % args.eval_every and epoch + 1 < args.epochs:
            continue
        with torch.no_grad():
            out = {kind: rows.numpy() for kind, rows in model.eval()(whole).items()}
        valid = metrics(out[source], out[target], held_out["valid"], np.random.default_rng(1))
        if valid[0] > best[0]:
            best = (valid[0], *metrics(out[source], out[target], held_out["test"], np.random.default_rng(2)), epoch + 1)
    print(json.dumps({**vars(args), "valid_mrr": best[0], "mrr": best[1], "auc": best[2], "epoch": best[3], "steps": steps,
                      "cpu_s": time.process_time() - began, "parameters": sum(p.numel() for p in model.parameters())}))


main()
