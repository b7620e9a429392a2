#!/bin/sh
# Error of the cost model on runs of the four trainers, before and after calibration: tests/bench/results/hw-probe.md.
#   calibrate.sh BIN DATA FOLDER
# BIN: folder of the tools. DATA: has ctr/frappe-partial, ctr/criteo-10k, temporal/collegemsg, temporal/bitcoin-otc,
# xmc/bibtex and bundle/xmc-wordnet-hypernyms-small. FOLDER: for graphs, models and logs. One thread each; on a busy
# machine put `chrt -f 1` before it.
set -eu
PATH=$(cd "$1" && pwd):$PATH data=$(cd "$2" && pwd); mkdir -p "$3"; cd "$3"
words=$data/bundle/xmc-wordnet-hypernyms-small/train.txt bibtex=$data/xmc/bibtex/train.txt.zst
criteo=$data/ctr/criteo-10k/train.tsv.zst frappe=$data/ctr/frappe-partial/frappe.validation.libfm.zst
gnn-sample generate --model sbm --nodes 20000 --degree 20 --features 128 -f -o small.graph -q
gnn-sample generate --model sbm --nodes 60000 --degree 30 --features 64 -f -o large.graph -q
tgn-train import "$data/temporal/collegemsg/CollegeMsg.txt.gz" -f -o college.events -q
tgn-train import "$data/temporal/bitcoin-otc/soc-sign-bitcoinotc.csv" -f -o otc.events -q

# run LOG TOOL INPUT OPTIONS
run() { log=$1 tool=$2 input=$3; shift 3; "$tool" train "$input" -f -o x.model --threads 1 -q --metrics "$log.jsonl" "$@"; }
tgn() { run "$1" tgn-train "$2.events" --no-eval --batch-size "$3" --steps "$4"; }
gnn() { run "$1" gnn-sample "$2.graph" --eval-every 1000 --fanouts "$3" --hidden "$4" --batch-size "$5" --epochs "$6"; }
sparse() { run "$1" sparse-train "$2" --calibration none --architecture dense --hidden "$3" --batch-size "$4" --epochs "$5"; }

hw-probe bench --threads 1 --json -q > bench.json
tgn fit-tgn-1 college 200 60; tgn fit-tgn-2 college 10 300; tgn fit-tgn-3 otc 50 150
tgn fit-tgn-4 college 100 60; tgn fit-tgn-5 otc 10 200
tgn held-tgn-1 otc 200 60; tgn held-tgn-2 college 40 150; tgn held-tgn-3 otc 20 200
run fit-robe-1 robe-compress "$frappe" --dim 16 --epochs 2
run fit-robe-2 robe-compress "$criteo" --dim 16 --epochs 2
run fit-robe-3 robe-compress "$frappe" --dim 64 --top 512,256 --epochs 1 --batch-size 1024
run fit-robe-4 robe-compress "$criteo" --dim 32 --top 256,128 --epochs 2 --batch-size 512
run fit-robe-5 robe-compress "$frappe" --dim 32 --epochs 1 --batch-size 256
run fit-robe-6 robe-compress "$criteo" --dim 128 --epochs 2
run held-robe-1 robe-compress "$criteo" --dim 64 --top 512,256 --epochs 2
run held-robe-2 robe-compress "$frappe" --dim 32 --top 256,128 --epochs 1 --batch-size 512
run held-robe-3 robe-compress "$criteo" --dim 32 --epochs 4 --batch-size 2048
gnn fit-gnn-1 small 10,5 64 512 6; gnn fit-gnn-2 large 10,5 128 1024 2; gnn fit-gnn-3 small 15,10,5 128 256 1
gnn fit-gnn-4 large 5,5 256 1024 2; gnn fit-gnn-5 small 5,5 64 256 4; gnn fit-gnn-6 large 5,5,5 128 512 1
gnn held-gnn-1 large 5,5 64 512 3; gnn held-gnn-2 small 10,10 256 1024 2; gnn held-gnn-3 large 10,5,5 64 512 1
sparse fit-sparse-1 "$words" 64 64 2; sparse fit-sparse-2 "$words" 256 256 1; sparse fit-sparse-3 "$bibtex" 128 64 4
sparse fit-sparse-4 "$words" 128 64 1; sparse fit-sparse-5 "$bibtex" 256 64 4; sparse fit-sparse-6 "$words" 64 512 2
sparse held-sparse-1 "$words" 128 128 1; sparse held-sparse-2 "$bibtex" 256 128 4; sparse held-sparse-3 "$words" 256 64 1

for tool in tgn robe gnn sparse '*'; do
  set --; for log in held-$tool-*.jsonl; do set -- "$@" --held-out "$log"; done
  echo "$tool:"; hw-probe calibrate fit-$tool-*.jsonl "$@" --machine bench.json --allow-noisy -o "efficiency.yaml" -f | grep mean
done
