#!/bin/sh
# examples/pipelines on the small data sets: what one tool writes the next one takes, and models learn from it.
#   pipelines.sh BIN_DIR SOURCE_DIR [TARGET...]: without targets those that need no PyTorch, and what came of them
# PIPELINE: the command that makes targets, instead of make -s; what it prints elsewhere is in job.log
set -eu
PATH=$(cd "$1" && pwd):$PATH; export PATH
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/examples"
cp -r "$2/examples/pipelines" "$2/examples/gnn" "$scratch/examples"
ln -s "$(cd "$2" && pwd)/examples/data" "$scratch/examples/data"
shift 2
cd "$scratch/examples/pipelines"
status=0
${PIPELINE:-make -s} shared='--epochs 2' sage='--fanouts 10,5 --hidden 32 --learning-rate 0.01 --epochs 3' "${@:-all}" > log 2>&1 || status=1
[ ! -e job.log ] || cat job.log >> log
[ $status = 0 ] || { cat log; exit 1; }
[ $# = 0 ] || { cat log; exit; }
# share FILE KEY LEAST: the result is at least that
share() {
  python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(r[sys.argv[2]] < float(sys.argv[3]))' "$@" ||
    { echo "$1: $2 is below $3"; cat "$1"; exit 1; }
}
share hypernyms.eval.json p_at_1 0.75
share full.eval.json test_accuracy 0.95
share nodes.eval.json accuracy 0.85  # most are users: 0.833
python3 -c '
import json
full, small = (json.load(open(name + ".eval.json")) for name in ("full", "small"))
same = [key for key in full if key.startswith("test_")]
assert same and all(full[key] == small[key] for key in same), (full, small)' || {
  echo 'int4 is exact for 0 and 1, but the models differ'; exit 1
}
[ "$(stat -c %s small.safetensors)" -lt $(($(stat -c %s full.safetensors) / 4)) ] || { echo 'the features did not shrink'; exit 1; }
