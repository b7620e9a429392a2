#!/bin/sh
# The mathematics of GraphSAGE on what `gnn-sample export --ipu` writes give the answers of `gnn-sample predict`, in numpy
# and, where it is there, in PyTorch; padding changes nothing.
#   graphcore_sage.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/needs.sh"
needs numpy safetensors
PATH=$(cd "$1" && pwd):$PATH; script=$(cd "$2" && pwd)/tests/python/graphcore_sage.py
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
status=0
# compare MODEL GRAPH SHAPES "PREDICT_OPTION..." EXPORT_OPTION...: of the same nodes.
compare() {
  model=$1; graph=$2; shapes=$3; predict=$4; shift 4
  echo "-- $model, $*"
  gnn-sample export --ipu "$model" "$graph" -o export.safetensors --batch-size 50 --shapes "$shapes" -q "$@" &&
    # shellcheck disable=SC2086
    gnn-sample predict "$model" "$graph" -o told.safetensors --precision f32 -q $predict &&
    python3 "$script" export.safetensors told.safetensors "$graph" || { echo "FAILED: $model, $*"; status=1; }
}
# drawn MODEL GRAPH SHAPES PROBABILITIES OPTION...: as predict draws neighbours.
drawn() {
  model=$1; graph=$2; shapes=$3; probabilities=$4; shift 4
  compare "$model" "$graph" "$shapes" "--batch-size 50 $probabilities $*" "$@"
}
gnn-sample generate --scale 10 -o g.safetensors -q
gnn-sample generate --scale 10 --feature-type bf16 -o h.safetensors -q
gnn-sample train g.safetensors --architecture sage --fanouts 10,5 --hidden 16 --batch-size 64 --learning-rate 0.01 --epochs 4 -o two -q
gnn-sample train g.safetensors --architecture sage --fanouts 4,4,4 --hidden 8 --no-bias --batch-size 64 --learning-rate 0.01 --epochs 4 -o three -q
gnn-sample train g.safetensors --architecture sage --task links --fanouts 5,5 --hidden 16 --batch-size 256 --epochs 1 -o links -q
# Sparse features, several labels a node.
python3 -c '
import random
r = random.Random(2)
nodes = [(r.randrange(4), r.randrange(3)) for _ in range(400)]
with open("edges.csv", "w") as edges, open("features.svm", "w") as features, open("labels.txt", "w") as labels:
    for i, (a, b) in enumerate(nodes):
        print(f"0 {1 + a}:1 {5 + b}:{1 + a}.5 {8 + i % 30}:1", file=features)
        print(int(a == 1), int(b == 1), int(a > b), file=labels)
        for _ in range(5):
            print(i, r.randrange(400), sep=",", file=edges)'
gnn-sample import edges.csv --undirected --features features.svm --feature-layout sparse --labels labels.txt --split 0.5,0.25,0.25 -o s.safetensors -q
gnn-sample train s.safetensors --architecture sage --fanouts 3,3 --hidden 8 --batch-size 20 --learning-rate 0.02 --epochs 6 -o several -q
drawn several s.safetensors 2 --probabilities --nodes all --fanouts 3,3
drawn two g.safetensors 1 --probabilities --nodes test --fanouts 10,5
drawn two h.safetensors 3 --probabilities --nodes all --fanouts 3,-1 --seed 7
drawn three g.safetensors 2 --probabilities --nodes valid --fanouts 4,4,4
drawn links g.safetensors 4 '' --nodes all --fanouts 5,5
# Nodes that are asked for twice.
printf '7\n0\n7\n99\n' > nodes.txt
drawn two g.safetensors 1 --probabilities --nodes nodes.txt --fanouts 10,5
# Whole neighbourhoods give what predict says exactly.
compare two g.safetensors 1 '--probabilities --nodes all' --nodes all --fanouts -1,-1
exit $status
