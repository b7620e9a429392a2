# Without /proc the memory that is left is unknown, not none, and outputs are named temporaries.
# Not emulated: the emulator itself needs /proc.
cp "$golden"/v1-raw.safetensors a.safetensors
# Where mount namespaces are not allowed, the same is asked of the machine as it is.
hidden() { unshare -m sh -c 'mount -t tmpfs none /proc 2> /dev/null; exec "$@"' sh "$@"; }
unshare -m true 2> /dev/null || hidden() { "$@"; }
hidden tensor-file convert a.safetensors b.npz --dtype F32; hidden tensor-file verify a.safetensors b.npz; ls -A
