#!/bin/sh
# Sets up, builds, and runs the demo on the small real data sets in examples/data: trains, evaluates and
# predicts with sparse-train, makes click models small with robe-compress, trains graph neural networks with
# gnn-sample and a temporal graph network on a generated stream with tgn-train, checks the files with tensor-file,
# asks hw-probe about the machine and others; prints tables of results and writes report.html.
#   examples/quickstart.sh [--no-build]    with --no-build the tools are taken from PATH
set -eu
cd "$(dirname "$0")/.."

if [ "${1-}" = --no-build ]; then
  command -v sparse-train >/dev/null || { echo "quickstart: sparse-train is not in PATH" >&2; exit 69; }
else
  packages/install.sh
  mkdir -p build
  echo "building (once; some minutes on two cores) ..."
  # Files in groups, as tests/run.sh compiles them: half the time, and nothing is compiled again for the tests.
  unity=; [ -e build/release/CMakeCache.txt ] || unity=-DFRUGAL_UNITY=ON
  { cmake --preset release $unity && cmake --build --preset release --target tools; } >build/quickstart.log 2>&1 ||
    { tail -n 40 build/quickstart.log; exit 1; }
  PATH=$PWD/build/release/bin:$PATH
fi

# The demo runs in a folder of its own, from which the data have the names that the repository gives them.
here=$PWD
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
ln -s "$here/examples" "$out/examples"
cd "$out"
began=$(date +%s)
# run 'COMMAND': shows the command, then runs it
run() { printf '\n$ %s\n' "$1"; eval "$1"; }

run 'hw-probe detect'
run 'hw-probe advise tgn-wikipedia-10 --machines laptop-7840u,c7g.8xlarge,a100,ipu-mk2'

# demo NAME DATA SUFFIX [options of train...]
demo() {
  name=$1; train=examples/data/$2/train.$3; test=examples/data/$2/test.$3; shift 3
  run "sparse-train train $train -o $name.model --validation $test --report report.html --report-append --json${*:+ $*} >$name.train.json"
  run "sparse-train eval $name.model $test --json >$name.eval.json"
  run "sparse-train eval $name.model $test"
  tensor-file verify "$name.model" >/dev/null
}
demo glosses text-wordnet-lexnames csv.zst
demo hypernyms xmc-wordnet-hypernyms txt.zst
demo hypernyms-shared xmc-wordnet-hypernyms txt.zst --architecture shared --epochs 5

run "echo ',a large wild cat of the forests of Asia' | sparse-train predict glosses.model --top-k 3"
run "echo ',a large wild cat of the forests of Asia' | sparse-train predict glosses.model --explain --explain-features 5"
run 'tensor-file info glosses.model'

# ratings NAME [options of train...]: a model of which ratings are high
ratings() {
  name=$1; shift
  run "robe-compress train examples/data/ctr-insteval/train.csv.zst --positive 'y>=4' --held-out every:20 -o $name.model --report report.html --report-append --json -q $* >$name.train.json"
  run "robe-compress eval $name.model examples/data/ctr-insteval/test.csv.zst --json >$name.eval.json"
  tensor-file verify "$name.model" >/dev/null
}
ratings ratings-full --method full
ratings ratings-robe --compression 10
ratings ratings-hash --method hash --compression 10
run 'robe-compress compress ratings-full.model -o ratings-fitted.model --compression 10 --hot-share 0 --fine-tune examples/data/ctr-insteval/train.csv.zst --json -q >ratings-fitted.train.json'
run 'robe-compress eval ratings-fitted.model examples/data/ctr-insteval/test.csv.zst --json >ratings-fitted.eval.json'
run "printf '0\n17\n' | robe-compress lookup ratings-robe.model --table d -o rows.safetensors && tensor-file info rows.safetensors"
run "robe-compress generate --shape terabyte --samples 50000 | robe-compress train - --format criteo --stream --ids number --rows terabyte --dim 128 --bytes 100M --storage f32 --bottom 64 --top 64 -o terabyte.model"

nouns=examples/data/graph-wordnet-nouns
run "gnn-sample import $nouns/edges.csv.zst --undirected --features $nouns/features.libsvm.zst --split $nouns/split.txt.zst -o nouns.safetensors"
# nouns NAME [options of train...]: a model of what a noun is
nouns() {
  name=$1; shift
  run "gnn-sample train nouns.safetensors -o $name.model --hidden 64 --learning-rate 0.01 --epochs 8 --report report.html --report-append --json -q $* >$name.train.json"
  run "gnn-sample eval $name.model nouns.safetensors --json -q >$name.eval.json"
  tensor-file verify "$name.model" >/dev/null
}
nouns nouns-sage --fanouts 10,5
nouns nouns-gat --architecture gat --heads 4 --hidden 16 --fanouts 10,5
run 'gnn-sample bench nouns.safetensors --fanouts 15,10,5 --json -q >nouns.bench.json'
run "gnn-sample sample nouns.safetensors --fanouts 10,5 --batches 2 -o - | python3 examples/gnn/minibatches.py"

