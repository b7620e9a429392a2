#!/bin/sh
# The arrays that the reader of examples/gnn makes with numpy are what gnn-sample drew from its graphs.
#   minibatch_arrays.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/needs.sh"
needs numpy
PATH=$(cd "$1" && pwd):$PATH; source=$(cd "$2" && pwd); examples=$source/examples/gnn
PYTHONPATH=$examples:${PYTHONPATH:-}; PYTHONDONTWRITEBYTECODE=1; export PYTHONPATH PYTHONDONTWRITEBYTECODE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
status=0
failed() { echo "FAILED: $1"; status=1; }
gnn-sample generate --scale 10 --feature-type bf16 -o g.safetensors -q
gnn-sample generate --scale 10 -o f32.safetensors -q
gnn-sample sample f32.safetensors --seeds all --batch-size 1000 --no-shuffle --fanouts 2 -o - -q > all
gnn-sample sample g.safetensors --fanouts 5,3 --batch-size 200 --epochs 2 -q -o - | python3 -c '
import sys, numpy as np, minibatches as m
_, whole = next(m.minibatches(open("all", "rb")))
features, labels = whole["features"].copy(), whole["labels"].copy()
for metadata, a in m.minibatches(sys.stdin.buffer):
    known = [int(n) for n in metadata["batch.nodes"].split(",")]
    assert known[-1] == len(a["nodes"]) and known[0] == len(a["labels"]) == 200 or known[0] == 100, known
    assert np.abs(m.bfloat16_to_float32(a["features"]) - features[a["nodes"]]).max() < 0.04
    assert (a["labels"] == labels[a["nodes"][:known[0]]]).all()
    for hop, targets in enumerate(known[:-1]):
        offsets, neighbors = a[f"hop.{hop}.offsets"], a[f"hop.{hop}.neighbors"]
        assert len(offsets) == targets + 1 and offsets[-1] == len(neighbors) and neighbors.max() < known[hop + 1]
' || failed 'arrays'

# Several types: every edge of a mini-batch is one of the graph, between nodes of its types.
. "$source/tests/python/typed_graph.sh"
typed | python3 -c '
import sys, numpy as np, minibatches as m
graph = {name: np.loadtxt(file, np.int64, delimiter=",") @ [1000, 1] for name, file in (("a:r:b", "ab"), ("b:s:a", "ba"))}
count = 0
for metadata, a in m.minibatches(sys.stdin.buffer):
    nodes = {name: a[f"nodes/{name}/nodes"].astype(np.int64) for name in metadata["graph.node_types"].split(",")}
    for name in metadata["graph.edge_types"].split(","):
        source, _, target = name.split(":")
        for hop, fanout in enumerate((5, 3)):
            offsets, neighbors = a[f"edges/{name}/hop.{hop}.offsets"], a[f"edges/{name}/hop.{hop}.neighbors"]
            degrees = np.diff(offsets)
            assert len(degrees) == int(metadata["batch.nodes." + target].split(",")[hop])
            assert not len(degrees) or degrees.max() <= fanout and offsets[-1] == len(neighbors)
            pairs = nodes[source][neighbors] * 1000 + np.repeat(nodes[target][:len(degrees)], degrees)
            assert np.isin(pairs, graph[name]).all(), (name, hop)
            count += len(pairs)
assert count > 2000, count
' || failed 'arrays of several types'
exit $status
