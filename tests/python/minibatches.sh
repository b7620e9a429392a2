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
s --level none -o whole; python3 "$reader" < whole | diff lines - || failed 'a file differs from the pipe'
cat whole whole | python3 "$reader" | wc -l | grep -qx ' *12' || failed 'streams one behind the other'
{ head -c 5 whole; sleep 0.1; tail -c +6 whole; } | PYTHONPATH=$(dirname "$reader") python3 -c '
import minibatches as m
print(sum(1 for _ in m.documents(open(0, "rb", buffering=0))))' | grep -qx 6 || failed 'a pipe that comes in pieces'
s -o packed; python3 "$reader" < packed > said 2>&1 && failed 'a compressed stream was read'
grep -q 'is compressed; write it with gnn-sample sample --level none, or read it through zstd -dc' said || { failed 'compressed'; cat said; }
if command -v zstd > unused; then zstd -dcq < packed | python3 "$reader" | diff lines - || failed 'unpacked by zstd'; fi
for bytes in 4 100 5000 $(($(wc -c < whole) - 600)); do
  head -c "$bytes" whole | python3 "$reader" >/dev/null 2>&1 && failed "a stream cut to $bytes bytes was read"
done
# Sparse features are a matrix of SciPy, nodes have the names of the input.
printf 'a,b\nb,c\nc,a\n' > e.csv; printf 'a 0:1 7:2\nb 3:1\nc 9:0.5\n' > x
gnn-sample import e.csv --ids any --features x --columns 1:id --feature-type bf16 --feature-layout sparse -o n.safetensors -q
gnn-sample sample n.safetensors --seeds all --fanouts 1 --no-shuffle -o - -q > named
if python3 -c 'import scipy.sparse' 2> unused; then
  PYTHONPATH=$(dirname "$reader") python3 -c '
import minibatches as m
for _, a in m.minibatches(open(0, "rb", buffering=0)): print(*m.names_of(a), *a["features"].toarray().ravel().tolist())' < named > said
  echo 'a b c 1.0 0.0 0.0 0.0 0.0 0.0 0.0 2.0 0.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.5' |
    diff - said || failed 'sparse features or names'
fi
exit $status
