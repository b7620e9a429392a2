#!/bin/sh
# What only a machine with an NVIDIA GPU can say, each part in at most ten minutes. Prints a short table last.
#   gpu.sh pack BUILD FOLDER   tools, tests, plug-in and the libraries that they need, for a machine that has none of them
#   gpu.sh check FOLDER OUT    kernels and engines against the CPU's bits and bounds; compute-sanitizer where it is there;
#                              CASES: which, options of doctest, all if not said
#   gpu.sh floors FOLDER OUT   each operation's time and its share of the floor; ROUNDS: of each, 100 if not said
#   gpu.sh robe FOLDER OUT     robe-compress beside PyTorch, eager and compiled with CUDA graphs: same data, model, rates
#   gpu.sh tgn FOLDER OUT EVENTS   tgn-train at batches of 200 and 10 beside PyTorch Geometric: same stream, network, steps;
#                              then average precision after an epoch on the CPU and on the device
#   gpu.sh sparse FOLDER OUT   sparse-train's softmax over 670,091 labels, and sampled, beside PyTorch, eager and compiled: same
#                              data, network, optimiser; points/s, P@1 and the most memory of the GPU that nvidia-smi saw
#   gpu.sh gnn FOLDER OUT      gnn-sample's GraphSAGE on the CPU and on the device, features in its memory or pinned, beside
#                              PyTorch Geometric on the same GPU: seconds an epoch, share of waiting, accuracy after it
#   gpu.sh sample FOLDER OUT   neighbourhoods of 15, 10, 5 for 1,024 seeds: gnn-sample on the CPU and on the device, beside
#                              pyg-lib's and GraphBolt's samplers: edges/s; then what each step of SALIENT's pipeline gains
# FOLDER: what pack made, beside this file's folder tests/. OUT: where logs go. FRUGAL_PLUGIN_DIR: another plug-in, as that
# of the tests in build/release/host_cuda, on which these parts can be tried without a GPU.
set -eu
part=${1:?part}; shift
here=$(cd "$(dirname "$0")/../../.." && pwd)

pack() {  # BUILD FOLDER
  mkdir -p "$2/bin" "$2/lib"
  for name in gnn-sample robe-compress hw-probe sparse-train tensor-file tgn-train unit_device unit_gnn-sample unit_robe-compress unit_sparse-train unit_tgn-train device_floors bench_generate_xmc; do cp "$1/bin/$name" "$2/bin/"; done
  if [ -e "$1/plugins/libfrugal_cuda.so" ]; then cp "$1/plugins/libfrugal_cuda.so" "$2/lib/"; else echo "no plug-in in $1: nvcc was not there" >&2; fi
  # glibc's own libraries are the machine's.
  for name in "$2"/bin/*; do ldd "$name"; done | awk '$3 ~ /^\// { print $3 }' | LC_ALL=C sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$2/lib/"
  ls "$2/bin" "$2/lib"
}

use() {  # FOLDER OUT
  folder=$(cd "$1" && pwd); mkdir -p "$2"; out=$(cd "$2" && pwd)
  PATH=$folder/bin:$PATH; LD_LIBRARY_PATH=$folder/lib; export PATH LD_LIBRARY_PATH
  FRUGAL_PLUGIN_DIR=${FRUGAL_PLUGIN_DIR:-$folder/lib}; export FRUGAL_PLUGIN_DIR
  if [ "$FRUGAL_PLUGIN_DIR" = "$folder/lib" ]; then FRUGAL_TEST_PLUGINS=$FRUGAL_PLUGIN_DIR; export FRUGAL_TEST_PLUGINS; fi
  # PyTorch's wheels bring cuBLASLt.
  wheel=$(python3 -c 'import glob, site; print(*[f for s in site.getsitepackages() for f in glob.glob(s + "/nvidia/**/libcublasLt.so.*", recursive=True)][:1])' 2>/dev/null) || wheel=
  [ -z "$wheel" ] || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$(dirname "$wheel")
  hw-probe --version --json > "$out/version.json"
}

row() { printf '%-44s %s\n' "$1" "$2"; }

