# Through every format and back, the elements are the same bits.
cp "$golden/v1-packed.safetensors.zst" start.safetensors.zst
tensor-file convert start.safetensors.zst a.safetensors
tensor-file convert a.safetensors b.tzs --level 19
tensor-file convert --quiet b.tzs c.npz
tensor-file convert c.npz - --kind graph | tensor-file convert - d.safetensors.zst --pack --frame-size 64K
for file in a.safetensors b.tzs c.npz d.safetensors.zst; do tensor-file diff start.safetensors.zst $file; echo "$file $?"; done
tensor-file info d.safetensors.zst | grep -v -e history -e stored
# Four conversions, each of which left its command; that to .npz was the end of the first two.
tensor-file info d.safetensors.zst --json | grep -o '\\"argv[^]]*'
tensor-file cat start.safetensors.zst --tensor weights --format npy -o weights.npy
tensor-file convert weights.npy e.tzs
tensor-file cat e.tzs --tensor weights --rows 1:2 | cut -c 1-20
# A file converted onto itself, and one that is not touched because it has not changed.
tensor-file convert a.safetensors a.safetensors; tensor-file diff start.safetensors.zst a.safetensors; echo "itself $?"
tensor-file convert --quiet a.safetensors f.npz; touch -d 2001-01-01 f.npz
tensor-file convert --quiet --if-changed a.safetensors f.npz; [ "$(date -r f.npz +%Y)" = 2001 ] && echo untouched
