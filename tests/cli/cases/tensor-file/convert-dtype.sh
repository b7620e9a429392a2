# Rounding happens only on request, and what becomes infinite is said.
cp "$golden"/v1-* .
tensor-file convert v1-file.safetensors.zst half.safetensors --dtype F16
tensor-file info half.safetensors | grep -v history | grep -e F16 -e F32 -e F64
tensor-file convert half.safetensors half.npz; echo "status $?"
tensor-file convert v1-file.safetensors.zst all.npz; echo "status $?"; ls all.npz 2>&1
tensor-file convert half.safetensors back.tzs --dtype BF16
tensor-file cat back.tzs --tensor f64
