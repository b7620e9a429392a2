#!/bin/sh
# examples/slurm/train.sbatch in a real SLURM of one node: at the limit it goes back into the queue, at least twice, and
# what it trains is the model of an undisturbed run. Takes minutes: limits are whole ones. Exit status 77: no SLURM.
#   requeue_test.sh BIN_DIR
. "$(dirname "$0")/own_cluster.sh"
PATH=$(cd "$1" && pwd):$PATH; export PATH
cd "$scratch" || exit 2
SOURCE_DATE_EPOCH=0; export SOURCE_DATE_EPOCH
status=0
failed() { echo "FAILED: $1"; status=1; }

# Epochs for 90 s of CPU time: USR1 comes 17 to 30 s after the start of a job. Fewer do on a busy machine.
seconds=${SLURM_TEST_SECONDS:-90}
awk 'BEGIN { srand(1); for (i = 0; i < 6000; i++) {
  l = int(rand() * 40); line = "l" l ","
  for (w = 0; w < 20; w++) line = line "w" int(rand() * 300) "x" (rand() < 0.3 ? l : int(rand() * 40)) " "
  print line } }' > train.csv
options='--architecture dense --hidden 64 --word-ngrams 2 --no-search --threads 1'
sh -c "sparse-train train train.csv -o pace.model --epochs 20 $options -q; times" > pace
epochs=$(tail -n 1 pace | awk -v s="$seconds" -F '[ms ]+' '{ print int(20 * s / ($1 * 60 + $2)) + 1 }')

job=$(sbatch --parsable --time=1 --signal=B:USR1@30 --cpus-per-task=1 --output=job.log \
  "$here/../../examples/slurm/train.sbatch" train.csv model --epochs "$epochs" $options) || exit 1
sparse-train train train.csv -o undisturbed --epochs "$epochs" $options -q || failed 'the undisturbed run'
for _ in $(seq 300); do
  state=$(scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
  case $state in COMPLETED | FAILED | TIMEOUT | CANCELLED | NODE_FAIL) break ;; esac
  sleep 2
done
restarts=$(scontrol show job "$job" | sed -n 's/.* Restarts=\([0-9]*\).*/\1/p')
echo "job $job: $state after $restarts restarts, $epochs epochs"
[ "$state" = COMPLETED ] || failed "the job is $state"
[ "${restarts:-0}" -ge 2 ] || failed "$restarts restarts, expected 2 or more"
[ "$(grep -c 'going on from step' job.log)" -ge 2 ] || failed 'no run went on from a checkpoint'
tensor-file diff model undisturbed || failed 'the model is not that of the undisturbed run'
[ "$status" = 0 ] || cat job.log
exit $status
