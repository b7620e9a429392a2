#!/bin/sh
# tensor-file against the zstd program: the same bytes, the same level, alternated, medians of RUNS (5).
# Ours is synced to the disk before it appears under its name, the rival is not.
# Prints rows of a table: seconds of wall clock and CPU, ours / zstd, ratio of the wall clocks.
# Accuracy: our file, and what zstd -dc makes of it, must equal the plain document element by element.
# Writing is compared on all processors and on one; zstd decompresses on one.
#   run.sh BIN_DIR [MEGABYTES (256)] [LEVELS ("1 9")]
PATH=$(cd "$1" && pwd):$PATH; megabytes=${2:-256}; levels=${3:-1 9}; runs=${RUNS:-5}
threads=$(nproc); export SOURCE_DATE_EPOCH=0
command -v zstd >/dev/null || { echo "zstd is not installed"; exit 1; }
[ "$runs" -ge 5 ] || { echo "RUNS must be 5 or more"; exit 2; }
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

# Three kinds of data, a third each: gaussian F32 weights, sorted I64 ids, power-law I32 columns.
python3 - "$megabytes" <<'P'
import array, json, random, struct, sys
share = int(sys.argv[1]) * 1000000 // 3 // 64 * 64
random.seed(1)
block = 1 << 16
gauss = [random.gauss(0, 0.02) for _ in range(block)]
header, at, parts = {}, 0, []
def add(name, dtype, code, values):
    global at
    size = array.array(code).itemsize
    count = share // size
    header[name] = {"dtype": dtype, "shape": [count], "data_offsets": [at, at + count * size]}
    at += count * size
    parts.append((code, count, values))
def ids():
    total = 0
    while True:
        total += random.randrange(1, 16)
        yield total
def columns():
    while True:
        yield int(1e6 * random.random() ** 4)
def weights():
    while True:
        yield random.choice(gauss) + random.choice(gauss)
add("ids", "I64", "q", ids)
add("columns", "I32", "i", columns)
add("weights", "F32", "f", weights)
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-(8 + len(text)) % 64)
with open("plain.safetensors", "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text)
    for code, count, values in parts:
        source = values()
        for begin in range(0, count, block):
            out.write(array.array(code, (next(source) for _ in range(min(block, count - begin)))).tobytes())
P

# One run: "wall cpu" of the command, appended to the file $1.
timed() {
  python3 - "$@" <<'P'
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
wall = time.perf_counter() - start
use = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "a").write(f"{wall:.4f} {use.ru_utime + use.ru_stime:.4f} {use.ru_maxrss // 1024}\n")
P
}
median() { sort -n -k "$2" "$1" | awk -v k="$2" '{v[NR] = $k} END {print v[int((NR + 1) / 2)]}'; }
row() { # TASK RIVAL OURS.times ZSTD.times
  awk -v task="$1" -v rival="$2" -v mb="$megabytes" -v a="$(median "$3" 1)" -v ac="$(median "$3" 2)" \
    -v am="$(median "$3" 3)" -v b="$(median "$4" 1)" -v bc="$(median "$4" 2)" -v bm="$(median "$4" 3)" 'BEGIN {
    printf "| tensor-file %s, %s MB | %.2f s, %.2f s CPU, %d MiB | %s: %.2f s, %.2f s CPU, %d MiB | %.2fx |\n",
      task, mb, a, ac, am, rival, b, bc, bm, b / a }'
}

# To memory where there is one: what is measured is not the disk.
cat plain.safetensors > /dev/null
echo "| task | ours | rival | speed-up |"; echo "|---|---|---|---|"
for level in $levels; do
  rm -f ./*.times
  i=0
  while [ $i -lt "$runs" ]; do
    for t in 1 "$threads"; do
      timed "ours-write-$t.times" tensor-file convert --quiet --threads "$t" --level "$level" plain.safetensors ours.safetensors.zst || exit 1
      timed "zstd-write-$t.times" zstd -q -f "-T$t" "-$level" plain.safetensors -o zstd.safetensors.zst || exit 1
      timed "ours-read-$t.times" tensor-file verify --threads "$t" ours.safetensors.zst || exit 1
      timed "zstd-read-$t.times" zstd -q -t zstd.safetensors.zst || exit 1
      [ "$threads" = 1 ] && break
    done
    i=$((i + 1))
  done
  tensor-file diff plain.safetensors ours.safetensors.zst || { echo "FAILED: elements differ"; exit 1; }
  zstd -dcq ours.safetensors.zst > ours.safetensors
  tensor-file diff plain.safetensors ours.safetensors || { echo "FAILED: zstd reads something else"; exit 1; }
  for t in 1 "$threads"; do
    row "convert, level $level, threads $t" "zstd -$level -T$t" "ours-write-$t.times" "zstd-write-$t.times"
    row "verify, level $level, threads $t" "zstd -t" "ours-read-$t.times" "zstd-read-$t.times"
    [ "$threads" = 1 ] && break
  done
  echo "sizes at level $level: ours $(stat -c %s ours.safetensors.zst), zstd $(stat -c %s zstd.safetensors.zst) bytes" >&2
done
