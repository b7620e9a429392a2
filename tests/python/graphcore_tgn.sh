#!/bin/sh
# The mathematics of Graphcore's TGN on what `tgn-train export --ipu` writes give the scores of `tgn-train eval`, in numpy
# and, where it is there, in PyTorch; padding changes nothing.
#   graphcore_tgn.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/needs.sh"
needs numpy safetensors
PATH=$(cd "$1" && pwd):$PATH; script=$(cd "$2" && pwd)/tests/python/graphcore_tgn.py
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
status=0
# compare EVENTS SHAPES OPTION...: trains so on EVENTS, which all parts are exported of. --time-unit auto would round times,
# which the modules do not.
compare() {
  events=$1; shapes=$2; shift 2
  echo "-- $events, $*"
  tgn-train train "$events" --architecture pyg --time-dim 6 --learning-rate 0.02 --seed 1 --epochs 15 --mix none -q -o model "$@" &&
    tgn-train eval model "$events" --batch-size 30 --ranks none --precision f32 --no-baselines --predictions told.csv -q || status=1
  for part in train validation test; do
    tgn-train export --ipu model "$events" --part $part --batch-size 30 --shapes "$shapes" -o $part.safetensors || status=1
    if [ $part = train ]; then python3 "$script" train.safetensors; else python3 "$script" $part.safetensors told.csv; fi ||
      { echo "FAILED: $part of $events, $*"; status=1; }
  done
}
tgn-train generate --scale 10 --features 3 -o edges.safetensors -q
# Many events at one time, which do not see each other but all before them, also where a batch ends between them; nodes
# that meet themselves.
python3 -c '
import random
r = random.Random(1)
for i in range(1500):
    a = r.randrange(40)
    b = (a * 7 + r.randrange(3)) % 40 if i % 3 == 0 else r.randrange(4)
    print(a, b, i // 11, a % 5 - 2, a % 3, sep=",")' > ties.csv
for ignored in feature ignore; do
  tgn-train import ties.csv --format csv --columns 1:source,2:destination,3:time,4:$ignored,5:$ignored \
    -o $ignored.safetensors -q
done
compare edges.safetensors 1 --time-unit 20000 --memory exact --memory-dim 8
compare edges.safetensors 3 --time-unit 5000 --memory read --memory-dim 9 --heads 3 --batch-size 64 --neighbor-sampling uniform --new-nodes 0
compare ignore.safetensors 1 --time-unit 4 --memory exact --memory-dim 8 --weights-only
compare feature.safetensors 2 --time-unit 3 --memory exact --memory-dim 8 --neighbors 4
exit $status
