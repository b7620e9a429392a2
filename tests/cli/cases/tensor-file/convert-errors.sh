cp "$golden"/v1-* .
try() { tensor-file convert "$@"; echo "status $?"; }
try v1-stream.tzs one.safetensors.zst
try v1-stream.tzs one.safetensors
try v1-stream.tzs one.npz
try v1-packed.safetensors.zst one.npy
try v1-packed.safetensors.zst a.tzs --level 20
try v1-packed.safetensors.zst a.tzs --frame-size 1K
try v1-packed.safetensors.zst a.tzs --dtype F8
try v1-packed.safetensors.zst a.tzs --kind end
try v1-packed.safetensors.zst /no/such/folder/a.tzs
try v1-packed.safetensors.zst a.tzs --max-memory 1K
try no-such.npy a.tzs
printf 'PK\005\006 and no more' > bad.npz; try bad.npz a.tzs
printf '\223NUMPY\001\000' > bad.npy; try bad.npy a.tzs
tensor-file convert v1-stream.tzs - > /dev/full; echo "status $?"
tensor-file convert v1-stream.tzs - --json; echo "status $?"
end='{"__metadata__":{"frugal.documents":"0","frugal.kind":"end","frugal.offset":"0","frugal.status":"complete","frugal.version":"1"}}'
printf '\201\0\0\0\0\0\0\0%s' "$end" > empty.tzs
try empty.tzs none.npy
try empty.tzs none.npz
# What would do nothing is said, not ignored.
for useless in 'p.safetensors --level 9' 'p.npz --level 9' 'p.safetensors --frame-size 1M' 'p.npy --pack' 'p.npz --kind graph'; do
  try v1-packed.safetensors.zst $useless
done
rm v1-*; ls
