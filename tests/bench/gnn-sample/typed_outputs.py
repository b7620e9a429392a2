#!/usr/bin/env python3
"""Computes the outputs of a model rgcn, rgat or hgt of gnn-sample by SciPy's sparse matrices, and compares them with predictions.

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


def mapped(weights, name, rows):
    """W x + b for each row."""
    products = np.asarray(rows @ weights[name + ".weight"].T.astype(np.float64))
    return products + weights.get(name + ".bias", 0)


def normalized(weights, name, rows):
    if name + ".weight" not in weights:
        return rows
    rows = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-5)
    return rows * weights[name + ".weight"] + weights[name + ".bias"]


def transformed(weights, layer, kind, relations, edges, rows):
    """Rows of a type after a layer of hgt; one softmax runs over the edges of a target in all relations."""
    name = f"convs.{layer}."
    if f"{name}skip.{kind}" not in weights:
        return rows[kind]
    into = [relation for relation in relations if relation[2] == kind]
    heads = len(weights[f"{name}prior." + ":".join(into[0])])
    size, width = rows[kind].shape

    def by_heads(matrix, x):  # [columns, heads * columns] -> a matrix of each head
        matrix = weights[matrix].astype(np.float64).reshape(width // heads, heads, -1)
        return np.einsum("nki,oki->nko", x.reshape(len(x), heads, -1), matrix)

    query = mapped(weights, f"{name}query.{kind}", rows[kind]).reshape(size, heads, -1)
    logits, messages, targets = [], [], []
    for relation in into:
        text, (sources, ends) = ":".join(relation), edges[relation]
        keys = by_heads(f"{name}attention.{text}.weight", mapped(weights, f"{name}key.{relation[0]}", rows[relation[0]]))
        values = by_heads(f"{name}message.{text}.weight", mapped(weights, f"{name}value.{relation[0]}", rows[relation[0]]))
        scale = weights[f"{name}prior.{text}"] / np.sqrt(width // heads)
        logits.append((keys[sources] * query[ends]).sum(2) * scale)
        messages.append(values[sources])
        targets.append(ends)
    logits, messages, targets = np.concatenate(logits), np.concatenate(messages), np.concatenate(targets)
    largest = np.full((size, heads), -np.inf)
    np.maximum.at(largest, targets, logits)
    numerators = np.exp(logits - largest[targets])
    sums, h = np.zeros((size, heads)), np.zeros(query.shape)
    np.add.at(sums, targets, numerators)
    np.add.at(h, targets, (numerators / sums[targets])[..., None] * messages)
    h = h.reshape(size, width)
    active = h / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3)))
    gate = 1 / (1 + np.exp(-float(weights[f"{name}skip.{kind}"][0])))
    return gate * mapped(weights, f"{name}output.{kind}", active) + (1 - gate) * rows[kind]


def transformer_outputs(weights, layers, relations, edges, rows):
    """Rows of each type after the map of a type's features, layers of attention, and the last map."""
    rows = {kind: x if x is None or f"convs.0.root.{kind}.weight" not in weights else mapped(weights, f"convs.0.root.{kind}", x)
            for kind, x in rows.items()}
    rows = {kind: np.maximum(np.asarray(x, np.float64), 0) for kind, x in rows.items() if x is not None}
    for layer in range(1, layers + 1):
        read = [relation for relation in relations if f"convs.{layer}.prior.{':'.join(relation)}" in weights]
        rows = {kind: normalized(weights, f"norms.{layer}.{kind}", transformed(weights, layer, kind, read, edges, rows))
                for kind in rows}
    last = f"convs.{layers + 1}.root."
    return {kind: mapped(weights, last + kind, x) for kind, x in rows.items() if f"{last}{kind}.weight" in weights}


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
    if metadata["gnn.model"] == "hgt":
        rows = transformer_outputs(weights, layers, relations, edges, rows)
    for layer in range(layers if metadata["gnn.model"] != "hgt" else 0):
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
