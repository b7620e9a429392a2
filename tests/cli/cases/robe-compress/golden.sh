# Later versions read the files of version 1.0.0, and find in them what it found.
printf '0\n5\n' | robe-compress lookup "$golden/robe-compress-v1.model" --table user -o rows.npy -q
tensor-file cat rows.npy
robe-compress expand "$golden/robe-compress-v1.safetensors" -o table.npy -q
tensor-file cat table.npy | head -n 3
