cat > small.yaml <<'Y'
title: a machine of round numbers
date: 2026-11-26
host:
  f32-gflops: 1000
  level-bytes: [1.0e9]
  level-gb-per-s: [10]
  level-ns: [100]
  level-in-flight: [10]
dollars-per-hour: 3.6
price-date: today
estimates: [host-level-ns]
Y
sed 's/f32-gflops: 1000/f32-gflops: 10/; s/dollars.*/network-gbit: 100/; /price/d' small.yaml > slow.yaml
cat > work.yaml <<'Y'
title: ten GFLOP a step
tool: tgn-train
epoch-samples: 1000
batch: 100
state-bytes: 2.0e8
stages: [train]
train: {sample-flop: 1.0e+8, launches: 10}
Y
advise() { hw-probe advise "$@" --calibration none; }
advise work.yaml --machines small.yaml,slow.yaml
advise work.yaml --machines slow.yaml --nodes 2 --batch-size 50 --json |
  python3 -c 'import json, sys; m = json.load(sys.stdin)["machines"][0]; print(m["epoch_seconds"], m["bottleneck"], m["fits"], m["epoch_dollars"])'
advise work.yaml --machines small.yaml,slow.yaml --plot plot.svg -q; grep -c '<svg' plot.svg
advise work.yaml --machines small.yaml --format flags | grep -o -- '--batch-size 100 --threads 1 .*--device cpu'
# Flags and job lines are for the machine that is asked about, not for this one, and only where the work can run.
advise work.yaml --machines a100 --format flags
advise work.yaml --machines a100 --nodes 4 --format slurm
advise tgn-wikipedia --machines ipu-bow --format flags; echo "status $?"
advise tgn-wikipedia --machines ipu-bow,a100,c7g.8xlarge | sed -n '3,8s/ .*batch$//; 3,7s/  .*//; 3,7p'
advise work.yaml --machines slow.yaml --nodes 2 --format slurm --epochs 12 | grep -e nodes -e time
echo 'train: 0.5' > efficiency.yaml; sed 's/train: {/train: {kernel: train, /' work.yaml > kinds.yaml
hw-probe advise kinds.yaml --machines small.yaml --calibration efficiency.yaml | sed -n '4p; /Efficien/p'
hw-probe advise criteo --machines laptop-7840u,h200 --calibration none | awk '{print $1}' | sed -n 3,6p
# Two GPUs of a machine are two ranks, with half of its cores each.
advise work.yaml --machines v100-pair --format slurm | grep -e tasks -e cpus -e gpus
# A pair of GPUs is two ranks that share a host; a batch passes the pipeline before the first step ends.
advise salient-papers100m-4-pipelined --machines v100-pair --nodes 8 --json | python3 -c '
import json, sys
m = json.load(sys.stdin)["machines"][0]
print(m["ranks"], "ranks, a fill of", round(1e3 * m["fill_seconds"]), "ms, job = epoch:", m["job_seconds"] == m["epoch_seconds"])
print("interval around:", m["job_seconds_low"] <= m["job_seconds"] < m["job_seconds_high"], ", energy:", m["job_kwh"] > 0)'
# A log knows how many epochs a goal took, how long the run was, and how the model would predict.
cat > run.jsonl <<'J'
{"type":"run","tool":"tgn-train","command":"train","config":"batch-size: 10\nmemory-dim: 16\nneighbors: 10\n","machine":{"cpu":"a CPU","simd":"v3","threads":2}}
{"type":"metric","step":100,"epoch":1,"loss":0.7,"validation_auc":0.8}
{"type":"metric","step":200,"epoch":2,"loss":0.6,"validation_auc":0.9}
{"type":"result","steps":200,"resumed_from_step":0,"epochs":2,"train_events":1000,"nodes":10,"parameters":10000,"read_seconds":0.1,"fit_seconds":2,"train_seconds":2.5}
J
advise run.jsonl --machines small.yaml --until auc=0.85 | sed -n '2p; /Measured/p'
advise run.jsonl --machines small.yaml --until loss=0.65 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["epochs"])'
advise run.jsonl --machines small.yaml | sed -n 2p; advise - --machines small.yaml < run.jsonl | sed -n 1,2p
advise run.jsonl --machines small.yaml --predict --until auc=0.85; advise run.jsonl --machines small.yaml --batch-size 5000 2>&1 | sed -n 1,3p
advise run.jsonl --machines small.yaml --predict --batch-size 1 | sed -n '1,4s/  */ /gp'
advise run.jsonl --machines small.yaml --report page.html -q
grep -o 'run: price and time of the job' page.html | sort -u; grep -o 'run: time by batch size' page.html | sort -u
grep -o 'limited by [a-z ]*' page.html | sort -u
# The log is an input: a plot does not replace it, and make knows it.
advise run.jsonl --machines small.yaml --plot run.jsonl; echo "status $?"
advise run.jsonl --machines small.yaml --plot plot.svg --depfile plot.d -q && cat plot.d
for workload in $(hw-probe advise nothing 2>&1 | sed 's/.*one of //; s/,//g'); do
  hw-probe advise $workload --calibration none -q || echo "$workload: not read"
done
