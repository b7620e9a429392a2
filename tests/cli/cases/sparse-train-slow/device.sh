# Training and answers on a device: the plug-in whose CUDA kernels run on this CPU stands for one.
plugins=$(dirname "$(dirname "$(command -v sparse-train)")")/host_cuda
awk 'BEGIN { srand(1); print 96, 160, 40; for (i = 0; i < 96; ++i) { a = int(40 * rand()); b = (a + 1 + int(38 * rand())) % 40; s = a "," b; for (k = 0; k < 3; ++k) s = s " " (3 * a + k) ":" (k + 1); print s, (120 + b) ":1" } }' > d.txt
t() { sparse-train train d.txt -q --hidden 8 --batch-size 32 --epochs 2 --precision f32 --calibration none "$@"; echo "exit $?"; }
close() { tensor-file diff "$1" "$2" --atol 1e-5 > /dev/null; echo "the same within 1e-5: $?"; }
t -o none.model --architecture dense --device cuda 2>&1 | sed 's/cuda.so in .*/cuda.so in .../'
for how in 'dense' 'dense --loss softmax --optimizer adagrad' 'shared --negatives 9' 'shared --negatives 9 --label-weights bf16 --loss ova'; do
  t -o cpu.model --architecture $how --device cpu
  FRUGAL_PLUGIN_DIR=$plugins t -o gpu.model --architecture $how --validation d.txt --device cuda; close cpu.model gpu.model
done
export FRUGAL_PLUGIN_DIR="$plugins"
t -o gpu.model --architecture dense --device cuda:1
# Beside the time of the training stands in how much of it the device computed.
for device in cpu cuda; do t -o busy.model --architecture dense --device $device --json | python3 -c '
import json, sys
r = json.loads(sys.stdin.read().split("exit")[0]); print(0 < r["device_busy_seconds"] < r["fit_seconds"] if "device_busy_seconds" in r else "no device")'; done
# Labels in the same order, scores nearly the same.
for device in cpu cuda; do sparse-train predict gpu.model d.txt -o $device.txt --top-k 7 --device $device; done
tr ' :' '\n\t' < cpu.txt > cpu.tsv; tr ' :' '\n\t' < cuda.txt | paste cpu.tsv - | awk '{ d = $2 - $4; if (d < 0) d = -d; if ($1 != $3 || d > 1e-5) ++wrong } END { print NR, wrong + 0 }'
for device in cpu cuda; do sparse-train eval gpu.model d.txt --device $device | sed -n 2p > $device.eval; done; cmp cpu.eval cuda.eval && echo "the same measures"
# auto leaves a device alone whose speed nobody knows; a device is planned for: all of many labels.
sparse-train eval gpu.model d.txt --device auto -v 2>&1 | grep 'leaves cuda'
awk 'BEGIN { print 2100, 9, 2100; for (i = 0; i < 2100; ++i) print i " " i % 9 ":1" }' > many.txt
m() { sparse-train train many.txt -o many.model --hidden 1 --epochs 1 --batch-size 2100 "$@" 2>&1 | grep '^architecture'; }
m --device cuda; m --device cpu
sparse-train train d.txt -o x.model --hidden 8 --epochs 1 --calibration none --device cuda | grep -o -e '^architecture.*' -e '.*trees.*' -e 'device busy for'
# What it cannot do, at the beginning; too little memory; a device that is lost in the middle.
sparse-train train d.txt -q -o x.model --device cuda --architecture tree; echo "exit $?"
t -o x.model --device cuda --architecture lsh
t -o x.model --device cuda --architecture shared --lsh-hard 3
t -o x.model --device cuda --layers 4
sparse-train train d.txt -q -o tree.model --architecture tree --calibration none --trees 1
sparse-train eval tree.model d.txt --device cuda; echo "exit $?"
sparse-train train d.txt -q -o x.model --device cuda --init tree.model; echo "exit $?"
FRUGAL_HOST_CUDA_MEMORY=100000 t -o x.model --device cuda 2>&1 | sed 's/needs .*;/needs ...;/'
FRUGAL_HOST_CUDA_LOST_AT=16 t -o lost.model --architecture dense --device cuda --checkpoint c --checkpoint-every 0s 2>&1 | sed 's/lost: .*: /lost: ...: /'
ls c lost.model 2>&1 | cut -c 1-20
# The checkpoint of the device goes on where there is none.
t -o lost.model --architecture dense --device cpu --checkpoint c --resume --json | grep -o -e 'resumed_from_step.*,' -e 'exit.*'
t -o cpu.model --architecture dense --device cpu; close cpu.model lost.model
