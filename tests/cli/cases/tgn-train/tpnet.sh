# TPNet, which embeds pairs: what goes with it, and what needs nodes that are embedded alone.
tgn-train generate --scale 20 --features 3 --recurrence 0.95 -o e.safetensors -q
t() { tgn-train train e.safetensors -q --architecture tpnet --memory-dim 8 --time-dim 8 --neighbors 6 --epochs 3 --batch-size 40 --learning-rate 0.003 "$@"; }
# An untrained network (--learning-rate 1e-9) has an AP of 0.43; the mix would hide it.
t --mix none -o m --json > said
awk '/"test_average_precision":/ { print ($2 + 0 > 0.65 ? "learns" : "does not learn: " $2) } /"memory_bytes"/' said
# Threads change no bit; a checkpoint continues with the same bits.
for n in 1 3; do t --threads $n -o m.$n; done; tensor-file diff m.1 m.3 && echo same
t --checkpoint c --checkpoint-every 0s -o m.4; t --checkpoint c --resume -o m.5 --json | grep '"resumed_from_step"'; tensor-file diff m.4 m.5 && echo same
# Copies in ranges of time, several negatives, node features, uniform neighbours and fixed times work as elsewhere.
for how in '--time-ranges 2' '--negatives 3 --loss ranking' '--neighbor-sampling uniform' '--time-encoder fixed' '--layers 1' '--precision bf16' '--no-eval'; do t $how --steps 3 -o w && echo "$how"; done
# Ranks and hard negatives of the network alone: one that learns nothing has an MRR of 0.19 here.
value() { awk -v key="\"$1\":" '$1 == key { print $2 + 0 }'; }
between() { awk -v what="$1" -v low="$2" -v x="$3" -v high="$4" 'BEGIN { print what, (low < x && x < high ? "as expected" : "not as expected: " x) }'; }
e() { tgn-train eval "$@" -q --no-baselines --json; }
t --mix none --learning-rate 1e-9 -o n
between "MRR, trained" 0.5 "$(e m e.safetensors --ranks all | value test_mrr)" 0.8
between "MRR, untrained" 0.05 "$(e n e.safetensors --ranks all | value test_mrr)" 0.3
e m e.safetensors > random; e m e.safetensors --negatives historical > historical
between "AP among historical negatives" 0.5 "$(value test_average_precision < historical)" 0.72
between "AP among random ones" 0.72 "$(value test_average_precision < random)" 0.9
# The mix reads the network's logits, for all 24 destinations or for those that keys select. A single one is ranked by keys alone.
tgn-train generate --scale 8 --features 3 --recurrence 0.5 -o b.safetensors -q
tgn-train train b.safetensors -q --architecture tpnet --memory-dim 8 --time-dim 8 --neighbors 6 --epochs 3 --batch-size 40 --learning-rate 0.003 -o b --json | grep '"predictor"'
all=$(e b b.safetensors --ranks all | value test_mrr)
among() { e b b.safetensors --ranks all --shortlist "$1" | value test_mrr | awk -v all="$all" '{ print $1 - all }'; }
between "MRR with a shortlist of 24, less that of all" -1e-9 "$(among 24)" 1e-9
between "of 5" -0.0015 "$(among 5)" 0.0015
between "of 1" -0.02 "$(among 1)" -0.002
# A model with parts that train refuses together.
tensor-file convert m whole.safetensors -q
damaged() { LC_ALL=C sed "$1" whole.safetensors > damaged.safetensors; tgn-train eval damaged.safetensors e.safetensors -q; echo "exit $?"; }
damaged 's/"tgn.memory":"window"/"tgn.memory":"exact" /'
damaged 's/"tgn.aggregator":"last"/"tgn.aggregator":"mean"/'
# A step that cannot fit into memory is refused before it is computed.
t --neighbors 1000 --negatives 1000 --batch-size 200 -o w 2>&1 | sed 's/at most the .* that are/at most the SIZE that are/'
# Embeddings of nodes alone are refused.
tgn-train embed m e.safetensors -o x; echo "exit $?"
tgn-train export m e.safetensors --ipu -o x; echo "exit $?"
tensor-file cat e.safetensors --tensor sources > s; tensor-file cat e.safetensors --tensor destinations > d; tensor-file cat e.safetensors --tensor times > w
paste -d, s d w | awk -F, '{ print $0 "," NR % 3 % 2 }' > labelled.csv; tgn-train import labelled.csv --columns 1:source,2:destination,3:time,4:label -o l.safetensors -q
tgn-train train l.safetensors --task node-label --from m -o x -q; echo "exit $?"
tgn-train eval m e.safetensors --device cuda -q; echo "exit $?"
