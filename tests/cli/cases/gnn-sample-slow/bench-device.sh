# The ladder of training on a device: the plug-in whose CUDA kernels run on this CPU stands for one, so speeds say nothing.
plugins=$(dirname "$(dirname "$(command -v gnn-sample)")")/host_cuda
gnn-sample generate --scale 20 --classes 4 --features 8 -o g.safetensors -q
b() { gnn-sample bench "$@" --batches 6 --batch-size 16 --fanouts 3,2 --rounds 2 2>&1; echo "exit $?"; }
plain() { sed -E 's/: [0-9.]+( M)? (edges|steps)\/s/: N \2\/s/; s/, [0-9.]+( M)? a CPU/, N a CPU/; s/waits [0-9.e+-]+ %/waits N %/; s/, [0-9.]+ times/, N times/'; }
b g.safetensors --device cuda | sed 's/cuda.so in .*/cuda.so in .../'
export FRUGAL_PLUGIN_DIR="$plugins"
b g.safetensors --device cuda | plain
b g.safetensors --device cuda --ladder --hidden 8 | plain
# All steps of the ladder train on the same mini-batches: their losses are equal, and so are their edges.
gnn-sample bench g.safetensors --device cuda --ladder --hidden 8 --batches 6 --batch-size 16 --fanouts 3,2 --rounds 2 --json -q | python3 -c '
import json, statistics, sys
result = json.load(sys.stdin)
ways = [way for way in result["ways"] if "device_waiting_share" in way]
print(result["device"], *["%s %s" % (way["name"], "loss" in way and round(way["loss"], 9) > 0) for way in ways], sep="\n")
trained = [way for way in ways if "loss" in way]
print(len({round(way["loss"], 9) for way in trained}), "loss,",
      len({round(w["sampled_edges_per_second"] * statistics.median(w["seconds"])) for w in result["ways"]}), "number of edges")
print(all(0 <= way["device_waiting_share"] < 1 for way in ways), [w["name"] for w in trained if "gain" not in w])
for before, way in zip(trained, trained[1:]):
  assert abs(way["gain"] * before["sampled_edges_per_second"] / way["sampled_edges_per_second"] - 1) < 1e-9'
# By time; what there is no memory for is left out.
gnn-sample bench g.safetensors --device cuda --ladder --hidden 8 --batch-size 16 --fanouts 3,2 --rounds 1 --round-time 0.05s 2>&1 | plain | tail -n 2
for memory in 100000 150000; do
  FRUGAL_HOST_CUDA_MEMORY=$memory b g.safetensors --device cuda --ladder --hidden 8 | plain | sed 's/needs .*;/needs ...;/' | tail -n 7
done
# What it cannot do.
b g.safetensors --device cuda --ladder --seeds edges | tail -n 2
gnn-sample generate --scale 20 -o bare.safetensors -q --features 0
b bare.safetensors --device cuda --ladder --seeds all | tail -n 2
gnn-sample bench g.safetensors --walks 4 --device cuda; echo "exit $?"
b g.safetensors --hidden 8 --device cuda
b g.safetensors --device auto | plain
