#!/bin/sh
# examples/slurm/train-ranks.sbatch on a SLURM of two nodes, each a network namespace of this machine: two ranks make the
# model of one process, also after a rank was killed, or a signal came as before the time limit. Then what starts a job
# again and what does not, and the Makefile's chain of jobs. The limit itself takes minutes: tests/slurm/requeue_test.sh
# waits for it, with the same requeue.sh. Skipped (77) where not root, or without Debian 12's packages slurmctld, slurmd,
# iproute2 and make. The first two bring slurm-client and slurm-wlm-basic-plugins, with the plug-in mpi/pmix.
#   slurm.sh BIN_DIR PLUGIN_DIR
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/ranks/ranks.sh"
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip 'only root makes network namespaces'
for program in slurmctld slurmd sbatch ip nsenter unshare make; do
  command -v $program > /dev/null || skip "no $program"
done
unshare --net true 2> /dev/null || skip 'no network namespaces here'
trap '"$here/slurm/cluster.sh" stop "$scratch/slurm"; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
mkdir slurm; SLURM_CONF=$("$here/slurm/cluster.sh" start "$scratch/slurm" 2) || exit 1
read -r _ subnet < slurm/bridge
OMPI_MCA_btl_tcp_if_include=$subnet.0/24; OMPI_MCA_mpi_yield_when_idle=1; LOST_RANK_WAIT=2
export LOST_RANK_WAIT SLURM_CONF OMPI_MCA_btl_tcp_if_include OMPI_MCA_mpi_yield_when_idle
srun --mpi=list 2>&1 | grep -qw pmix || skip 'SLURM has no plug-in mpi/pmix'

graph=$scratch/g.graph
gnn-sample generate -o "$graph" --nodes 2000 -q
options="--fanouts 4,4 --hidden 16 --batch-size 50 --threads 1 --epochs ${SLURM_TEST_EPOCHS:-150} --accumulate 2"
submit() {  # NAME [OPTION...]: NAME.job is the number of a job that trains NAME
  name=$1; shift
  # shellcheck disable=SC2086
  sbatch --parsable --cpus-per-task=1 --output="$name.log" "$here/../examples/slurm/train-ranks.sbatch" "$graph" \
    "$scratch/$name" $options --checkpoint-every 0.05s --progress never "$@" > "$name.job" || exit 1
}
wait_for() {  # WHAT COMMAND...: a minute and more, on a busy machine
  what=$1; shift
  for _ in $(seq 1000); do "$@" && return; sleep 0.1; done
  wrong "no $what within 100 s"
}
jobs() {  # NAME: "STATE EXIT-STATUS RESTARTS" of a job, of each between commas in an array
  scontrol show job -o "$(cat "$1.job")" |
    sed 's/.*JobState=\([^ ]*\).* Restarts=\([0-9]*\).* ExitCode=\([0-9]*:[0-9]*\).*/\1 \3 \2/' | sort | paste -s -d , -
}
ended() { case $(jobs "$1") in '' | *PENDING* | *CONFIGURING* | *RUNNING* | *COMPLETING* | *REQUEUED*) return 1 ;; esac; }
expect() {  # NAME PATTERN: how the job ended
  wait_for "end of the job '$1'" ended "$1"
  jobs "$1" | grep -Eqx "$2" || wrong "the job '$1' is $(jobs "$1"), expected $2: $(cat "$1"*.log)"
}
same_model() {
  tensor-file diff whole "$1" > difference 2>&1 || wrong "the job '$1' has another model: $(cat difference "$1.log")"
}
kill_rank() { pkill -KILL -n -f "^[^ ]*/gnn-sample train [^ ]* -o $scratch/$1 "; }

for name in plain killed limited; do submit $name; done
submit stopped
MOST_RESTARTS=0 submit once
submit refused --hidden -1
chain() {
  make -s -f "$here/../examples/slurm/Makefile" graph="$scratch/chain.graph" graph_options='--nodes 2000' \
    model="$scratch/chain" seeds=1-2 options="$options --checkpoint-every 0.05s"
}
chain || wrong 'no chain of jobs'
for name in killed limited stopped once chain.2; do
  wait_for "checkpoint of the job '$name'" test -e $name.checkpoint
  case $name in
    killed | once | chain.2) kill_rank $name || wrong "no rank of the job '$name' to kill" ;;
    limited) scancel --batch --signal=USR1 "$(cat limited.job)" ;;  # what --signal=B:USR1 has SLURM do
    stopped) scancel --signal=TERM "$(cat stopped.job)" ;;
  esac
done
# shellcheck disable=SC2086
gnn-sample train "$graph" -o whole -q $options
expect refused 'FAILED 2:0 0'
expect stopped 'FAILED 75:0 0'
expect once 'FAILED (137|141|143):0 0'
grep -q 'MOST_RESTARTS is 0' once.log || wrong "a job at its last restart says nothing: $(cat once.log)"
expect plain 'COMPLETED 0:0 0'
for name in killed limited; do
  expect $name 'COMPLETED 0:0 1'
  grep -q 'going on from step' $name.log || wrong "the job '$name' did not go on from its checkpoint: $(cat $name.log)"
done
for name in plain killed limited; do same_model $name; done
# The jobs after a job that was started again wait for its end.
expect eval 'COMPLETED 0:0 0,COMPLETED 0:0 0'
expect train 'COMPLETED 0:0 0,COMPLETED 0:0 1'
exit $failed