check() {
  : > "$out/table"
  verdict() {  # NAME COMMAND...: its last line that counts
    name=$1; shift
    if "$@" > "$out/$name.log" 2>&1; then said=passed; else said=FAILED; fi
    row "$name" "$said, $(grep -E 'assertions|ERROR SUMMARY|RACECHECK SUMMARY' "$out/$name.log" | tail -n 1)" >> "$out/table"
  }
  verdict kernels unit_device -sf='*suite_test*' ${CASES:-}
  verdict robe unit_robe-compress -sf='*device_trainer_test*' ${CASES:-}
  verdict sparse unit_sparse-train -sf='*device_*test*' ${CASES:-}
  verdict gnn unit_gnn-sample -sf='*device_*test*' ${CASES:-}
  verdict tgn unit_tgn-train -sf='*device_*test*' ${CASES:-}
  for tool in memcheck racecheck initcheck synccheck; do
    command -v compute-sanitizer > /dev/null || { row "compute-sanitizer $tool" 'not there' >> "$out/table"; continue; }
    verdict "$tool" timeout 120 compute-sanitizer --tool "$tool" --error-exitcode 9 unit_device -sf='*suite_test*'
  done
  cat "$out/table"
  ! grep -q FAILED "$out/table"
}

floors() { device_floors "${ROUNDS:-100}" | tee "$out/table"; }

# Samples of the shape of Criteo Kaggle (SAMPLES of them, 300,000 if not said): 13 numbers, 26 fields.
robe() {
  data=$out/train.tsv; test=$out/test.tsv
  [ -s "$data" ] || robe-compress generate --shape kaggle --samples "${SAMPLES:-300000}" --seed 1 -o "$data" -q
  [ -s "$test" ] || robe-compress generate --shape kaggle --samples "$((${SAMPLES:-300000} / 5))" --seed 1 --from "${SAMPLES:-300000}" -o "$test" -q
  : > "$out/table"
  for batch in 2048 16384; do
    for device in cpu cuda; do
      robe-compress train "$data" --format criteo --device $device --batch-size $batch --epochs 1 --optimizer adagrad \
        --compression 100 --storage f32 --hash robe2021 -o "$out/$device.model" --json -q > "$out/$device.$batch.json" || continue
      robe-compress eval "$out/$device.model" "$test" --device $device --json -q > "$out/$device.$batch.eval.json"
      row "robe-compress $device, batch $batch" "$(python3 -c '
import json, sys
t, e = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
print("%.0f samples/s, AUC %.4f" % (t["samples_per_second"], e["auc"]))' "$out/$device.$batch.json" "$out/$device.$batch.eval.json")" >> "$out/table"
    done
    for way in eager compiled; do
      compiled=; [ $way = eager ] || compiled=--compile
      row "PyTorch $way, batch $batch" "$(python3 "$here/tests/bench/robe-compress/dlrm_pytorch.py" "$data" "$test" --compression 100 \
        --optimizer adagrad --learning-rate 0.01 --batch-size $batch --device "${TORCH_DEVICE:-cuda}" $compiled 2> "$out/torch.$way.$batch.log")" >> "$out/table" || true
    done
  done
  cat "$out/table"
}

# EVENTS: as Wikipedia's edits of ../shared/data, or what `tgn-train generate` makes.
tgn() {
  : > "$out/table"
  device=${TGN_DEVICE:-cuda}
  for where in cpu "$device"; do
    python3 "$here/tests/bench/tgn-train/rival_speed.py" "$1" --only ours-pyg-none-f32,ours-f32,ours-bf16,pyg --batch-sizes 200,10 --threads "${THREADS:-8}" \
      --seconds "${SECONDS_EACH:-10}" --events "${EVENTS_TIMED:-40000}" --runs 1 --device "$where" > "$out/$where.md" 2> "$out/$where.log" ||
      row "$where" "FAILED: $(tail -n 1 "$out/$where.log")" >> "$out/table"
    sed -n '3,$s/^| \(.*\) |$/\1/p' "$out/$where.md" | while IFS='|' read -r name batch threads cpu wall rest; do
      row "$name on $where, batch$batch" "$wall events/s" >> "$out/table"
    done
    tgn-train import "$1" -o "$out/events.safetensors" -q
    tgn-train train "$out/events.safetensors" --epochs 1 --device "$where" --threads "${THREADS:-8}" --json -q -o "$out/$where.model" > "$out/$where.json" &&
      row "average precision after an epoch on $where" "$(python3 -c '
import json, sys
print("%.4f" % json.load(open(sys.argv[1]))["test_average_precision"])' "$out/$where.json")" >> "$out/table"
  done
  cat "$out/table"
}

