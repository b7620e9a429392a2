#!/usr/bin/env python3
"""Networks of PyTorch Geometric for graphs of several types, on a graph file of gnn-sample; prints a JSON object a run.

    typed_rival.py GRAPH.safetensors --model rgcn|rgat|hgt|onehot|logistic|majority [--seeds 0,1,2] [--threads 1] [--epochs 50]
                   [--hidden 64] [--layers 2] [--learning-rate 0.01] [--weight-decay 0] [--dropout 0.5] [--input direct|project]
                   [--bases 0] [--heads 2] [--output-heads 1] [--attention-dropout 0] [--target-map matrix|vector]
                   [--norm none|layer] [--fanouts 25,20 --batch-size 1024] [--eval-every 1] [--last]

rgcn: as in OGB's example for ogbn-mag. A layer has a linear map for each relation, of the mean over neighbours, and one with
a bias for each type of nodes, for the node itself; their sum, ReLU, dropout. Nodes without features have a trained embedding.
The first layer reads features of any width (direct), or a linear layer for each type makes them as wide as the hidden layers
(project). rgat: the same with PyG's HeteroConv of GATConv between two types in place of the means, and ELU; the heads of the last
layer are averaged. With --target-map vector, GATConv's matrix for targets, whose rows only serve the attention, gives way to a
vector for each head, as in gnn-sample. onehot: FastRGCNConv of PyG without inputs, as in the paper of R-GCN: the first layer
has a row of numbers for each node and relation. hgt: HGTConv after a linear layer for the features of each type, and ReLU; a
linear layer follows. --hidden is the number of units of all heads. logistic: scikit-learn on the labelled nodes' features alone.
majority: the commonest class.

Layers compute only what the labelled nodes need. Without --fanouts a step is the whole graph, by products of sparse matrices;
with it, NeighborLoader samples. The epoch with the best accuracy in validation counts, with --last the last one. CPU seconds
are those of the process, of all threads. Needs PyTorch Geometric, for --fanouts with torch-sparse or pyg-lib.
"""
import argparse
import json
import time
import warnings

import graph_data
import numpy as np

warnings.filterwarnings("ignore")


class Products:
    """Products with a constant sparse matrix, whose transpose is made once for the gradient."""
    def __init__(self, torch, matrix):
        def csr(m):
            m = m.tocsr()
            return torch.sparse_csr_tensor(torch.from_numpy(m.indptr.astype(np.int64)), torch.from_numpy(m.indices.astype(np.int64)),
                                           torch.from_numpy(m.data.astype(np.float32)), m.shape)

        class Product(torch.autograd.Function):
            @staticmethod
            def forward(context, rows):
                return forward_matrix @ rows

            @staticmethod
            def backward(context, gradient):
                return backward_matrix @ gradient

        forward_matrix, backward_matrix = csr(matrix), csr(matrix.T)
        self.apply, self.shape = Product.apply, matrix.shape

    def dim(self):
        """As a tensor's, which GATConv asks for."""
        return len(self.shape)


def mean_matrix(edges, num_sources, num_targets):
    import scipy.sparse
    weights = 1 / np.bincount(edges[1], minlength=num_targets)[edges[1]]
    return scipy.sparse.csr_matrix((weights, (edges[1], edges[0])), (num_targets, num_sources))


def linear(inputs, weight, bias=None):
    rows = inputs.apply(weight.T) if isinstance(inputs, Products) else inputs @ weight.T
    return rows if bias is None else rows + bias


