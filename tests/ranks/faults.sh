#!/bin/bash
# What ends one of several ranks, and what is lost: nothing that a checkpoint had. Prints a row of each fault: seconds from
# the fault until all ranks had ended, the exit status, the line that says why. Without root no disk is full and no link
# goes down, which the last line says. Skipped (77) where no mpirun is.
#   faults.sh BIN_DIR PLUGIN_DIR
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/ranks/ranks.sh"
[ "$(id -u)" = 0 ] && command -v ip > /dev/null && unshare --net true 2> /dev/null && root=yes || root=
trap 'cd /; umount "$scratch/disk" 2> /dev/null; rm -rf "$scratch"' EXIT
graph=$scratch/g.graph; samples=$scratch/c.tsv; mkdir disk
gnn-sample generate -o "$graph" --nodes 20000 -q  # an epoch has 20 steps of 500 seeds
robe-compress generate -o "$samples" --shape small --samples 17000 -q  # the last ones do not stay in memory
train() { echo gnn-sample train "$graph" --fanouts 10,10 --hidden 32 --batch-size 250 --accumulate 2 --threads 1 --progress never -f "$@"; }
long="--epochs 12 --metrics log --checkpoint c --checkpoint-every 0.05s --resume"
begin() { "$@" > out 2>&1 & job=$!; }
fault() { moment=$EPOCHREALTIME; "$@"; }
no_rank() { ! pgrep -f "^gnn-sample train $graph" > /dev/null; }
left() { find "$@" -name '.*.tmp.*'; }  # temporary files
wait_for() { for _ in $(seq 2000); do "$@" 2> /dev/null && return; sleep 0.01; done; wrong "waited 20 s for: $*"; }
# A checkpoint may come a little later.
at_step_20() { wait_for grep -q '"step":20,' log; wait_for test -e c; }
# What happened, the statuses that may be, the line's pattern, and how many seconds after the fault it may take.
ended() {  # WHAT STATUS LINE SECONDS
  wait $job; status=$?
  seconds=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $moment }")
  line=$(grep -m 1 -E "$3" out) || wrong "$1: no line with '$3': $(cat out)"
  [[ $status =~ ^($2)$ ]] || wrong "$1: status $status, expected $2: $(cat out)"
  awk "BEGIN { exit !($seconds < $4) }" || wrong "$1: $seconds s"
  echo "| $1 | $seconds | $status | $line |"
}
same() { tensor-file diff "$scratch/whole" "$1" > difference 2>&1 || wrong "$2: another model: $(cat difference)"; }
nothing_left() { [ -z "$(left .)" ] || wrong "$1 left $(left .)"; }
$(train --epochs 12 --checkpoint whole.checkpoint --checkpoint-every 0.05s -o whole) > /dev/null 2>&1

mkdir killed; cd killed || exit 1
begin ranks 2 $(train $long -o m)
at_step_20
fault pkill -KILL -n -f "^gnn-sample train $graph"
ended 'kill -9 of rank 1 behind step 20' 137 'rank 1 .* signal 9' 20
nothing_left 'kill -9'
cp c ../c; cp log ../log
ranks 2 $(train $long -o m) > out 2>&1; same m 'after kill -9'
grep -q 'going on from step' out || wrong "after kill -9: $(cat out)"
cd ..; mkdir three; cd three || exit 1; cp ../c ../log .
fault begin ranks 3 $(train $long -o m)
ended 'goes on with 3 ranks instead of 2' 0 'going on from step' 60
same m '3 ranks'
cd ..; mkdir usr1; cd usr1 || exit 1
begin ranks 2 $(train --epochs 12 --metrics log --checkpoint c --checkpoint-every 1h -o m)
wait_for grep -q '"step":20,' log
[ ! -e c ] || wrong 'a checkpoint before USR1'
fault pkill -USR1 -n -f "^gnn-sample train $graph"
wait_for test -e c; echo "| USR1 to rank 1: a checkpoint | $(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $moment }") | | |"
ended 'USR1 to rank 1: goes on to the end' 0 'MPI .*2 ranks' 60
same m 'after USR1'
cd ..; mkdir hung; cd hung || exit 1
FRUGAL_RANK_TIMEOUT=1s begin ranks 3 $(train $long -o m)
at_step_20
fault pkill -STOP -n -f "^gnn-sample train $graph"
ended 'rank 2 hangs' 143 '^gnn-sample: waited 1 s .* for rank 2, which does not answer' 20
[ "$(grep -c 'which does' out)" = 1 ] || wrong "rank 2 hangs: $(cat out)"
FRUGAL_RANK_TIMEOUT=soon ranks 2 $(train --epochs 1 -o m) > out 2>&1
[ $? = 2 ] && grep -q "FRUGAL_RANK_TIMEOUT is 'soon', expected a duration" out || wrong "FRUGAL_RANK_TIMEOUT: $(cat out)"
# Rank 0 waits 6 s for its graph, and answers meanwhile.
mkdir 0 1; mkfifo 0/g.graph; cp "$graph" 1; (sleep 6; cat "$graph" > 0/g.graph) &
FRUGAL_RANK_TIMEOUT=1s ranks 2 sh -c 'cd $OMPI_COMM_WORLD_RANK && exec gnn-sample train g.graph --epochs 1 -q -o m' > out 2>&1 ||
  wrong "rank 0 is busy: $(cat out)"
