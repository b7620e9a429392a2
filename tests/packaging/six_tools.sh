#!/bin/sh
# A result of each of the six tools on real data, where nothing else is installed. Runs in a folder with examples/data as data
# and changes.tsv (see installed_test.sh).
set -eu
# at_least LEAST KEY COMMAND...: the number KEY in the JSON of its result
at_least() {
  least=$1; key=$2; shift 2
  value=$("$@" --json -q | sed -n "s/^.*\"$key\": *\([0-9.]*\).*$/\1/p" | head -n 1)
  echo "$1 $2: $key $value"
  awk -v value="$value" -v least="$least" 'BEGIN { exit !(value != "" && value + 0 >= least) }'
}

sparse-train train data/text-wordnet-lexnames/train.csv.zst --epochs 5 -o text.model -q
at_least 0.7 p_at_1 sparse-train eval text.model data/text-wordnet-lexnames/test.csv.zst

robe-compress train data/ctr-insteval/train.csv.zst --positive 'y>=4' --compression 10 -o clicks.model -q
at_least 0.7 auc robe-compress eval clicks.model data/ctr-insteval/test.csv.zst

nouns=data/graph-wordnet-nouns
gnn-sample import $nouns/edges.csv.zst --undirected --features $nouns/features.libsvm.zst --split $nouns/split.txt.zst \
  -o nouns.safetensors -q
gnn-sample train nouns.safetensors --fanouts 10,5 --hidden 64 --learning-rate 0.01 --epochs 3 -o nouns.model -q
at_least 0.9 test_accuracy gnn-sample eval nouns.model nouns.safetensors

tgn-train import changes.tsv --header no --ids any --sort -o changes.safetensors -q
tgn-train train changes.safetensors --epochs 3 --pair-features --batch-size 40 -o changes.model -q
at_least 0.55 test_average_precision tgn-train eval changes.model changes.safetensors

at_least 1 cpus_usable hw-probe detect
for model in text clicks nouns changes; do tensor-file verify $model.model; done
