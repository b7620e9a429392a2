#!/bin/sh
# The plug-in compiled with MPICH instead of Open MPI: two and four ranks have the model of one process, and a rank that
# hangs is named. Skipped (77) without Debian's mpich and libmpich-dev.
#   mpich.sh BIN_DIR
PATH=$(cd "$1" && pwd):$PATH; here=$(cd "$(dirname "$0")/../.." && pwd); SOURCE_DATE_EPOCH=0; export PATH SOURCE_DATE_EPOCH
command -v mpicxx.mpich > /dev/null && command -v mpiexec.mpich > /dev/null || { echo 'no MPICH'; exit 77; }
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT; cd "$scratch" || exit 1
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
mpicxx.mpich -std=c++20 -O2 -fPIC -shared -Wall -Wextra -Werror -DMPICH_SKIP_MPICXX -I"$here" -o libfrugal_mpi.so \
  "$here"/libcore/parallel/mpi/*.cpp || exit 1
FRUGAL_PLUGIN_DIR=$scratch; export FRUGAL_PLUGIN_DIR
gnn-sample generate -o g.graph --nodes 2000 -q
train="gnn-sample train $scratch/g.graph --fanouts 4,4 --threads 1 --accumulate 4 -q -f -o m"
$train --epochs 2; mv m whole
for n in 2 4; do
  mpiexec.mpich -n $n $train --epochs 2 > out 2>&1 || wrong "$n ranks: $(cat out)"
  tensor-file diff whole m > difference || wrong "$n ranks: another model: $(cat difference)"
done
FRUGAL_RANK_TIMEOUT=1s mpiexec.mpich -n 2 $train --epochs 100000 --metrics log > out 2>&1 & job=$!
until grep -q '"step"' log 2> /dev/null; do kill -0 $job 2> /dev/null || break; sleep 0.05; done
pkill -STOP -n -f "^$train --epochs 100000"
wait $job; status=$?
[ $status = 143 ] && grep -q '^gnn-sample: waited 1 s .* for rank 1, which does not answer' out || wrong "a rank hangs: $status, $(cat out)"
exit $failed