# The most memory of the GPU while a command runs, in MiB, behind what the command's table says.
with_memory() {  # NAME COMMAND...
  name=$1; shift
  echo 0 > "$out/$name.memory"; watch=
  if command -v nvidia-smi > /dev/null; then nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -lms 200 > "$out/$name.memory" & watch=$!; fi
  "$@" > "$out/$name.md" 2> "$out/$name.log" || row "$name" "FAILED: $(tail -n 1 "$out/$name.log")" >> "$out/table"
  [ -z "$watch" ] || kill "$watch"
  sed -n '3,$s/^| \(.*\) |$/\1/p' "$out/$name.md" | while IFS='|' read -r set program p1 p5 cpu wall rest; do
    row "$name" "$(awk -v wall="$wall" -v points="${POINTS:-163840}" -v p1="$p1" '$1 > most { most = $1 } END {
      printf "%.0f points/s, P@1 %s, %d MiB", points / wall, p1, most }' "$out/$name.memory")" >> "$out/table"
  done
}

# Points of Amazon-670K's shape, POINTS of them, 163,840 if not said. SHAPE: labels=2000 and the like. SPARSE_DEVICE, TORCH_DEVICE: others.
sparse() {
  : > "$out/table"
  [ -s "$out/xmc/train.txt" ] || bench_generate_xmc amazon-670k "$out/xmc" points="${POINTS:-163840}" ${SHAPE:-} > "$out/xmc.log"
  compare() {  # NAME OPTIONS of dense_pytorch.py
    name=$1; shift
    with_memory "$name" python3 "$here/tests/bench/sparse-train/dense_pytorch.py" "$out/xmc" --sparse-train "$folder/bin/sparse-train" \
      --hidden 128 --batch-size "${BATCH:-4096}" --epochs 2 --learning-rate 0.002 "$@"
  }
  device=${SPARSE_DEVICE:-cuda}
  compare sparse-train.dense --only-ours --our-device "$device" \
    --ours 'dense=--architecture dense --loss softmax --optimizer adam --learning-rate 0.002 --dropout 0 --precision auto'
  compare sparse-train.shared --only-ours --our-device "$device" --ours 'shared=--architecture shared --dropout 0'
  compare pytorch.eager --ours '' --bf16 --device "${TORCH_DEVICE:-cuda}"
  compare pytorch.compiled --ours '' --bf16 --compile --device "${TORCH_DEVICE:-cuda}"
  cat "$out/table"
}

# A graph of ogbn-products' shape divided by SCALE, 8 if not said. GNN_DEVICE, TORCH_DEVICE: others. SETTINGS: of all programs.
gnn() {
  : > "$out/table"
  graph=$out/graph.safetensors; device=${GNN_DEVICE:-cuda}
  [ -s "$graph" ] || gnn-sample generate --shape products --scale "${SCALE:-8}" -o "$graph" -q
  settings=${SETTINGS:---fanouts 15,10,5 --eval-fanouts 20,20,20 --batch-size 1024 --hidden 256 --dropout 0.5 --learning-rate 0.003}
  epoch() {  # NAME COMMAND...: which prints JSON
    name=$1; shift
    "$@" > "$out/$name.json" 2> "$out/$name.log" || { row "$name" "FAILED: $(tail -n 1 "$out/$name.log")" >> "$out/table"; return 0; }
    row "$name" "$(python3 -c '
import json, statistics, sys
f = json.load(open(sys.argv[1]))
seconds = f["epoch_seconds"] if isinstance(f["epoch_seconds"], float) else statistics.median(f["epoch_seconds"])
print("%.3f s an epoch, %.0f %% waiting, accuracy %.4f" % (seconds, 100 * f.get("waiting_share", f.get("waiting")),
      f.get("test_accuracy", f.get("accuracy")) or 0))' "$out/$name.json")" >> "$out/table"
  }
  ours() {  # NAME OPTIONS...
    name=$1; shift
    # shellcheck disable=SC2086
    epoch "$name" gnn-sample train "$graph" -o "$out/gnn.model" --architecture sage --epochs "${EPOCHS:-3}" --eval-every "${EPOCHS:-3}" \
      --threads "${THREADS:-16}" --json -q $settings "$@"
  }
  ours gnn-sample.cpu --device cpu
  for place in device pinned batches; do ours "gnn-sample.$place" --device "$device" --device-features $place; done
  for workers in 0 15; do
    # shellcheck disable=SC2086
    epoch "pyg.$workers.workers" python3 "$here/tests/bench/gnn-sample/training_rivals.py" "$graph" --way pyg --epochs "${EPOCHS:-3}" \
      --threads "${THREADS:-16}" --workers $workers --device "${TORCH_DEVICE:-cuda}" $settings
  done
  cat "$out/table"
}

