#!/bin/sh
# The first run on a GPU (tests/bench/device/gpu.sh) in a Debian 12 with Python and nothing else, by the plug-in whose kernels
# run on the CPU: all parts end within the budget, each says something, and SIGTERM still gives the table.
#   gpu_first_test.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/roots.sh"
new_root bare python3
home=$scratch/bare/root
mkdir -p "$home/frugal/tests/bench" "$scratch/bare/usr/local/cuda-13.0/bin"
cp -r "$2/tests/bench/device" "$home/frugal/tests/bench/"
cp "$2/tests/bench/device/fake_tools/nvidia-smi" "$scratch/bare/usr/bin/"
cp "$2/tests/bench/device/fake_tools/ncu" "$2/tests/bench/device/fake_tools/compute-sanitizer" "$scratch/bare/usr/local/cuda-13.0/bin/"
PLUGIN=${PLUGIN:-$1/host_cuda/libfrugal_cuda.so} "$2/tests/bench/device/gpu.sh" pack "$1" "$scratch/pack"
cp "$scratch/pack.tar.xz" "$home/frugal/"
budget=570
run="cd frugal && SMALL=1 BUDGET=$budget OUT=../out"

in_root bare "$run tests/bench/device/gpu.sh first pack.tar.xz"
table=$home/out/table.txt
failed=0
expect() { grep -Eq "$1" "$table" || { echo "no row: $1"; failed=1; }; }
expect '^card +Test card'
expect '^missing libraries +none'
expect '^plug-in +usable True'
for name in suite robe sparse gnn tgn; do expect "^cases of $name +([0-9]+) of \\1 passed"; done
for name in robe 'robe test' tgn gnn sparse; do expect "^agree $name +same: "; done
for name in robe tgn sparse gnn; do expect "^$name, .* ms a step"; done
expect '^tgn, an epoch +average precision'
expect '^  and its test +AUC'
expect '^  and its test +P@1'
expect '^gnn ladder'
for name in robe 'robe summed' tgn sparse gnn 'gnn sample'; do expect "^kernels of $name +3 in"; done
for name in memcheck racecheck synccheck; do expect "^$name +0 of [0-9]+ cases with errors"; done
expect '^initcheck +[1-9][0-9]* of'
expect '^floors +[0-9]+ rows'
expect '^rivals +no PyTorch'
for name in robe tgn gnn sparse; do expect "^detail of $name +in logs.txt"; done
seconds=$(sed -n 's/^seconds *\([0-9]*\) of.*/\1/p' "$table")
[ "${seconds:-$budget}" -lt $budget ] || { echo "took $seconds of $budget s"; failed=1; }
if grep 'SCRIPT FAILED' "$table"; then failed=1; fi
[ "$(find "$home/out" -type f | wc -l)" -le 8 ] || { ls "$home/out"; failed=1; }

# Stopped by force: the table so far, and nothing that still runs.
rm -r "$home/out"
in_root bare "$run; export SMALL BUDGET OUT
  tests/bench/device/gpu.sh first pack.tar.xz facts suite > ../said & first=\$!
  until grep -qs ^python \$OUT/table.txt; do sleep 1; done
  sleep 2; kill -TERM \$first; code=0; wait \$first || code=\$?
  sleep 1; cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c '[p]ack/bin'
  [ \$code = 143 ]" > "$scratch/living" || { echo "SIGTERM: other exit status"; failed=1; }
[ "$(cat "$scratch/living")" = 0 ] || { echo "$(cat "$scratch/living") programs outlived SIGTERM"; failed=1; }
sed '1,/^== table$/d' "$home/said" | grep -q '^plug-in' || { echo 'no table after SIGTERM'; cat "$home/said"; failed=1; }
[ $failed = 0 ] && echo "the first run works where nothing else is, in $seconds s"
