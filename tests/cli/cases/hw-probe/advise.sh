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
advise tgn-wikipedia --machines ipu-bow,a100,c7g.8xlarge | awk 'NR > 2 && NR < 8 { print $1, $2, $NF }'
advise work.yaml --machines slow.yaml --nodes 2 --format slurm --epochs 12 | grep -e nodes -e time
echo 'train: 0.5' > efficiency.yaml; sed 's/train: {/train: {kernel: train, /' work.yaml > kinds.yaml
hw-probe advise kinds.yaml --machines small.yaml --calibration efficiency.yaml | sed -n '4p; /Efficien/p'
hw-probe advise criteo --machines laptop-7840u,h200 --calibration none | awk '{print $1}' | sed -n 3,5p
for workload in $(hw-probe advise nothing 2>&1 | sed 's/.*one of //; s/,//g'); do
  hw-probe advise $workload --calibration none -q || echo "$workload: not read"
done
