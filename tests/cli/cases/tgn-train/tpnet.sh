# TPNet, which embeds pairs: what goes with it, and what needs nodes that are embedded alone.
tgn-train generate --scale 20 --features 3 --recurrence 0.95 -o e.safetensors -q
t() { tgn-train train e.safetensors -q --architecture tpnet --memory-dim 8 --time-dim 8 --neighbors 6 --epochs 3 --batch-size 40 --learning-rate 0.003 "$@"; }
t -o m --json > said
awk '/"test_average_precision":/ { print ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) } /"memory_bytes"/' said
# Threads change no bit; a checkpoint continues with the same bits.
for n in 1 3; do t --threads $n -o m.$n; done; tensor-file diff m.1 m.3 && echo same
t --checkpoint c --checkpoint-every 0s -o m.4; t --checkpoint c --resume -o m.5 --json | grep '"resumed_from_step"'; tensor-file diff m.4 m.5 && echo same
# Copies in ranges of time, several negatives, node features, uniform neighbours and fixed times work as elsewhere.
for how in '--time-ranges 2' '--negatives 3 --loss ranking' '--neighbor-sampling uniform' '--time-encoder fixed' '--layers 1' '--precision bf16' '--no-eval'; do t $how --steps 3 -o w && echo "$how"; done
# Ranks, hard negatives and the mix.
tgn-train generate --scale 8 --features 3 --recurrence 0.95 -o b.safetensors -q
tgn-train train b.safetensors -q --architecture tpnet --memory-dim 8 --time-dim 8 --neighbors 6 --epochs 1 --learning-rate 0.003 -o b
for how in '--ranks all' '--ranks historical --negatives historical' '--ranks all --shortlist 5'; do tgn-train eval b b.safetensors -q --no-baselines $how --json | grep -c '"test_mrr"\|"test_average_precision"'; done
# Embeddings of nodes alone are refused.
tgn-train embed m e.safetensors -o x; echo "exit $?"
tgn-train export m e.safetensors --ipu -o x; echo "exit $?"
tensor-file cat e.safetensors --tensor sources > s; tensor-file cat e.safetensors --tensor destinations > d; tensor-file cat e.safetensors --tensor times > w
paste -d, s d w | awk -F, '{ print $0 "," NR % 3 % 2 }' > labelled.csv; tgn-train import labelled.csv --columns 1:source,2:destination,3:time,4:label -o l.safetensors -q
tgn-train train l.safetensors --task node-label --from m -o x -q; echo "exit $?"
tgn-train eval m e.safetensors --device cuda -q; echo "exit $?"
