#!/bin/sh
# Runs of the four trainers that the cost model is judged by: tests/bench/results/hw-probe.md.
#   runs.sh BIN DATA FOLDER
# BIN: folder of the tools. DATA: ctr, graph, temporal, xmc and bundle. FOLDER gets bench.json, 23 logs fit-*.jsonl
# and 20 logs held-*.jsonl. No held-out run has the data of a fitted one. One thread each; FRUGAL_SIMD names other
# vector instructions. On a busy machine put `chrt -f 1` before it.
set -eu
PATH=$(cd "$1" && pwd):$PATH data=$(cd "$2" && pwd); mkdir -p "$3"; cd "$3"
words=$data/bundle/xmc-wordnet-hypernyms-small/train.txt bibtex=$data/xmc/bibtex/train.txt.zst
criteo=$data/ctr/criteo-10k/train.tsv.zst frappe=$data/ctr/frappe-partial/frappe.validation.libfm.zst
gnn-sample generate --model sbm --nodes 20000 --degree 20 --features 128 -f -o small.graph -q
gnn-sample generate --model sbm --nodes 60000 --degree 30 --features 64 -f -o large.graph -q
gnn-sample generate --shape arxiv --scale 4 --model rmat -f -o power.graph -q
nouns=$data/bundle/graph-wordnet-nouns
gnn-sample import "$nouns/edges.csv" --undirected --features "$nouns/features.libsvm" --split "$nouns/split.txt" -f -o nouns.graph -q
tgn-train import "$data/temporal/collegemsg/CollegeMsg.txt.gz" -f -o college.events -q
tgn-train import "$data/temporal/bitcoin-otc/soc-sign-bitcoinotc.csv" -f -o otc.events -q
tgn-train import "$data/temporal/enron/ml_enron.csv.zst" -f -o enron.events -q
tgn-train import "$data/temporal/duckdb-commits/interactions.csv.zst" -f -o duckdb.events -q
hw-probe bench --threads 1 --json -q > bench.json

# run LOG TOOL INPUT OPTIONS
run() { log=$1 tool=$2 input=$3; shift 3; "$tool" train "$input" -f -o x.model --threads 1 -q --metrics "$log.jsonl" "$@"; }
tgn() { run "$1" tgn-train "$2.events" --no-eval --batch-size "$3" --steps "$4"; }
gnn() { run "$1" gnn-sample "$2.graph" --eval-every 1000 --fanouts "$3" --hidden "$4" --batch-size "$5" --epochs "$6"; }
robe() { log=$1 input=$2; shift 2; run "$log" robe-compress "$input" "$@"; }
sparse() { run "$1" sparse-train "$2" --calibration none --architecture dense --hidden "$3" --batch-size "$4" --epochs "$5"; }

tgn fit-tgn-1 college 200 60; tgn fit-tgn-2 college 10 300; tgn fit-tgn-3 otc 50 150
tgn fit-tgn-4 college 100 60; tgn fit-tgn-5 otc 10 200
robe fit-robe-1 "$frappe" --dim 16 --epochs 2
robe fit-robe-2 "$criteo" --dim 16 --epochs 2
robe fit-robe-3 "$frappe" --dim 64 --top 512,256 --epochs 1 --batch-size 1024
robe fit-robe-4 "$criteo" --dim 32 --top 256,128 --epochs 2 --batch-size 512
robe fit-robe-5 "$frappe" --dim 32 --epochs 1 --batch-size 256
robe fit-robe-6 "$criteo" --dim 128 --epochs 2
gnn fit-gnn-1 small 10,5 64 512 6; gnn fit-gnn-2 large 10,5 128 1024 2; gnn fit-gnn-3 small 15,10,5 128 256 1
gnn fit-gnn-4 large 5,5 256 1024 2; gnn fit-gnn-5 small 5,5 64 256 4; gnn fit-gnn-6 large 5,5,5 128 512 1
sparse fit-sparse-1 "$words" 64 64 2; sparse fit-sparse-2 "$words" 256 256 1; sparse fit-sparse-3 "$bibtex" 128 64 4
sparse fit-sparse-4 "$words" 128 64 1; sparse fit-sparse-5 "$bibtex" 256 64 4; sparse fit-sparse-6 "$words" 64 512 2

tgn held-tgn-1 enron 200 60; tgn held-tgn-2 enron 40 150; tgn held-tgn-3 duckdb 20 200
tgn held-tgn-4 duckdb 100 60; tgn held-tgn-5 enron 10 200
avazu=$data/ctr/avazu-10k/train.csv.zst tweets=$data/ctr/movietweetings-100k/train.csv.zst
robe held-robe-1 "$avazu" --dim 64 --top 512,256 --epochs 2
robe held-robe-2 "$tweets" --positive 'rating>=8' --dim 32 --top 256,128 --epochs 1 --batch-size 512
robe held-robe-3 "$avazu" --dim 32 --epochs 2 --batch-size 2048
robe held-robe-4 "$tweets" --positive 'rating>=8' --dim 16 --epochs 1
robe held-robe-5 "$avazu" --dim 128 --epochs 2 --batch-size 256
gnn held-gnn-1 power 5,5 64 512 2; gnn held-gnn-2 nouns 10,10 256 1024 2; gnn held-gnn-3 nouns 10,5,5 64 512 2
gnn held-gnn-4 power 15,10 128 256 1; gnn held-gnn-5 power 10,5,5 128 1024 1
delicious=$data/xmc/delicious/train.txt.zst yso=$data/xmc/yso-finna-en/train.txt.zst cs=$data/xmc/stackex_cs/train.txt
sparse held-sparse-1 "$delicious" 128 128 2; sparse held-sparse-2 "$delicious" 64 64 2; sparse held-sparse-3 "$cs" 256 64 2
sparse held-sparse-4 "$cs" 64 256 2; sparse held-sparse-5 "$delicious" 256 256 2
