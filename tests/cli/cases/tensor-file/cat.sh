# Elements as text: all types, rows, documents, pipes; and as numpy's file.
cd "$golden" || exit 2
tensor-file cat v1-file.safetensors.zst
echo rows; tensor-file cat v1-packed.safetensors.zst --tensor ids --rows 2997:
tensor-file cat v1-packed.safetensors.zst --tensor weights --rows 3:4 | cut -c 1-60
tensor-file cat v1-packed.safetensors.zst --tensor ids --rows :2 | cat
tensor-file cat v1-packed.safetensors.zst --tensor ids --rows 5:5
echo documents; tensor-file cat v1-stream.tzs --tensor ids
tensor-file cat v1-stream.tzs --tensor ids --document 1
zstd -dc v1-stream.tzs | tensor-file cat - --tensor ids --document 2 --rows 1:2
echo numpy; tensor-file cat v1-stream.tzs --tensor ids --document 1 --format npy | od -An -c -w16