# No stream of events lies in examples/data: this one is generated.
run 'tgn-train generate -o stream.safetensors'
small='--memory-dim 64 --time-dim 64 --time-encoder fixed --learning-rate 0.001'
# stream NAME [options of train...]: a model of which events follow
stream() {
  name=$1; shift
  run "tgn-train train stream.safetensors -o $name.model $small --batch-size 40 --epochs 2 --report report.html --report-append --json -q $* >$name.train.json"
  run "tgn-train eval $name.model stream.safetensors --eval-negatives 20 --json >$name.eval.json"
  tensor-file verify "$name.model" >/dev/null
}
stream stream
stream stream-network --mix none
stream stream-pairs --pair-features
run "tgn-train sweep stream.safetensors $small --batch-size 10,200 --precision f32 --memory window --epochs 2 --report report.html --report-append --progress never"

# values 'FILE KEY...'...: of each JSON result the sum of these values
values() {
  python3 -c '
import json, sys
for file, *keys in map(str.split, sys.argv[1:]):
    total = sum(json.load(open(file))[key] for key in keys)
    print(f"{total:.1f}" if keys[-1].endswith("seconds") else round(total, 4))' "$@"
}
# row WHAT LAST 'FILE KEY...'...: of a table, in its format: WHAT, the values, LAST
row() {
  what=$1; last=$2; shift 2
  # shellcheck disable=SC2046,SC2059
  printf "$format" "$what" $(values "$@") "$last"
}

format='%-44s %9s %7s %8s %8s %8s  %s\n'
# result NAME WHAT RIVAL
result() {
  row "$2" "$3" "$1.train.json examples" "$1.train.json labels" "$1.eval.json p_at_1" "$1.eval.json p_at_5" \
    "$1.train.json search_seconds read_seconds fit_seconds calibration_seconds write_seconds"
}
printf "\n$format" 'data (origin and licence: examples/data)' examples labels P@1 P@5 'train s' "the best rival's P@1 (tests/bench/results)"
result glosses 'text: category of a WordNet gloss' '0.762 fastText in 22.6 s'
result hypernyms 'multi-label: hypernyms of a WordNet gloss' '0.889 Omikuji in 5.6 CPU s'
result hypernyms-shared '  the same, a network with sampled outputs' '0.889 Omikuji in 5.6 CPU s'

format='%-44s %9s %9s %8s %8s%s\n'
# click_result NAME WHAT
click_result() {
  [ "$1" = ratings-fitted ] && bytes=bytes_after || bytes=embedding_bytes
  row "$2" '' "$1.train.json samples" "$1.train.json $bytes" "$1.eval.json auc" "$1.eval.json log_loss"
}
printf "\n$format" 'which ratings of lecturers are 4 or 5' samples 'bytes' AUC log-loss '  another seed moves AUC by 0.001'
click_result ratings-full 'full embedding tables'
click_result ratings-robe '  10 times smaller: ROBE'
click_result ratings-hash '  10 times smaller: the hashing trick'
click_result ratings-fitted '  10 times smaller: fitted to the full tables'

format='%-44s %9s %9s %8s %8s %8s  %s\n'
# graph_result NAME WHAT RIVAL
graph_result() {
  row "$2" "$3" "$1.train.json nodes" "$1.train.json edges" "$1.eval.json test_accuracy" "$1.eval.json test_macro_f1" \
    "$1.train.json train_seconds"
}
printf "\n$format" 'what a noun is, by its gloss and relations' nodes edges accuracy macro-F1 'train s' 'with PyTorch Geometric'
graph_result nouns-sage 'GraphSAGE' '0.972 in 9.2 s'
graph_result nouns-gat 'graph attention' ''
printf '%.0f edges a second sampled (fanouts 15, 10, 5)\n' "$(values 'nouns.bench.json sampled_edges_per_second')"

# stream_result NAME WHAT
stream_result() {
  row "$2" "$(best_baseline "$1.eval.json")" "$1.train.json nodes" "$1.train.json events" \
    "$1.eval.json test_average_precision" "$1.eval.json test_mrr" "$1.train.json train_seconds"
}
# best_baseline FILE: of the predictions without learning that eval has beside a model the best test AP, and its name
best_baseline() { python3 -c 'import json, sys; print("{:.4f} {}".format(*max((b["average_precision"], name) for name, b in json.load(open(sys.argv[1]))["baselines"].items())))' "$1"; }
printf "\n$format" 'the next event of a generated stream, of 21' nodes events 'test AP' 'test MRR' 'train s' 'the best AP without learning'
stream_result stream 'temporal graph network and exact keys, mixed'
stream_result stream-network '  the network alone (--mix none)'
stream_result stream-pairs '  that sees what two nodes have in common'
cp report.html "$here"
printf '\nreport.html written; %s s after the build. Larger data and more rivals: tests/bench/RESULTS.md\n' "$(($(date +%s) - began))"
