cat > small.yaml <<'Y'
title: a machine of round numbers
date: 2026-11-26
host: {f32-gflops: 1, level-bytes: [1.0e9], level-gb-per-s: [1], level-ns: [100], level-in-flight: [1]}
Y
# log NAME WEIGHTS BATCH SECONDS: 20 steps of a temporal graph network
log() {
  printf '%s\n' '{"type":"run","tool":"tgn-train","command":"train","config":"batch-size: '$3'\nmemory-dim: 16\nneighbors: 10\n"}
{"type":"metric","step":1,"wall":0.1,"loss":1}
{"type":"result","steps":20,"resumed_from_step":0,"train_events":1000,"nodes":10,"parameters":'$2',"fit_seconds":'$4'}' > $1.jsonl
}
# A fifth and a half of the modelled speed: 18 FLOP a weight and event at 1 GFLOP/s, 32 bytes a weight and step at 1 GB/s.
log small 10000 10 0.1928; log large 10000 1000 18.0128; log middle 10000 100 1.8128
calibrate() { hw-probe calibrate "$@" --machine small.yaml; echo "status $?"; }
calibrate small.jsonl large.jsonl --held-out middle.jsonl -o efficiency.yaml
grep -v '^#' efficiency.yaml
# A title of several lines stays in the comment.
sed '1s/.*/title: "a\\nb: 2"/' small.yaml > lines.yaml
hw-probe calibrate large.jsonl --machine lines.yaml -q -o lines && grep -v '^#' lines
XDG_CONFIG_HOME=$PWD/config calibrate large.jsonl -q; ls config/frugal
XDG_CONFIG_HOME=$PWD/config hw-probe advise middle.jsonl --machines small.yaml | sed -n 's/.*runs: .*config/config/p'
# A training of ours writes what is needed.
gnn-sample generate --nodes 200 --degree 4 --features 8 -o g.graph -q
gnn-sample train g.graph -o model --fanouts 3,2 --hidden 4 --epochs 2 -q --metrics gnn.jsonl
sed 's/"fit_seconds":[0-9.e-]*/"fit_seconds":0.02/' gnn.jsonl > ten-ms.jsonl
calibrate ten-ms.jsonl -o e.yaml | sed 's/of memory .*/of memory X %/'; grep -c '^gnn-sample-' e.yaml; rm e.yaml
# Nine runs give an interval, which advise uses on the same machine and widens on another.
for i in 1 2 3 4 5 6 7 8; do log r$i 10000 ${i}0 $(awk "BEGIN { print $i * 0.18 * (0.95 + $i / 100) + 0.0128 }"); done
calibrate r?.jsonl -o few.yaml | grep interval
calibrate r?.jsonl --held-out middle.jsonl -o nine.yaml | grep '80 %'; grep -e interval -e machine nine.yaml
hw-probe advise middle.jsonl --machines small.yaml --calibration nine.yaml | grep Intervals
# No share of the machine's speed explains a run that is faster than all of it.
sed 's/"fit_seconds":[0-9.e-]*/"fit_seconds":1e-6/' gnn.jsonl > fast.jsonl
calibrate fast.jsonl -o e.yaml 2>&1 | sed 's/took.*//; s/: [0-9.]* % before.*//; s/by [0-9.]* % on/by X % on/'; ls e.yaml 2>&1
# Shares of more than the whole, which earlier versions wrote, count as the whole.
echo 'tgn-train-events: 2' > above.yaml; hw-probe advise middle.jsonl --machines small.yaml --calibration above.yaml 2>&1 | grep efficiency
# A measurement that says that it is noisy is not used unless it is asked for.
hw-probe bench --quick -q --json | python3 -c 'import json, sys; bench = json.load(sys.stdin); bench["noisy"] = True; json.dump(bench, sys.stdout)' > noisy.json
hw-probe calibrate small.jsonl --machine noisy.json -o e.yaml; echo "status $?"
hw-probe advise middle.jsonl --machines noisy.json; echo "status $?"
hw-probe advise middle.jsonl --machines noisy.json --allow-noisy -q; echo "status $?"
# Errors name what is wrong.
head -2 small.jsonl > cut.jsonl; calibrate cut.jsonl -o e.yaml
echo nonsense > bad.jsonl; calibrate bad.jsonl -o e.yaml
sed 's/"nodes":10,//' small.jsonl > lacks.jsonl; calibrate lacks.jsonl -o e.yaml
sed 's/"train"/"eval"/' small.jsonl > eval.jsonl; calibrate eval.jsonl -o e.yaml
calibrate none.jsonl -o e.yaml
calibrate small.jsonl -o small.jsonl
# Label trees have nothing to fit: nothing is written. Runs have the threads of the machine that was measured.
echo kept > e.yaml; sed 's/tgn-train/sparse-train/; s/"steps"/"trees":3,"examples":1000,"steps"/' small.jsonl > trees.jsonl; calibrate trees.jsonl -o e.yaml 2>&1; cat e.yaml
calibrate large.jsonl trees.jsonl -o e.yaml 2>&1 | sed 's/took.*//; s/: [0-9.]* % before.*//'
sed 's/"command":"train"/&,"machine":{"cpu":"any","threads":64}/' small.jsonl > many.jsonl
hw-probe calibrate many.jsonl --machine noisy.json --allow-noisy --threads 1 -o e.yaml 2>&1 | sed 's/measured with [0-9]*/measured with N/'
