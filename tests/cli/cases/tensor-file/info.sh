# What golden files hold, for people and for scripts.
cd "$golden" || exit 2
tensor-file info v1-file.safetensors.zst
tensor-file info v1-stream.tzs --document 2
tensor-file info v1-packed.safetensors.zst
tensor-file info - < v1-stream-by-zstd.tzs
cat v1-raw.safetensors | tensor-file info - | head -1
tensor-file info v1-stream.tzs --json