class Data:
    """A graph for all models: labels and parts of the labelled type, inputs and, for whole graphs, products."""
    def __init__(self, torch, path):
        self.nodes, self.edges = graph_data.read_types(path)
        self.torch = torch
        self.target = next(kind for kind, node in self.nodes.items() if node["labels"] is not None)
        node = self.nodes[self.target]
        self.labels = torch.from_numpy(node["labels"].astype(np.int64))
        split = node["split"] if node["split"].ndim == 1 else node["split"][:, 0]
        self.parts = [torch.from_numpy(np.flatnonzero((split == part) & (node["labels"] >= 0)))
                      for part in (graph_data.TRAIN, graph_data.VALID, graph_data.TEST)]
        self.classes = int(self.labels.max()) + 1
        self.inputs = {}
        for kind, node in self.nodes.items():
            features = node["features"]
            if features is not None:
                self.inputs[kind] = (Products(torch, features) if hasattr(features, "indptr") else
                                     torch.from_numpy(np.array(features, np.float32)))

    def prepare_products(self):
        """Where a relation has few sources, its map is applied to these alone."""
        self.means, self.sources = {}, {}
        for name, edges in self.edges.items():
            sources, places = np.unique(edges[0], return_inverse=True)
            if len(sources) < self.nodes[name[0]]["size"] // 2:
                self.sources[name] = self.torch.from_numpy(sources)
                edges, size = np.stack([places.reshape(-1), edges[1]]), len(sources)
            else:
                size = self.nodes[name[0]]["size"]
            self.means[name] = Products(self.torch, mean_matrix(edges, size, self.nodes[name[2]]["size"]))

    def mean(self, name, rows, weight):
        if name in self.sources and not isinstance(rows, Products):
            rows = rows[self.sources[name]]
        rows = linear(rows, weight)
        if name in self.sources and len(rows) != self.means[name].shape[1]:
            rows = rows[self.sources[name]]
        return self.means[name].apply(rows)


def make_rgcn(torch, args, data):
    nn = torch.nn

    class Rgcn(nn.Module):
        def __init__(self):
            super().__init__()
            widths = {kind: args.hidden if args.input == "project" or kind not in data.inputs else data.inputs[kind].shape[1]
                      for kind in data.nodes}
            self.embeddings = nn.ParameterDict()
            self.projections = nn.ModuleDict()
            for kind, node in data.nodes.items():
                if kind not in data.inputs:
                    self.embeddings[kind] = nn.init.xavier_uniform_(nn.Parameter(torch.empty(node["size"], args.hidden)))
                elif args.input == "project":
                    self.projections[kind] = nn.Linear(data.inputs[kind].shape[1], args.hidden)
            needed, self.plan = {data.target}, []  # which relations each layer needs
            for _ in range(args.layers):
                self.plan.insert(0, [name for name in data.edges if name[2] in needed])
                needed = needed | {name[0] for name in self.plan[0]}
            self.relations, self.roots, self.norms = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
            for layer, plan in enumerate(self.plan):
                last = layer == args.layers - 1
                out = data.classes if last else args.hidden * (args.heads if args.model == "rgat" else 1)
                self.relations.append(self.make_relations(plan, widths, out, last))
                kinds = {data.target} | {name[2] for name in plan}
                self.roots.append(nn.ModuleDict({kind: nn.Linear(widths[kind], out) for kind in sorted(kinds)}))
                self.norms.append(nn.ModuleDict({kind: nn.LayerNorm(out) for kind in sorted(kinds) if args.norm == "layer" and not last}))
                widths = dict.fromkeys(data.nodes, out)

        def make_relations(self, plan, widths, out, last):
            return nn.ModuleDict({":".join(n): nn.Linear(widths[n[0]], out, bias=False) for n in plan})

        def start(self, inputs, ids=None):
            rows = {kind: x for kind, x in inputs.items()}
            for kind, projection in self.projections.items():
                rows[kind] = linear(rows[kind], projection.weight, projection.bias)
            for kind, table in self.embeddings.items():
                rows[kind] = table if ids is None else nn.functional.embedding(ids[kind], table, sparse=self.training)
            return rows

        def forward(self, rows, mean):
            for layer, plan in enumerate(self.plan):
                sums = {kind: linear(rows[kind], root.weight, root.bias) for kind, root in self.roots[layer].items()}
                for kind, messages in self.messages(layer, plan, rows, mean):
                    sums[kind] = sums[kind] + messages
                sums = {kind: self.norms[layer][kind](x) if kind in self.norms[layer] else x for kind, x in sums.items()}
                if layer + 1 < args.layers:
                    sums = {kind: nn.functional.dropout(self.active(x), args.dropout, self.training) for kind, x in sums.items()}
                rows = sums
            return rows[data.target]

        def active(self, x):
            return x.relu()

        def messages(self, layer, plan, rows, mean):
            for name in plan:
                yield name[2], mean(name, rows[name[0]], self.relations[layer][":".join(name)].weight)

    return Rgcn


