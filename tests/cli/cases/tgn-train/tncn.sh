# TNCN, whose decoder reads common neighbours: what goes with it, and what needs nodes that are embedded alone.
tgn-train generate --scale 20 --features 3 --recurrence 0.95 -o e.safetensors -q
t() { tgn-train train e.safetensors -q --architecture tncn --memory-dim 8 --time-dim 8 --neighbors 6 --epochs 3 --batch-size 40 --learning-rate 0.003 "$@"; }
t --mix none -o m --json > said
# An untrained network (--learning-rate 1e-9) has an AP of 0.5; the mix would hide it.
awk '/"test_average_precision":/ { print ($2 + 0 > 0.65 ? "learns" : "does not learn: " $2) }' said
# Threads change no bit; a checkpoint continues with the same bits.
for n in 1 3; do t --threads $n -o m.$n; done; tensor-file diff m.1 m.3 && echo same
t --checkpoint c --checkpoint-every 0s -o m.4; t --checkpoint c --resume -o m.5 --json | grep '"resumed_from_step"'; tensor-file diff m.4 m.5 && echo same
# A memory in a file holds the same bits.
for memory in window exact read; do t --memory $memory --steps 8 -o m.ram; t --memory $memory --steps 8 --memory-tier disk -o m.disk; tensor-file diff m.ram m.disk && echo same; done
# Every memory and its types, copies in ranges of time and other architectures have it.
for how in '--memory exact' '--memory read' '--memory-dtype bf16' '--refresh none' '--time-ranges 2' '--negatives 3 --loss ranking' '--neighbor-sampling uniform' '--updater none' '--precision bf16' '--no-eval'; do t $how --steps 3 -o w && echo "$how"; done
for how in tgn-attn tgn-2l tgn-id jodie tgn-no-mem 'tgn-mean --memory exact'; do t --architecture $how --decoder common --steps 3 -o w && echo "$how"; done
# The architecture is pyg with that decoder, and a decoder of embeddings alone makes it pyg again.
t --architecture pyg --decoder common --steps 3 -o a; t --steps 3 -o b; tensor-file cat a --tensor common_decoder.1_2.weight > x; tensor-file cat b --tensor common_decoder.1_2.weight | cmp x - && echo same
t --architecture pyg --steps 3 -o a; t --decoder mlp --steps 3 -o b; tensor-file cat a --tensor affinity_score.fc1.weight > x; tensor-file cat b --tensor affinity_score.fc1.weight | cmp x - && echo same
# Ranks of the network alone. One that learns nothing has an MRR of 0.38 here, because few destinations have common neighbours.
value() { awk -v key="\"$1\":" '$1 == key { print $2 + 0 }'; }
between() { awk -v what="$1" -v low="$2" -v x="$3" -v high="$4" 'BEGIN { print what, (low < x && x < high ? "as expected" : "not as expected: " x) }'; }
e() { tgn-train eval "$@" -q --no-baselines --json; }
t --mix none --learning-rate 1e-9 -o n
between "MRR, trained" 0.6 "$(e m e.safetensors --ranks all | value test_mrr)" 0.8
between "MRR, untrained" 0.3 "$(e n e.safetensors --ranks all | value test_mrr)" 0.45
# The mix reads the network's logits, for all 24 destinations or for those that keys select.
tgn-train generate --scale 8 --features 3 --recurrence 0.5 -o b.safetensors -q
tgn-train train b.safetensors -q --architecture tncn --memory-dim 8 --time-dim 8 --neighbors 6 --epochs 3 --batch-size 40 --learning-rate 0.003 -o b --json | grep '"predictor"'
all=$(e b b.safetensors --ranks all | value test_mrr)
between "MRR with a shortlist of 24, less that of all" -1e-9 "$(e b b.safetensors --ranks all --shortlist 24 | value test_mrr | awk -v all="$all" '{ print $1 - all }')" 1e-9
# A step that memory may not hold, as where a job of SLURM has 1,000 MB.
(export SLURM_MEM_PER_NODE=1000; t --batch-size 400 --negatives 200 --threads 1 -o w; echo "exit $?")
# A model that says of itself what does not go together.
tensor-file convert m whole.safetensors -q
damaged() { LC_ALL=C sed "$1" whole.safetensors > damaged.safetensors; tgn-train eval damaged.safetensors e.safetensors -q; echo "exit $?"; }
damaged 's/"tgn.decoder_kind":"common"/"tgn.decoder_kind":"commun"/'
damaged 's/"tgn.dyrep":"false"/"tgn.dyrep":"true" /'
t --architecture pyg --pair-features --steps 3 -o p; tensor-file convert p pairs.safetensors -q
python3 - <<'EOF'
import json, struct
def parts(path):
    b = open(path, "rb").read(); n = struct.unpack("<Q", b[:8])[0]
    return json.loads(b[8:8 + n]), b[8 + n:]
(h, rest), (pairs, _) = parts("whole.safetensors"), parts("pairs.safetensors")
h["__metadata__"] |= {k: v for k, v in pairs["__metadata__"].items() if k.startswith("tgn.pair_")}
h = json.dumps(h).encode(); open("damaged", "wb").write(struct.pack("<Q", len(h)) + h + rest)
EOF
tgn-train eval damaged e.safetensors -q; echo "exit $?"
# Embeddings of nodes alone are refused.
tgn-train embed m e.safetensors -o x; echo "exit $?"
tgn-train export m e.safetensors --ipu -o x; echo "exit $?"
tensor-file cat e.safetensors --tensor sources > s; tensor-file cat e.safetensors --tensor destinations > d; tensor-file cat e.safetensors --tensor times > w
paste -d, s d w | awk -F, '{ print $0 "," NR % 3 % 2 }' > labelled.csv; tgn-train import labelled.csv --columns 1:source,2:destination,3:time,4:label -o l.safetensors -q
tgn-train train l.safetensors --task node-label --from m -o x -q; echo "exit $?"
tgn-train train l.safetensors --task node-label --decoder common --from p -o x -q; echo "exit $?"
tgn-train eval m e.safetensors --device cuda -q; echo "exit $?"
