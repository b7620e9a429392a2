# Training on a device: the plug-in whose CUDA kernels run on this CPU stands for one.
plugins=$(dirname "$(dirname "$(command -v gnn-sample)")")/host_cuda
gnn-sample generate --scale 20 --classes 4 --features 8 -o g.safetensors -q
t() { gnn-sample train g.safetensors -q --fanouts 4,3 --hidden 8 --batch-size 40 --learning-rate 0.003 --epochs 2 --precision f32 "$@"; echo "exit $?"; }
close() { tensor-file diff "$1" "$2" --atol 2e-5 > /dev/null; echo "the same within 2e-5: $?"; }
same() { tensor-file diff "$1" "$2" > /dev/null && echo "the same bits"; }
t -o none.model --device cuda 2>&1 | sed 's/cuda.so in .*/cuda.so in .../'
export FRUGAL_PLUGIN_DIR="$plugins"
for how in sage 'sage --aggregate max --optimizer adagrad' gcn 'gat --heads 2 --attention-dropout 0.2' 'gin --batch-norm --optimizer sgd' sage-ri 'sage --task links --embedding 5' 'sage --method labor --semantics frontier'; do
  t -o cpu.model --architecture $how --device cpu; t -o gpu.model --architecture $how --device cuda; close cpu.model gpu.model
done
# Where features lie changes nothing, nor does it matter which way a run goes on.
for place in device pinned batches; do t -o $place.model --device cuda --device-features $place; same device.model $place.model; done
t -o mapped.model --device cuda --residence mapped; same device.model mapped.model
t -o mapped.model --device cuda --residence mapped --device-features pinned; same device.model mapped.model
# An array of robe-compress on the device gives what its rows give, and is expanded there or here.
awk 'BEGIN { for (i = 0; i < 200; ++i) { print i "," (i + 8) % 200 > "e.csv"; print i % 8 > "labels.txt"
  for (j = 0; j < 16; ++j) printf "%.4f%s", sin(37 * i + 5 * j) / 2 + (j % 8 == i % 8), j < 15 ? "," : "\n" > "f.csv" } }'
i() { gnn-sample import e.csv --undirected --labels labels.txt --split 0.5,0.25,0.25 --features "$1" -o "$2" -q; }
i f.csv full.safetensors
robe-compress compress full.safetensors --select features --compression 2 --storage int8 -o a.safetensors -q
i a.safetensors robe.graph
r() { gnn-sample train robe.graph -q --fanouts 4,3 --hidden 8 --batch-size 40 --epochs 1 --precision f32 "$@"; echo "exit $?"; }
r -o cpu.model; for place in device batches; do r -o $place.model --device cuda --device-features $place; close cpu.model $place.model; done; same device.model batches.model
r -o x.model --device cuda --device-features pinned
t -o x.model --device cuda:1
# Beside the time of the training stands in how much of it the device computed.
for device in cpu cuda; do t -o busy.model --device $device --json | python3 -c '
import json, sys
r = json.loads(sys.stdin.read().split("exit")[0]); print(0 < r["device_busy_seconds"] < r["fit_seconds"] if "device_busy_seconds" in r else "no device")'; done
gnn-sample train g.safetensors --fanouts 4,3 --hidden 8 --epochs 1 -o busy.model --device cuda | grep -o 'device busy for'
# auto leaves a device alone whose speed nobody knows
gnn-sample train g.safetensors -o x.model --hidden 4 --epochs 1 --device auto -v 2>&1 | grep -m 1 'leaves cuda'
# What it cannot do, which auto leaves to the CPU; too little memory; a device that is lost in the middle.
for how in '--norm layer' --residual '--jumping sum --head-layers 1'; do t -o x.model --device cuda $how; done
t -o x.model --device auto --residual
FRUGAL_HOST_CUDA_MEMORY=100000 t -o x.model --device cuda 2>&1 | sed 's/needs .*;/needs ...;/'
FRUGAL_HOST_CUDA_LOST_AT=100 t -o lost.model --device cuda --checkpoint c --checkpoint-every 0s 2>&1 | sed 's/lost: .*: /lost: ...: /'
ls c lost.model 2>&1 | cut -c 1-20
# The checkpoint of the device goes on where there is none.
t -o lost.model --device cpu --checkpoint c --resume --json | grep -o -e 'resumed_from_step.*,' -e 'exit.*'
t -o cpu.model --device cpu; close cpu.model lost.model
# Computed input rows reach the device as features do; an embedding is trained on the CPU alone.
gnn-sample generate --scale 20 --classes 4 --features 0 -o bare.safetensors -q
b() { gnn-sample train bare.safetensors -q --fanouts 4,3 --hidden 8 --batch-size 40 --learning-rate 0.003 --epochs 2 --precision f32 -f "$@"; echo "exit $?"; }
for device in cpu cuda; do b -o $device.model --input projection,degree --input-size 16 --device $device; done; close cpu.model cuda.model
b -o x.model --input embedding --device cuda
