# Training and answers on a device: the plug-in whose CUDA kernels run on this CPU stands for one.
plugins=$(dirname "$(dirname "$(command -v robe-compress)")")/host_cuda
robe-compress generate --shape small --samples 600 -o d.tsv -q
t() { robe-compress train d.tsv -q --dim 4 --bottom 8 --top 8 --batch-size 16 --epochs 1 --precision f32 --embedding-decay 0 "$@"; echo "exit $?"; }
close() { tensor-file diff "$1" "$2" --atol 1e-5 > /dev/null; echo "the same within 1e-5: $?"; }
t -o cpu.model --storage f32
t -o none.model --device cuda 2>&1 | sed 's/cuda.so in .*/cuda.so in .../'
export FRUGAL_PLUGIN_DIR="$plugins"
t -o gpu.model --storage f32 --device cuda; close cpu.model gpu.model
t -o sums.model --storage f32 --optimizer adagrad --update summed
t -o gpu.model --storage f32 --optimizer adagrad --update summed --device cuda; close sums.model gpu.model
t -o gpu.model --device cuda:1
# Beside the time of the training stands in how much of it the device computed.
for device in cpu cuda; do t -o busy.model --device $device --json | python3 -c '
import json, sys
r = json.loads(sys.stdin.read().split("exit")[0]); print(0 < r["device_busy_seconds"] < r["fit_seconds"] if "device_busy_seconds" in r else "no device")'; done
robe-compress train d.tsv --dim 4 --epochs 1 -o busy.model --device cuda | grep -o 'device busy for'
robe-compress predict cpu.model d.tsv -o cpu.txt --logits --precision f32
robe-compress predict cpu.model d.tsv -o gpu.txt --logits --precision f32 --device cuda
paste cpu.txt gpu.txt | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-5) ++wrong } END { print NR, wrong + 0 }'
robe-compress eval cpu.model d.tsv --precision f32 --device cuda | head -n 1 | cut -c 1-8
# auto leaves a device alone whose speed nobody knows
robe-compress eval cpu.model d.tsv --device auto -v 2>&1 | grep 'leaves cuda'
# What it cannot do, at the beginning; too little memory; a device that is lost in the middle.
t -o x.model --device cuda --method qr --compression 10
FRUGAL_HOST_CUDA_MEMORY=100000 t -o x.model --device cuda 2>&1 | sed 's/needs .*;/needs ...;/'
FRUGAL_HOST_CUDA_LOST_AT=40 t -o lost.model --storage f32 --device cuda --checkpoint c --checkpoint-every 0s 2>&1 | sed 's/lost: .*: /lost: ...: /'
ls lost.model 2>&1 | cut -c 1-20
# The checkpoint of the device goes on where there is none.
t -o lost.model --storage f32 --device cpu --checkpoint c --resume; close cpu.model lost.model
