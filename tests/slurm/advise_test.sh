#!/bin/sh
# The job lines that hw-probe advise writes for a machine are ones that SLURM accepts there: a job under them trains, has
# the CPUs and the memory that were asked for, and ends within the limit. Exit status 77: no SLURM.
#   advise_test.sh BIN_DIR
. "$(dirname "$0")/own_cluster.sh"
PATH=$(cd "$1" && pwd):$PATH; export PATH
cd "$scratch" || exit 2
gnn-sample generate --nodes 5000 --degree 8 --features 16 -o g.graph -q
gnn-sample train g.graph -o model --epochs 2 --hidden 16 --threads 1 -q --metrics run.jsonl
cat > node.yaml <<'Y'
title: a node of two cores
date: 2026-11-29
host: {f32-gflops: 100, units: 2, level-bytes: [1.0e+6, 1.0e+9], level-gb-per-s: [100, 10], level-ns: [5, 100], level-in-flight: [20, 20]}
Y
{ echo '#!/bin/sh'
  hw-probe advise run.jsonl --machines node.yaml --epochs 20 --format slurm --calibration none
  echo 'gnn-sample train g.graph -o job.model --epochs 20 --hidden 16 -q -f --metrics job.jsonl'
  echo 'scontrol show job $SLURM_JOB_ID > job.txt'; } > job.sbatch
cat job.sbatch
sbatch --wait --output=job.log job.sbatch || { cat job.log; exit 1; }
grep -q 'NumCPUs=2 ' job.txt && grep -q 'TimeLimit=00:03:00' job.txt || { cat job.txt; exit 1; }
grep -q '"type":"result"' job.jsonl
