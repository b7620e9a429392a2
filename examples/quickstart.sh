#!/bin/sh
# Sets up, builds, and runs the demo on the small real data sets in examples/data: trains, evaluates and
# predicts with sparse-train, checks the files with tensor-file, asks hw-probe about the machine; prints a
# table of results and writes report.html.
#   examples/quickstart.sh [--no-build]    with --no-build the tools are taken from PATH
set -eu
cd "$(dirname "$0")/.."

if [ "${1-}" = --no-build ]; then
  command -v sparse-train >/dev/null || { echo "quickstart: sparse-train is not in PATH" >&2; exit 69; }
else
  packages/install.sh
  mkdir -p build
  echo "building (once; about two minutes on two cores) ..."
  { cmake --preset release && cmake --build --preset release --target tools; } >build/quickstart.log 2>&1 ||
    { tail -n 40 build/quickstart.log; exit 1; }
  PATH=$PWD/build/release/bin:$PATH
fi

out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
data=examples/data
began=$(date +%s)
step() { printf '\n$ %s\n' "$*"; }
# field FILE KEY: a value of a JSON result
field() { python3 -c 'import json, sys; v = json.load(open(sys.argv[1]))[sys.argv[2]]; print(round(v, 4) if isinstance(v, float) else v)' "$1" "$2"; }

step hw-probe detect
hw-probe detect

# demo NAME TRAIN TEST [options of train...]
demo() {
  name=$1; train=$2; test=$3; shift 3
  step sparse-train train "$train" -o "$name.model" "$@"
  sparse-train train "$train" -o "$out/$name.model" --validation "$test" --json --report "$out/report.html" --report-append "$@" >"$out/$name.train.json"
  step sparse-train eval "$name.model" "$test"
  sparse-train eval "$out/$name.model" "$test"
  sparse-train eval "$out/$name.model" "$test" --json >"$out/$name.eval.json"
  tensor-file verify "$out/$name.model" >/dev/null
}
demo glosses $data/text-wordnet-lexnames/train.csv.zst $data/text-wordnet-lexnames/test.csv.zst
hypernyms=$data/xmc-wordnet-hypernyms
demo hypernyms $hypernyms/train.txt.zst $hypernyms/test.txt.zst
demo hypernyms-hybrid $hypernyms/train.txt.zst $hypernyms/test.txt.zst --output hybrid
demo hypernyms-shared $hypernyms/train.txt.zst $hypernyms/test.txt.zst --output shared

step "echo ',a large wild cat of the forests of Asia' | sparse-train predict glosses.model --top-k 3"
echo ',a large wild cat of the forests of Asia' | sparse-train predict "$out/glosses.model" --top-k 3

step "echo ',a large wild cat of the forests of Asia' | sparse-train predict glosses.model --explain --explain-features 5"
echo ',a large wild cat of the forests of Asia' | sparse-train predict "$out/glosses.model" --explain --explain-features 5

step tensor-file info glosses.model
tensor-file info "$out/glosses.model"

row='%-44s %9s %7s %8s %8s %8s  %s\n'
printf "\n$row" 'data (origin and licence: examples/data)' examples labels P@1 P@5 'train s' "a rival's P@1 (tests/bench/RESULTS.md)"
for name in glosses hypernyms hypernyms-shared hypernyms-hybrid; do
  rival='0.888 napkinXC PLT in 2.3 s'
  case $name in
    glosses) what='text: category of a WordNet gloss'; rival='0.740 fastText in 2.0 s' ;;
    hypernyms) what='multi-label: hypernyms of a WordNet gloss' ;;
    hypernyms-shared) what='  the same, a network with sampled outputs' ;;
    *) what='  the same, label trees and a network' ;;
  esac
  printf "$row" "$what" "$(field "$out/$name.train.json" examples)" "$(field "$out/$name.train.json" labels)" \
    "$(field "$out/$name.eval.json" p_at_1)" "$(field "$out/$name.eval.json" p_at_5)" "$(field "$out/$name.train.json" train_seconds)" "$rival"
done
cp "$out/report.html" report.html
printf '\nreport.html written; %s s after the build. Beside fastText on larger sets: tests/bench/RESULTS.md\n' "$(($(date +%s) - began))"