# The same graph. RIVAL_PYTHON: the interpreter that has pyg-lib or DGL. SAMPLING: of all programs; LADDER: of the
# ladder alone.
sample() {
  : > "$out/table"
  graph=$out/graph.safetensors; device=${GNN_DEVICE:-cuda}
  [ -s "$graph" ] || gnn-sample generate --shape products --scale "${SCALE:-8}" -o "$graph" -q
  sampling=${SAMPLING:---fanouts 15,10,5 --batch-size 1024}
  bench() {  # NAME OPTIONS...
    name=$1; shift
    # shellcheck disable=SC2086
    gnn-sample bench "$graph" --threads "${THREADS:-16}" $sampling --json -q "$@" > "$out/$name.json" 2> "$out/$name.log" ||
      { row "$name" "FAILED: $(tail -n 1 "$out/$name.log")" >> "$out/table"; return 0; }
    python3 -c '
import json, sys
for way in json.load(open(sys.argv[2]))["ways"]:
    if "batches" not in way and "left_out" not in way and (way["name"] != "as given" or "pinned" in sys.argv[1]): continue
    name = way["name"].replace("as given", "sampled on the CPU, all threads") + ", graph pinned" * ("pinned" in sys.argv[1])
    print("%-58s" % name, way.get("left_out") or "%.4g M edges/s%s%s" % (
          way["sampled_edges_per_second"] / 1e6, ", the device waits %.0f %%" % (100 * way["device_waiting_share"]) if "device_waiting_share" in way else "",
          ", %.2f times the step before" % way["gain"] if "gain" in way else ""))' "$name" "$out/$name.json" >> "$out/table"
  }
  # shellcheck disable=SC2086
  bench ladder --ladder ${LADDER:-} --device "$device" --rounds 3 --round-time "${SECONDS_EACH:-2}s"
  bench pinned --device "$device" --device-graph pinned --rounds 3 --round-time "${SECONDS_EACH:-2}s"
  rival() {  # NAME OPTIONS of sampling_rivals.py
    name=$1; shift
    # shellcheck disable=SC2086
    if "${RIVAL_PYTHON:-python3}" "$here/tests/bench/gnn-sample/sampling_rivals.py" "$graph" $sampling "$@" > "$out/$name.json" 2> "$out/$name.log"; then
      row "$name" "$(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
print("%.1f M edges/s" % (found["edges"] / found["wall"] / 1e6))' "$out/$name.json")" >> "$out/table"
    else
      row "$name" "FAILED: $(tail -n 1 "$out/$name.log")" >> "$out/table"
    fi
  }
  rival pyg-lib.1.thread --way pyg-lib --threads 1
  rival "pyg-lib.${THREADS:-16}.threads" --way pyg-lib --threads "${THREADS:-16}"
  rival graphbolt.cuda --way graphbolt32 --device "${TORCH_DEVICE:-cuda}"
  cat "$out/table"
}

case $part in
  pack) pack "$@" ;;
  check | floors | gnn | robe | sample | sparse) use "$@"; "$part" ;;
  tgn) use "$1" "$2"; tgn "${3:?events}" ;;
  *) sed -n '2,18s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
