# Whole files; then every truncation of three small ones, from a pipe: none is accepted.
cd "$golden" || exit 2
tensor-file verify v1-file.safetensors.zst v1-stream.tzs v1-joined.tzs v1-packed.safetensors.zst v1-raw.safetensors
echo "status $?"
tensor-file verify - < v1-stream.tzs
for file in v1-file.safetensors.zst v1-stream.tzs v1-raw.safetensors; do
  size=$(stat -c %s $file); n=0; wrong=0
  while [ $n -lt $size ]; do
    head -c $n $file | tensor-file verify --quiet - 2>/dev/null
    [ $? = 65 ] || { wrong=$((wrong + 1)); echo "$file: first $n bytes"; }
    n=$((n + 1))
  done
  echo "$file: $wrong truncations accepted"
done
