# Sampling on a device streams the CPU's bytes: the plug-in whose CUDA kernels run on this CPU stands for one.
plugins=$(dirname "$(dirname "$(command -v gnn-sample)")")/host_cuda
gnn-sample generate --scale 11 --classes 4 --features 8 --edge-ids -o plain.graph -q
gnn-sample generate --scale 9 --weights -o weights.graph -q
printf '0,1\n2,3\n4,4\n' > links
gnn-sample generate --scale 9 --times --edge-ids -o times.safetensors -q
s() { gnn-sample sample "$@" --batch-size 64 -o out -q 2>&1; echo "exit $?"; }
s plain.graph --device cuda | sed 's/cuda.so in .*/cuda.so in .../'
export FRUGAL_PLUGIN_DIR="$plugins"
# The command line is in the documents: the device comes by the environment.
both() {
  for device in cpu cuda; do FRUGAL_DEVICE=$device gnn-sample sample $1 --batch-size 64 --level none -o out -q || echo "exit $?"; mv out $device; done
  cmp cpu cuda && echo "the same bytes: $1"
}
while read -r options; do both "$options"; done <<END
plain.graph --epochs 2
plain.graph --semantics frontier --layout coo --edge-ids
plain.graph --fanouts -1,3 --replace --threads 1
plain.graph --method labor --fanouts 10,40 --seeds all --batches 5
plain.graph --method window --epochs 4 --from 3
plain.graph --disjoint --wide-ids --shard 1/2
plain.graph --seeds edges --negatives 1 --exclude-seed-edges --batches 6
plain.graph --edges links --no-features --fanouts 300
weights.graph --seeds all --method weighted --fanouts 8,4
weights.graph --seeds all --method weighted --replace --device-graph pinned
times.safetensors --seeds all --temporal uniform --fanouts 5,5
times.safetensors --seeds all --temporal last --edge-ids --device-graph pinned --residence mapped
times.safetensors --seeds edges --temporal uniform --replace --batches 4
END
# What it has no engine for; auto leaves a device alone whose speed nobody knows.
printf '0,1\n1,2\n' > e.csv
gnn-sample import --edges a:to:b=e.csv -o types.graph -q
for device in cuda auto; do s types.graph --seed-type b --seeds all --fanouts 2 --no-features --device $device; done
s plain.graph --device cuda:1
s plain.graph --walks 5 --device cuda
s plain.graph --walks 5 --device auto
gnn-sample sample plain.graph --batch-size 512 -o out --device auto -v 2>&1 | grep -m 1 'leaves cuda'
# Too little memory: the graph is pinned, or batches are too large; a device that is lost in the middle.
FRUGAL_HOST_CUDA_MEMORY=300000 s plain.graph --device cuda --device-graph device | sed 's/needs .*;/needs ...;/'
gnn-sample sample plain.graph --fanouts 2 --batch-size 16 -o out --device cuda -v 2>&1 | grep -o "edges, .* device's memory"
FRUGAL_HOST_CUDA_MEMORY=50000 gnn-sample sample plain.graph --fanouts 2 --batch-size 16 -o out --device cuda -v 2>&1 | grep -o "edges, .* host's memory"
rm out; FRUGAL_HOST_CUDA_LOST_AT=9 s plain.graph --device cuda | sed 's/lost: .*: unspec/lost: ...: unspec/'
ls out* 2>&1
