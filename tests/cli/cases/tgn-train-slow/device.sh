# Training, tests and embeddings on a device: the plug-in whose CUDA kernels run on this CPU stands for one.
plugins=$(dirname "$(dirname "$(command -v tgn-train)")")/host_cuda
# Of short times: a last bit of what times are multiplied with then is one of their encodings, too.
tgn-train generate --scale 80 --features 4 --recurrence 0.9 --duration 50 -o e.safetensors -q
t() { tgn-train train e.safetensors -q --memory-dim 8 --time-dim 4 --learning-rate 0.003 --batch-size 20 --epochs 1 --new-nodes 0 "$@"; echo "exit $?"; }
close() { tensor-file diff "$1" "$2" --atol "$3" > /dev/null; echo "the same within $3: $?"; }
ap() { tgn-train eval "$@" e.safetensors --no-baselines --eval-negatives 5 --json | grep -o '"\(test_average_precision\|mrr\)": [0-9.]\{6\}'; }
t -o cpu.model
t -o none.model --device cuda 2>&1 | sed 's/cuda.so in .*/cuda.so in .../'
export FRUGAL_PLUGIN_DIR="$plugins"
t -o gpu.model --device cuda; close cpu.model gpu.model 0.005
t -o cpu.exact --memory exact --weights-only --no-eval; t -o gpu.exact --memory exact --weights-only --no-eval --device cuda; close cpu.exact gpu.exact 0.005
t -o gpu.model --device cuda:1
# Beside the time of the training stands in how much of it the device computed.
for device in cpu cuda; do t -o busy.model --no-eval --device $device --json | python3 -c '
import json, sys
r = json.loads(sys.stdin.read().split("exit")[0]); print(0 < r["device_busy_seconds"] < r["fit_seconds"] if "device_busy_seconds" in r else "no device")'; done
tgn-train train e.safetensors --memory-dim 8 --time-dim 4 --batch-size 20 --epochs 1 --no-eval -o busy.model --device cuda | grep -o 'device busy for'
# The same model, whose memory is its own or made anew.
for m in cpu.model cpu.exact; do ap $m > cpu.json; ap $m --device cuda > gpu.json; diff cpu.json gpu.json && echo "the same"; done
tgn-train embed cpu.model e.safetensors -q -o cpu.embeddings; tgn-train embed cpu.model e.safetensors -q -o gpu.embeddings --device cuda
close cpu.embeddings gpu.embeddings 1e-5
# auto leaves a device alone whose speed nobody knows
tgn-train eval cpu.model e.safetensors --no-baselines --device auto -v 2>&1 | grep 'leaves cuda'
# What it cannot do, at the beginning; too little memory; a device that is lost in the middle.
t -o x.model --device cuda --architecture dyrep --memory exact
tgn-train train e.safetensors --device cuda --task node-label --from cpu.model -o x.model; echo "exit $?"
tgn-train predict cpu.model --device cuda; echo "exit $?"
FRUGAL_HOST_CUDA_MEMORY=100000 t -o x.model --device cuda 2>&1 | sed 's/needs .* of its/needs ... of its/'
FRUGAL_HOST_CUDA_LOST_AT=200 t -o lost.model --device cuda --checkpoint c --checkpoint-every 0s 2>&1 | sed 's/lost: .*: /lost: ...: /'
ls lost.model 2>&1 | cut -c 1-20
# The checkpoint of the device goes on where there is none.
t -o lost.model --checkpoint c --resume; close cpu.model lost.model 0.005