def make_rgat(torch, args, data):
    from torch_geometric.nn import GATConv, HeteroConv
    nn = torch.nn
    whole = {name: torch.from_numpy(edges) for name, edges in data.edges.items()}

    class AnyLinear(nn.Linear):
        """Of sparse features, too."""
        def forward(self, inputs):
            return linear(inputs, self.weight)

    class VectorConv(GATConv):
        """Targets are multiplied by a vector for each head in place of lin_dst and att_dst; the functions are the same."""
        def forward(self, x, edge_index):
            sources = self.lin_src(x[0]).view(-1, self.heads, self.out_channels)
            alpha = ((sources * self.att_src).sum(-1), self.lin_dst(x[1]))
            alpha = self.edge_updater(edge_index, alpha=alpha, edge_attr=None, size=None)
            out = self.propagate(edge_index, x=(sources, None), alpha=alpha, size=(len(sources), x[1].shape[0]))
            return out.flatten(1) if self.concat else out.mean(1)

    vector = args.target_map == "vector"
    Conv = VectorConv if vector else GATConv

    class Rgat(make_rgcn(torch, args, data)):
        def make_relations(self, plan, widths, out, last):
            heads = args.output_heads if last else args.heads
            convs = {}
            for name in plan:
                shape = out if last else out // heads
                conv = Conv((widths[name[0]], widths[name[2]]), shape, heads, concat=not last, add_self_loops=False, bias=False,
                            dropout=args.attention_dropout)
                conv.lin_src = AnyLinear(widths[name[0]], shape * heads, bias=False)
                conv.lin_dst = AnyLinear(widths[name[2]], heads if vector else shape * heads, bias=False)
                conv.reset_parameters()  # the vectors of targets start as those of gnn-sample, uniform to 1 / sqrt(width)
                for part in (conv.lin_src,) if vector else (conv.lin_src, conv.lin_dst):
                    nn.init.xavier_uniform_(part.weight)
                if vector:
                    conv.att_dst = None
                convs[name] = conv
            return HeteroConv(convs, aggr="sum")

        def messages(self, layer, plan, rows, mean):
            edges = mean.edges if hasattr(mean, "edges") else whole
            return self.relations[layer](rows, {name: edges[name] for name in plan}).items()

        def active(self, x):
            return nn.functional.elu(x)

    return Rgat