cd ..; mkdir option; cd option || exit 1
fault begin ranks 2 $(train --epochs 1 -o m) : -n 1 $(train --epochs 1 -o m --seed 4)
ended 'another option on rank 2' 2 "^gnn-sample: rank 2 has 'seed: 4.* rank 0 'seed: 0" 20
[ ! -e m ] || wrong 'a model in spite of another option'
cd ..
[ "$root" ] || { echo 'not root, or no namespaces of network: no disk was full and no link went down'; exit $failed; }

# Room for one checkpoint, not for a second beside it: the first stays, and goes on where there is room. A checkpoint of
# the first epoch is smaller, for it has no best parameters yet.
size=$(($(stat -c %s whole.checkpoint) * 3 / 2 / 4096 * 4096))
mount -t tmpfs -o size=$size frugal-test disk || exit 1
mkdir full; cd full || exit 1
fault begin ranks 2 $(train --epochs 12 --checkpoint ../disk/c --checkpoint-every 0.05s -o m)
ended "full disk of rank 0's checkpoint" 74 '^gnn-sample: .*disk/c.*No space left' 20
tensor-file verify ../disk/c > verdict 2>&1 || wrong "a full disk harms the checkpoint: $(cat verdict)"
[ -z "$(left ../disk)" ] || wrong "a full disk has $(left ../disk)"
cp ../disk/c .; ranks 2 $(train --epochs 12 --checkpoint c --resume -o m) > out 2>&1; same m 'after a full disk'
cd ..; rm -f disk/* disk/.c*; mount -o remount,size=32k disk; mkdir spill; cd spill || exit 1
spill="robe-compress train $samples --max-memory 1K --threads 1 --epochs 1 -q -f -o m"
fault begin ranks 1 $spill : -n 1 env TMPDIR="$scratch/disk" $spill
ended "full disk of rank 1's samples" 74 '^robe-compress: rank 1: .*No space left' 20
[ -z "$(ls -A ../disk)" ] && [ ! -e m ] || wrong 'a full disk of rank 1 leaves something'
cd ..; mkdir link; cd link || exit 1
HOSTS_NUMBER=$(($$ % 250 + 1)) FRUGAL_RANK_TIMEOUT=1s; export HOSTS_NUMBER FRUGAL_RANK_TIMEOUT
begin "$here/bench/ranks/hosts.sh" 2 unlimited $(train $long -o m)
at_step_20
fault ip link set "frugalh${HOSTS_NUMBER}v2" down
wait_for no_rank
kill -9 "$(pgrep -P $job mpirun)"  # it waits for a daemon that it cannot reach, until TCP gives up
ended 'link of rank 1 down' 137 '^gnn-sample: waited 1 s .* for rank 1, which does not answer' 30
nothing_left 'a link down'
ranks 2 $(train $long -o m) > out 2>&1; same m 'after a link was down'
exit $failed
