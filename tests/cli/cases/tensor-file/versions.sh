# A higher version is shown and compared, but not written again as if it were of this one.
cp "$golden"/v1-raw.safetensors a.safetensors
LC_ALL=C sed 's/"frugal.version":"1"/"frugal.version":"9"/' a.safetensors > b.safetensors
tensor-file info b.safetensors | grep -a version; tensor-file verify b.safetensors; tensor-file diff a.safetensors b.safetensors; echo "exit $?"
for to in c.tzs c.npz; do tensor-file convert b.safetensors $to; echo "exit $?"; done
ls
