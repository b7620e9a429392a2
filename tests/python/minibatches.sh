#!/bin/sh
# The reader of examples/gnn gets what gnn-sample sends, and notices where something is missing.
#   minibatches.sh BIN_DIR SOURCE_DIR
PATH=$(cd "$1" && pwd):$PATH; reader=$(cd "$2" && pwd)/examples/gnn/minibatches.py
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
status=0
failed() { echo "FAILED: $1"; status=1; }
gnn-sample generate --scale 10 --feature-type bf16 -o g.safetensors -q
s() { gnn-sample sample g.safetensors --fanouts 5,3 --batch-size 200 --epochs 2 -q "$@"; }

# Three mini-batches an epoch, with as many nodes as gnn-sample says.
s -o - | python3 "$reader" > lines || failed 'a pipe was not read'
[ "$(grep -c '^epoch 1, mini-batch [345]: features\[[0-9]*, 32\] hop.0.neighbors\[' lines)" = 3 ] || { failed 'other mini-batches'; cat lines; }
s -o other --json | sed -n 's/^ *"nodes": \([0-9]*\),*/\1/p' > expected
sed 's/.*features.\([0-9]*\),.*/\1/' lines | awk '{ n += $1 } END { print n }' | diff expected - || failed 'other shapes'
s --compress none -o whole; python3 "$reader" < whole | diff lines - || failed 'a file differs from the pipe'
cat whole whole | python3 "$reader" | wc -l | grep -qx ' *12' || failed 'streams one behind the other'
{ head -c 5 whole; sleep 0.1; tail -c +6 whole; } | PYTHONPATH=$(dirname "$reader") python3 -c '
import minibatches as m
print(sum(1 for _ in m.documents(open(0, "rb", buffering=0))))' | grep -qx 6 || failed 'a pipe that comes in pieces'
for bytes in 4 100 5000 $(($(wc -c < whole) - 600)); do
  head -c "$bytes" whole | python3 "$reader" >/dev/null 2>&1 && failed "a stream cut to $bytes bytes was read"
done

if python3 -c 'import numpy' 2>/dev/null; then
  gnn-sample generate --scale 10 -o f32.safetensors -q
  gnn-sample sample f32.safetensors --seeds all --batch-size 1000 --no-shuffle --fanouts 2 -o - -q > all
  s -o - | PYTHONPATH=$(dirname "$reader") python3 -c '
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
  awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 7919 % 400 "," int(i * 0.7) % 300 }' > ab
  awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 31 % 300 "," int(i * 0.3) % 400 }' > ba
  gnn-sample import --edges a:r:b=ab --edges b:s:a=ba -o types.safetensors -q
  typed() { gnn-sample sample types.safetensors --seed-type b --seeds all --fanouts 5,3 --batch-size 70 -q "$@" -o -; }
  typed | PYTHONPATH=$(dirname "$reader") python3 -c '
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
  if python3 -c 'import torch_geometric' 2>/dev/null; then
    typed --semantics frontier --layout coo | python3 "$(dirname "$reader")/hetero_data.py" | grep -c '^HeteroData' | grep -qx 5 ||
      failed 'HeteroData'
  else
    echo 'skipped: HeteroData (package torch_geometric is not installed)'
  fi
else
  echo 'skipped: arrays (package numpy is not installed)'
fi
exit $status
