#!/bin/sh
# The Python readers of examples/python agree with tensor-file on files that it writes.
#   run.sh BIN_DIR SOURCE_DIR
PATH=$(cd "$1" && pwd):$PATH; source=$(cd "$2" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
golden=$source/tests/golden; readers=$source/examples/python; status=0
same() { cmp -s "$1" "$2" || { echo "FAILED: $3"; diff "$1" "$2" | head -10; status=1; }; }

# What every reader must print for a plain stream and for packed numbers.
printf '0 ids U64 [2]: 0 1\n1 ids U64 [2]: 1 2\n2 ids U64 [2]: 2 3\n' > stream.expected
{ echo '0 ids I64 [3000]: 0 1 4 9 16 25 36 49'
  echo '0 weights F32 [30, 100]: 0.0 0.015625 0.03125 0.046875 0.0625 0.078125 0.09375 0.109375'
} > packed.expected

for file in v1-stream.tzs v1-stream-by-zstd.tzs; do
  python3 "$readers/read_with_zstd.py" "$golden/$file" > got; same stream.expected got "read_with_zstd.py $file"
done
python3 "$readers/read_with_zstd.py" "$golden/v1-packed.safetensors.zst" > got
same packed.expected got "read_with_zstd.py v1-packed"
python3 "$readers/read_with_zstd.py" "$golden/v1-file.safetensors.zst" > compressed
python3 "$readers/read_with_zstd.py" "$golden/v1-raw.safetensors" > plain
same compressed plain "read_with_zstd.py compressed and plain"
[ "$(wc -l < plain)" = 14 ] || { echo "FAILED: not 14 tensors of all types"; status=1; }
head -c 400 "$golden/v1-stream.tzs" > cut.tzs
python3 "$readers/read_with_zstd.py" cut.tzs > got 2>&1 && { echo "FAILED: a cut stream was read"; status=1; }

# And back: what tensor-file makes of a stream, a reader without our code reads.
tensor-file convert "$golden/v1-stream.tzs" - | tensor-file convert - again.tzs --level 9 --quiet
python3 "$readers/read_with_zstd.py" again.tzs > got; same stream.expected got "read_with_zstd.py again.tzs"
exit $status
