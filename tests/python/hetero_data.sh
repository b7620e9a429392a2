#!/bin/sh
# examples/gnn/hetero_data.py makes HeteroData of PyTorch Geometric of mini-batches of several types.
#   hetero_data.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/needs.sh"
needs torch_geometric
PATH=$(cd "$1" && pwd):$PATH; source=$(cd "$2" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
. "$source/tests/python/typed_graph.sh"
typed --semantics frontier --layout coo | python3 "$source/examples/gnn/hetero_data.py" | grep -c '^HeteroData' | grep -qx 5 || {
  echo 'FAILED: HeteroData'
  exit 1
}
