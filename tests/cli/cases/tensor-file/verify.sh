# Whole files; then every truncation of three small ones, from a pipe: none is accepted. Sanitized processes start
# slowly: of them every 13th.
cd "$golden" || exit 2
tensor-file verify v1-file.safetensors.zst v1-stream.tzs v1-joined.tzs v1-packed.safetensors.zst v1-raw.safetensors
echo "status $?"
tensor-file verify - < v1-stream.tzs
step=1
tensor-file --version --json | grep -q sanitize && step=13
for file in v1-file.safetensors.zst v1-stream.tzs v1-raw.safetensors; do
  size=$(stat -c %s $file); n=0; wrong=0
  while [ $n -lt $size ]; do
    head -c $n $file | tensor-file verify --quiet - 2>/dev/null
    [ $? = 65 ] || { wrong=$((wrong + 1)); echo "$file: first $n bytes"; }
    n=$((n + step))
  done
  echo "$file: $wrong truncations accepted"
done
