#!/bin/sh
# examples/python/read_tensor_file.py, which reads with numpy, safetensors and zstandard, agrees with tensor-file.
#   read_tensor_file.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/needs.sh"
needs numpy safetensors.numpy zstandard
PATH=$(cd "$1" && pwd):$PATH; source=$(cd "$2" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
golden=$source/tests/golden; reader=$source/examples/python/read_tensor_file.py; status=0
same() { cmp -s "$1" "$2" || { echo "FAILED: $3"; diff "$1" "$2" | head -10; status=1; }; }

printf '0 ids uint64 [2]: 0 1\n1 ids uint64 [2]: 1 2\n2 ids uint64 [2]: 2 3\n' > expected
python3 "$reader" "$golden/v1-stream.tzs" > got; same expected got "v1-stream.tzs"
{ echo '0 ids int64 [3000]: 0 1 4 9 16 25 36 49'
  echo '0 weights float32 [30, 100]: 0.0 0.015625 0.03125 0.046875 0.0625 0.078125 0.09375 0.109375'
} > expected
tensor-file convert "$golden/v1-packed.safetensors.zst" large.safetensors.zst
python3 "$reader" large.safetensors.zst > got; same expected got "large.safetensors.zst"
# Plain documents, and a stream of one document, as models are by default.
tensor-file convert "$golden/v1-packed.safetensors.zst" large.safetensors; tensor-file convert large.safetensors large.tzs; mv large.tzs large.model
for file in large.safetensors large.model; do python3 "$reader" "$file" > got; same expected got "$file"; done
head -c 2000 large.model > cut.model; python3 "$reader" cut.model > got 2>&1 && { echo 'FAILED: a cut stream is read'; status=1; }
exit $status
