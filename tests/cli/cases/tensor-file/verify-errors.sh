# Each file is checked; the first that is not whole decides the status.
cp "$golden/v1-file.safetensors.zst" good.safetensors.zst
head -c 300 good.safetensors.zst > cut.safetensors.zst
{ head -c 200 good.safetensors.zst; printf 'X'; tail -c +202 good.safetensors.zst; } > flipped.safetensors.zst
tensor-file verify good.safetensors.zst cut.safetensors.zst missing.tzs; echo "status $?"
tensor-file verify missing.tzs cut.safetensors.zst; echo "status $?"
tensor-file verify flipped.safetensors.zst; echo "status $?"
tensor-file verify --json good.safetensors.zst cut.safetensors.zst; echo "status $?"
head -c 200 "$golden/v1-stream.tzs" > cut.tzs
tensor-file verify cut.tzs; echo "status $?"
: > empty.tzs; tensor-file verify empty.tzs; echo "status $?"
