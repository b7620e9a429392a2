#!/bin/sh
# Three questions of people who are about to buy or rent a machine, answered from a first small run of their own.
#   examples/which-hardware/questions.sh
# The tools are taken from PATH; README.md says how to read what it prints.
set -eu
data=$(cd "$(dirname "$0")/../data" && pwd)
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT; cd "$out"
ask() { printf '\n== %s\n' "$1"; }
# run 'COMMAND': shows the command, then runs it
run() { printf '$ %s\n' "$1"; eval "$1"; }
ln -s "$data" data

ask 'How fast is this machine? (once; the questions below use it)'
run 'hw-probe bench --json -q > here.json'

ask 'A laptop and a set of texts: train at home, or rent a server?'
run 'sparse-train train data/text-wordnet-lexnames/train.csv.zst -o texts.model --metrics texts.jsonl -q'
run 'hw-probe advise texts.jsonl --machines here.json,laptop-7840u,c7g.8xlarge --allow-noisy'

ask 'A lab, a graph and a budget: what does it cost until the accuracy is 96 %?'
nouns=data/graph-wordnet-nouns
run "gnn-sample import $nouns/edges.csv.zst --undirected --features $nouns/features.libsvm.zst --split $nouns/split.txt.zst -o nouns.graph -q"
run 'gnn-sample train nouns.graph -o nouns.model --hidden 64 --learning-rate 0.01 --epochs 8 --metrics nouns.jsonl -q'
run 'hw-probe advise nouns.jsonl --until accuracy=0.96 --order price --machines here.json,c7g.8xlarge,c6i.8xlarge,g5g.8xlarge,a100 --allow-noisy'
echo 'The same network on a graph of 2.4 million nodes, 100 epochs, and the job for the machine of choice:'
run 'hw-probe advise ogbn-products --epochs 100 --order price --machines c7g.8xlarge,c6i.8xlarge,g5g.8xlarge,a100 --plot products.svg'
run 'hw-probe advise ogbn-products --epochs 100 --machines c7g.8xlarge --format slurm'

ask 'A shop, clicks and a latency of 5 ms for 100 offers: which machine answers in time?'
run "robe-compress train data/ctr-insteval/train.csv.zst --positive 'y>=4' -o clicks.model --metrics clicks.jsonl -q"
run 'hw-probe advise clicks.jsonl --predict --batch-size 100 --machines here.json,c7g.8xlarge,laptop-7840u --allow-noisy'
echo 'What this machine really does, reading and writing included:'
run 'robe-compress predict clicks.model data/ctr-insteval/test.csv.zst -o clicks.tsv --json'
