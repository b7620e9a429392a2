#!/usr/bin/env python3
"""Computes the outputs of a model rgcn or rgat of gnn-sample by SciPy's sparse matrices, and compares them with predictions.

    gnn-sample predict MODEL GRAPH.safetensors --probabilities -o PREDICTIONS.safetensors
    typed_outputs.py GRAPH.safetensors MODEL PREDICTIONS.safetensors [TYPE]

Prints the largest difference of a probability or, of a model of links, of a number of the embeddings of TYPE (its --seed-type). The graph is the one that the model was trained on. Needs NumPy and SciPy.
"""
import sys

import graph_data
import numpy as np
import scipy.sparse


def attention(edges, h, source, query, targets, size):
    """Row of each target: for each head, the sum of h by the softmax over its edges; [targets, heads * columns]."""
    heads = len(source)
    h = np.asarray(h).reshape(len(h), heads, -1)
    z = (h * source).sum(2)[edges[0]] + np.asarray(targets @ query.T)[edges[1]]
    weights = np.exp(np.where(z > 0, z, 0.2 * z))
    out = np.zeros((size, *h.shape[1:]))
    for head in range(heads):
        matrix = scipy.sparse.csr_matrix((weights[:, head], (edges[1], edges[0])), (size, len(h)))
        out[:, head] = matrix @ h[:, head] / np.maximum(matrix.sum(1), 1e-300).reshape(-1, 1)
    return out


def main():
    graph, model, predictions = sys.argv[1:4]
    nodes, edges = graph_data.read_types(graph)
    weights, metadata = graph_data.read_graph(model)
    lines = metadata["gnn.types"].split("\n")
    seeds = lines[0].rsplit(" ", 1)[0]
    relations = [tuple(line.split(":")) for line in lines if ":" in line]
    means = {}
    for relation in relations:
        sources, targets = edges[relation]
        counts = np.bincount(targets, minlength=nodes[relation[2]]["size"])
        means[relation] = scipy.sparse.csr_matrix((1 / counts[targets], (targets, sources)),
                                                  (nodes[relation[2]]["size"], nodes[relation[0]]["size"]))
    rows = {kind: weights.get(f"input.{kind}/embedding", data["features"]) for kind, data in nodes.items()}
    layers = int(metadata["gnn.layers"])
    for layer in range(layers):
        after = {}
        for kind in nodes:
            root = weights.get(f"convs.{layer}.root.{kind}.weight")
            if root is None:
                continue
            sums = rows[kind] @ root.T.astype(np.float64) + weights[f"convs.{layer}.root.{kind}.bias"]
            for relation in relations:
                if relation[2] != kind:
                    continue
                name = ":".join(relation)
                matrix = weights[f"convs.{layer}.relation.{name}.weight"].T.astype(np.float64)
                source = weights.get(f"convs.{layer}.attention.{name}.weight")
                if source is None:
                    sums += (means[relation] @ rows[relation[0]]) @ matrix
                    continue
                query = weights[f"convs.{layer}.query.{name}.weight"].astype(np.float64)
                heads = attention(edges[relation], rows[relation[0]] @ matrix, source, query, rows[kind], len(sums))
                sums += heads.mean(1) if layer + 1 == layers else heads.reshape(len(sums), -1)
            norm = weights.get(f"norms.{layer}.{kind}.weight")
            if norm is not None:
                sums = (sums - sums.mean(1, keepdims=True)) / np.sqrt(sums.var(1, keepdims=True) + 1e-5)
                sums = sums * norm + weights[f"norms.{layer}.{kind}.bias"]
            negative = np.expm1(np.minimum(sums, 0)) if metadata["gnn.activation"] == "elu" else 0
            after[kind] = sums if layer + 1 == layers else np.maximum(sums, 0) + negative
        rows = after
    found, _ = graph_data.read_graph(predictions)
    if "embeddings" in found:
        print(f"{np.abs(np.asarray(rows[(sys.argv[4:] or [seeds])[0]]) - found['embeddings']).max():.2g}")
        return
    logits = np.asarray(rows[seeds])
    probabilities = np.exp(logits - logits.max(1, keepdims=True))
    probabilities /= probabilities.sum(1, keepdims=True)
    print(f"{np.abs(probabilities - found['probabilities']).max():.2g}")


if __name__ == "__main__":
    main()
