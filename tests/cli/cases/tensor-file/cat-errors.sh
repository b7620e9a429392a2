cd "$golden" || exit 2
try() { tensor-file cat "$@"; echo "status $?"; }
try v1-packed.safetensors.zst --tensor idz
try v1-packed.safetensors.zst --tensor ids --rows 2999:3001
try v1-packed.safetensors.zst --tensor ids --rows 5:4
try v1-packed.safetensors.zst --tensor ids --rows 5
try v1-packed.safetensors.zst --format npy
try v1-packed.safetensors.zst --format json
try v1-file.safetensors.zst --tensor bf16 --format npy
try v1-stream.tzs --document 9
try v1-stream.tzs --format npy -o "$PWD/never.npy"
ls never.npy 2>/dev/null
try v1-file.safetensors.zst --json
tensor-file cat v1-file.safetensors.zst > /dev/full; echo "status $?"
