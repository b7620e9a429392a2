#!/bin/sh
# The loader of examples/gnn, frugal_loader.py: what it gives, how it ends, and what is left of it.
#   loader.sh BIN_DIR SOURCE_DIR CASE MODULE...
. "$(dirname "$0")/needs.sh"
bin=$1; here=$2; case=$3; shift 3
needs numpy "$@"
PATH=$(cd "$bin" && pwd):$PATH; source=$(cd "$here" && pwd)
PYTHONPATH=$source/examples/gnn:${PYTHONPATH:-}; PYTHONDONTWRITEBYTECODE=1; export PYTHONPATH PYTHONDONTWRITEBYTECODE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
gnn-sample generate --scale 10 --feature-type bf16 -o g.safetensors -q
gnn-sample generate --scale 10 --feature-type f16 -o h.safetensors -q
awk 'BEGIN { for (i = 0; i < 300; i++) print i * i % 7 "," i }' > e.csv
awk 'BEGIN { for (i = 0; i < 300; i++) print i % 3 " " i * 7 % 50 ":" i % 4 + 0.5 " " 50 + i % 40 ":1" }' > x.svm
gnn-sample import e.csv --undirected --features x.svm --feature-layout sparse -o s.safetensors -q
. "$source/tests/python/typed_graph.sh"
timeout 300 python3 "$source/tests/python/loader.py" "$case"
