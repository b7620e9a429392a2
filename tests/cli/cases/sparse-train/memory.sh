# Data larger than the memory that a process may have: they train from a temporary file, from a pipe too, to
# the same bytes as with plenty of memory where the order of examples is the same.
# Not emulated: its limits of memory would be the emulator's.
limit() { grep -q __asan_init "$(command -v sparse-train)" || ulimit -d "$1"; }
awk 'BEGIN {
  print 20000, 4000, 50
  for (i = 0; i < 20000; i++) {
    c = i * 7919 % 50; line = c
    for (j = 0; j < 8; j++) line = line " " c * 40 + (i * 31 + j * 7) % 5 + 5 * j ":1"
    for (j = 0; j < 60; j++) line = line " " 2000 + (i * 131 + j * 33) % 30 + 30 * j ":1"
    print line
  }
}' > data.txt
t() { sparse-train train "$@" --threads 1 --epochs 1 -q; }
(limit 12000; t data.txt -o small.model --max-memory 2M; echo "exit $?")
(limit 12000; cat data.txt | t - -o pipe.model --format xmc --max-memory 2M; echo "exit $?")
tensor-file diff small.model pipe.model; echo "exit $?"
sparse-train eval small.model data.txt --json | grep -cE '"p_at_1": (1|0\.[6-9])'
head -1001 data.txt | sed '1s/.*/1000 4000 50/' > part.txt
t part.txt -o plain.model; t part.txt -o cached.model --cache part.cache; t part.txt -o again.model --cache part.cache
tensor-file diff plain.model cached.model; tensor-file diff plain.model again.model; echo "exit $?"
sparse-train convert part.txt -o part.safetensors
t part.safetensors -o tensors.model; tensor-file diff plain.model tensors.model; echo "exit $?"
sparse-train eval plain.model part.safetensors --json | grep -cE '"p_at_1": (1|0\.[6-9])'
echo text > file; sparse-train train part.txt -o x.model --cache file; echo "exit $?"
# A cache is an output beside the others.
sparse-train train part.txt -o x.model --cache x.model; echo "exit $?"
sparse-train train part.txt -o x.model --max-memory 10K --cache-dir /no/such/folder; echo "exit $?"
# A label tree that will not fit is refused by what its first nodes take, before the memory is gone.
awk 'BEGIN {
  print 16000, 20000, 16000
  for (i = 0; i < 16000; i++) {
    line = i
    for (j = 0; j < 50; j++) line = line " " j * 400 + (i * i % 7919 * (j + 3) + i * 37) % 400 ":1"
    print line
  }
}' > labels.txt
trees() { sparse-train train labels.txt -o trees.model --architecture tree --trees 1 -q "$@"; }
if grep -q __asan_init "$(command -v sparse-train)"; then
  echo 'the rest of a tree of 16000 labels needs N MiB of memory'  # without a limit nothing is refused
else
  (ulimit -d 130000; trees --threads 2 --tree-prune 0 2>&1) |
    sed -n 's/^sparse-train: \(.* labels\) ([^)]*)\( needs\) [0-9.]* \(MiB of memory\), .*/\1\2 N \3/p'
fi
(limit 130000; trees --threads 1 --tree-prune 0.2; echo "exit $?")
rm -f labels.txt
ls
