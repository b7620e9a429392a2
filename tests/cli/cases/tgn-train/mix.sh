# A model answers with a mix of exact keys and the network where validation finds it better; eval and predict alike.
tgn-train generate --scale 8 --features 2 -o e.safetensors -q
small='--memory-dim 8 --time-dim 8 --new-nodes 0 --epochs 1 --learning-rate 0.01 --batch-size 20 --seed 2'
tgn-train train e.safetensors $small -o m -q --json > said; grep '"predictor"' said
tgn-train train e.safetensors $small -o m 2>&1 | grep -o 'the model answers with a mix of keys and network'
tgn-train train e.safetensors -q $small --mix none -o n --json > none; grep -c '"predictor"\|"mix"\|"network"' none
tgn-train train e.safetensors -q $small --no-eval -o v; for f in m n v; do tensor-file info $f | grep -c mix; done
python3 - <<'EOP'
import json
said, none = json.load(open("said")), json.load(open("none"))
mix = said["mix"]
print(mix["fit_events"] + mix["choice_events"] == said["validation_events"], sorted(mix["contributions"])[:3], len(mix["contributions"]))
for metric in "mrr", "average_precision":
    print(metric, "not below the order without learning:", mix["mix"][metric] >= mix["heuristic"][metric])
print("network as without a mix:", said["network"]["average_precision"] == none["test_average_precision"])
print("better than it:", said["test_average_precision"] > none["test_average_precision"])
EOP
tgn-train eval m e.safetensors --no-baselines --ranks none --json > evaluated; tgn-train eval m e.safetensors | sed 's/  *[0-9.-]*[0-9.]/ ./g' | sed -n 2,4p
for key in test_average_precision validation_average_precision; do [ "$(grep "\"$key\"" said)" = "$(grep "\"$key\"" evaluated)" ] && echo "$key: same"; done
# Keys choose the destinations that the network is asked about; if these are all, nothing changes.
for n in 3 24 1000; do tgn-train eval m e.safetensors --no-baselines --ranks all --shortlist $n --json -q | grep '"test_mrr"' > by.$n; done
cmp by.24 by.1000 && echo 'of all: same'; cmp -s by.3 by.1000 || echo 'of 3: another'
for n in 3 24; do tgn-train eval m e.safetensors --no-baselines --ranks all --shortlist $n --json -q | python3 -c 'import json, sys; print("ranks of the network:", "mrr" in json.load(sys.stdin)["network"])'; done
tgn-train eval m e.safetensors --ranks none --shortlist 3 2>&1; tgn-train eval n e.safetensors --shortlist 100 2>&1
# The memory of training made anew does not change the keys; more threads change nothing.
tgn-train train e.safetensors -q $small --threads 3 -o m3; tensor-file diff m m3 | grep -c mix
# Predictions of the events behind training, whole and in two runs that a state connects.
column() { tensor-file cat e.safetensors --tensor $1; }
column sources > s; column destinations > d; column times > t; column edge_features | tr ' \t' ',,' > f
paste -d, s d t f > all.csv; n=$(grep -m1 '"train_events"' said | tr -dc 0-9); head -n $n all.csv > past.csv; tail -n +$((n + 1)) all.csv > rest.csv
tgn-train import past.csv --columns 1:source,2:destination,3:time,4:feature,5:feature -o past.safetensors -q
tgn-train eval m e.safetensors --predictions p --no-baselines --ranks none -q; grep ',1,[^,]*$' p | cut -d, -f2-4,6 > ones
same() { awk -F, -v what="$3" 'NR == FNR { a[FNR] = $0; n = FNR; next } { split(a[FNR], x, ","); d = x[4] - $4; if (d * d > 4e-11 || x[1] != $1 || x[2] != $2) ++bad } END { print what, (bad || n != FNR ? bad " differ" : "same") }' $1 $2; }
tgn-train predict m rest.csv --history past.safetensors -o whole -q; same ones whole eval
head -n 150 rest.csv | tgn-train predict m --history past.safetensors --save-state st -o half -q
tail -n +151 rest.csv | tgn-train predict m --state st -q >> half; same whole half states
# A question gets the answer of the event itself; the best are ranked by the same scores.
tail -n 1 rest.csv > last.csv; head -n -1 rest.csv | tgn-train predict m --history past.safetensors --save-state st -o /dev/null -q
tgn-train predict m last.csv --state st --query -o asked -q; tail -n 1 whole > end; same end asked question
tgn-train predict m last.csv --state st --query --top-k 3 -q | awk -F, '{ if (NR > 1 && $4 > before) ++bad; before = $4 } END { print NR, bad + 0 }'
# A state of a model without a mix, and a damaged mix, are refused.
head -n 50 rest.csv | tgn-train predict n --history past.safetensors --save-state sn -o /dev/null -q; tgn-train predict m last.csv --state sn 2>&1 | sed 's/.*: was/was/'
tensor-file convert m whole.safetensors
for change in 's/"tgn.mix_start":"./"tgn.mix_start":"X/' 's/"mix\.scale"/"mix.skale"/' 's/"mix\.keys\.weights"/"mix.kexs.weights"/'; do
  LC_ALL=C sed "$change" whole.safetensors > damaged.safetensors; tgn-train predict damaged.safetensors last.csv --query 2>&1; done
# A mix that may not fit into memory is left out before any of it is taken; memory would be short in the middle else.
tgn-train generate --shape wikipedia --features 0 -o w.safetensors -q
(export SLURM_MEM_PER_NODE=90; tgn-train train w.safetensors -o w --steps 20 --memory-dim 8 --time-dim 8 --neighbors 2 --new-nodes 0 --threads 1 --json 2> said > result
  echo $?; grep -o 'mix auto can take.*left: .*' said | sed 's/[0-9.]* MiB/. MiB/g'; grep mix result; tensor-file info w | grep -c mix; true)
