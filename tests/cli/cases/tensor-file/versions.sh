# A higher version, or none that exists, is shown with a warning, and nothing else is done with the file.
cp "$golden"/v1-raw.safetensors a.safetensors
LC_ALL=C sed 's/"frugal.version":"1"/"frugal.version":"9"/' a.safetensors > b.safetensors
LC_ALL=C sed 's/"frugal.version":"1"/"frugal.version":"x"/' a.safetensors > x.safetensors
tensor-file info b.safetensors | grep -a version; tensor-file verify b.safetensors; echo "exit $?"
tensor-file diff a.safetensors b.safetensors; echo "exit $?"
tensor-file cat b.safetensors; echo "exit $?"
tensor-file verify x.safetensors; echo "exit $?"
for to in c.tzs c.npz; do tensor-file convert b.safetensors $to; echo "exit $?"; done
ls