def make_onehot(torch, args, data):
    from torch_geometric.nn import FastRGCNConv
    index = torch.from_numpy(np.concatenate(list(data.edges.values()), axis=1))
    kinds = torch.from_numpy(np.concatenate([np.full(e.shape[1], i) for i, e in enumerate(data.edges.values())]))
    size, bases = data.nodes[data.target]["size"], args.bases or None

    class OneHot(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = FastRGCNConv(size, args.hidden, len(data.edges), num_bases=bases)
            self.second = FastRGCNConv(args.hidden, data.classes, len(data.edges), num_bases=bases)

        def start(self, inputs):
            return None

        def forward(self, rows, mean):
            return self.second(self.first(None, index, kinds).relu(), index, kinds)

    return OneHot()


def make_hgt(torch, args, data):
    from torch_geometric.nn import HGTConv
    nn = torch.nn
    index = {name: torch.from_numpy(edges) for name, edges in data.edges.items()}
    needed, plan = {data.target}, []  # which relations each layer needs
    for _ in range(args.layers):
        plan.insert(0, [name for name in data.edges if name[2] in needed])
        needed = needed | {name[0] for name in plan[0]}

    class Hgt(nn.Module):
        def __init__(self):
            super().__init__()
            kinds = [kind for kind in data.nodes if kind in needed]
            self.inputs = nn.ModuleDict({kind: nn.Linear(data.inputs[kind].shape[1], args.hidden) for kind in kinds if kind in data.inputs})
            bound = 0.3 * (3 / args.hidden) ** 0.5  # as gnn-sample draws embeddings
            self.embeddings = nn.ParameterDict({
                kind: nn.init.uniform_(nn.Parameter(torch.empty(data.nodes[kind]["size"], args.hidden)), -bound, bound)
                for kind in kinds if kind not in data.inputs})
            self.convs, self.norms = nn.ModuleList(), nn.ModuleList()
            for relations in plan:
                ends = {end for name in relations for end in (name[0], name[2])}
                self.convs.append(HGTConv(args.hidden, args.hidden, ([kind for kind in kinds if kind in ends], relations), args.heads))
                self.norms.append(nn.ModuleDict({kind: nn.LayerNorm(args.hidden) for kind in sorted({name[2] for name in relations})
                                                 if args.norm == "layer"}))
            self.output = nn.Linear(args.hidden, data.classes)

        def start(self, inputs):
            rows = dict(self.embeddings.items())
            for kind, layer in self.inputs.items():
                rows[kind] = linear(inputs[kind], layer.weight, layer.bias)
            return {kind: x.relu() for kind, x in rows.items()}

        def forward(self, rows, mean):
            edges = mean.edges if hasattr(mean, "edges") else index
            for conv, norms, relations in zip(self.convs, self.norms, plan):
                rows = {kind: rows[kind] for kind in conv.node_types}
                rows = conv(rows, {name: edges[name] for name in relations})
                rows = {kind: norms[kind](x) if kind in norms else x for kind, x in rows.items() if x is not None}
                rows = {kind: nn.functional.dropout(x, args.dropout, self.training) for kind, x in rows.items()}
            return self.output(rows[data.target])

    return Hgt()


def loader_of(torch, args, data):
    """Mini-batches of NeighborLoader around the training nodes, shuffled."""
    from torch_geometric.data import HeteroData
    from torch_geometric.loader import NeighborLoader
    graph = HeteroData()
    for kind, node in data.nodes.items():
        graph[kind].num_nodes = node["size"]
        if kind in data.inputs:
            graph[kind].x = data.inputs[kind]
    graph[data.target].y = data.labels
    for name, edges in data.edges.items():
        graph[name].edge_index = torch.from_numpy(edges)
    return NeighborLoader(graph, [int(f) for f in args.fanouts.split(",")], input_nodes=(data.target, data.parts[0]),
                          batch_size=args.batch_size, shuffle=True)


def sampled_epoch(torch, args, data, model, optimizers, loader):
    from torch_geometric.utils import scatter
    for batch in loader:
        ids = {kind: batch[kind].n_id for kind in data.nodes}
        rows = model.start({kind: batch[kind].x for kind in data.inputs}, ids)

        def mean(name, x, weight):
            source, target = batch[name].edge_index
            return scatter(linear(x, weight)[source], target, 0, len(ids[name[2]]), reduce="mean")

        mean.edges = {name: batch[name].edge_index for name in data.edges}
        size = batch[data.target].batch_size
        loss = torch.nn.functional.cross_entropy(model(rows, mean)[:size], batch[data.target].y[:size])
        model.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()


def whole_step(torch, data, model, optimizers):
    model.zero_grad()
    out = model(model.start(data.inputs), data.mean)[data.parts[0]]
    torch.nn.functional.cross_entropy(out, data.labels[data.parts[0]]).backward()
    for optimizer in optimizers:
        optimizer.step()


def optimizers_of(torch, args, model):
    """Adam; with mini-batches, of the embedded nodes that are in them, as gnn-sample has it."""
    rows = list(model.embeddings.parameters()) if args.fanouts else []
    others = [p for p in model.parameters() if all(p is not row for row in rows)]
    optimizers = [torch.optim.Adam(others, args.learning_rate, weight_decay=args.weight_decay)]
    return optimizers + ([torch.optim.SparseAdam(rows, args.learning_rate)] if rows else [])


def train(torch, args, data, seed):
    torch.manual_seed(seed)
    made = {"rgcn": make_rgcn, "rgat": make_rgat, "onehot": make_onehot, "hgt": make_hgt}[args.model](torch, args, data)
    model = made() if isinstance(made, type) else made
    began, first = time.process_time(), time.perf_counter()
    optimizers = optimizers_of(torch, args, model)
    loader = loader_of(torch, args, data) if args.fanouts else None
    best, steps = (-1, 0, 0), []
    for epoch in range(args.epochs):
        model.train()
        start = time.process_time()
        if loader:
            sampled_epoch(torch, args, data, model, optimizers, loader)
        else:
            whole_step(torch, data, model, optimizers)
        steps.append(time.process_time() - start)
        if (epoch + 1) % args.eval_every and epoch + 1 < args.epochs:
            continue
        model.eval()
        with torch.no_grad():
            found = model(model.start(data.inputs), data.mean).argmax(1)
        valid, test = ((found[part] == data.labels[part]).float().mean().item() if len(part) else 0 for part in data.parts[1:])
        if args.last or valid > best[0]:
            best = (valid, test, epoch + 1)
    return {"test": 100 * best[1], "valid": 100 * best[0], "epoch": best[2], "epoch_cpu_s": float(np.median(steps)),
            "cpu_s": time.process_time() - began, "s": time.perf_counter() - first, "parameters": sum(p.numel() for p in model.parameters())}


def train_plain(args, data):
    labels = data.labels.numpy()
    train_part, valid, test = (part.numpy() for part in data.parts)
    began = time.process_time()
    features = data.nodes[data.target]["features"]
    if args.model == "majority" or features is None:
        common = np.bincount(labels[train_part]).argmax()
        return {"test": 100 * float((labels[test] == common).mean()), "cpu_s": 0}
    from sklearn.linear_model import LogisticRegression
    best = (-1, 0, 0)
    for strength in (0.1, 1, 10):
        model = LogisticRegression(C=strength, max_iter=300).fit(features[train_part], labels[train_part])
        best = max(best, (model.score(features[valid], labels[valid]), model.score(features[test], labels[test]), strength))
    return {"test": 100 * best[1], "valid": 100 * best[0], "C": best[2], "cpu_s": time.process_time() - began}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--model", choices=["rgcn", "rgat", "hgt", "onehot", "logistic", "majority"], default="rgcn")
    parser.add_argument("--seeds", default="0,1,2")
    for name, value in (("threads", 1), ("epochs", 50), ("hidden", 64), ("layers", 2), ("bases", 0), ("heads", 2), ("output-heads", 1),
                        ("batch-size", 1024), ("eval-every", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    for name, value in (("learning-rate", 0.01), ("weight-decay", 0), ("dropout", 0.5), ("attention-dropout", 0)):
        parser.add_argument("--" + name, type=float, default=value)
    parser.add_argument("--input", choices=["direct", "project"], default="direct")
    parser.add_argument("--target-map", choices=["matrix", "vector"], default="matrix")
    parser.add_argument("--norm", choices=["none", "layer"], default="none")
    parser.add_argument("--fanouts")
    parser.add_argument("--last", action="store_true")
    args = parser.parse_args()
    import torch
    torch.set_num_threads(args.threads)
    data = Data(torch, args.graph)
    if args.model in ("logistic", "majority"):
        print(json.dumps({**vars(args), **train_plain(args, data)}))
        return
    data.prepare_products()
    for seed in args.seeds.split(","):
        print(json.dumps({**vars(args), "seed": int(seed), "torch": torch.__version__, **train(torch, args, data, int(seed))}),
              flush=True)


main()
