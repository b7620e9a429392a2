# Every architecture and memory mode learns, and is the same for 1, 2 and 8 threads. Untrained networks (--learning-rate 1e-9) have
# an AP of 0.44 to 0.55; those that read pairs have 0.67 to 0.68, by features alone. The mix would hide the network.
tgn-train generate --scale 4 --features 4 --recurrence 0.95 -o e.safetensors -q
t() { tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --learning-rate 0.003 --batch-size 20 --epochs 4 --new-nodes 0 --mix none -q "$@"; }
least=0.65
same() {
  t "$@" --threads 2 -o m.2 --json > said
  awk -v what="$*" -v least="$least" '/"test_average_precision":/ { print what, ($2 + 0 > least ? "learns" : "does not learn: " $2) }' said
  for n in 1 8; do t "$@" --steps 9 --no-eval --threads $n -o s.$n; done
  tensor-file diff s.1 s.8 && echo same
}
for architecture in tgn-attn tgn-2l tgn-sum tgn-id tgn-time tgn-no-mem jodie; do same --architecture $architecture; done
same --architecture tgn-mean --memory exact
least=0.58 same --architecture dyrep --memory exact
same --memory exact --message mlp --message-dim 12
same --memory read
same --neighbor-sampling uniform
same --refresh none --memory-dtype bf16
least=0.8 same --pair-features
same --precision bf16
same --architecture pyg --memory read
same --architecture pyg
least=0.8 same --architecture tpnet
least=0.8 same --architecture tncn
least=0.8 same --architecture tgn-attn --decoder common --memory exact
