# Files of 300 MB are converted in 60 MB, rows of any length, rounded or not, from a pipe and from one frame of zstd, too.
# Not emulated: its limits of memory would be the emulator's.
python3 - <<'P'
import struct
for name, shape, dtype, size in (("row", "[1,300000000]", "U8", 3 * 10**8), ("f64", "[37500000]", "F64", 3 * 10**8)):
    header = '{"%s":{"dtype":"%s","shape":%s,"data_offsets":[0,%d]}}' % (name, dtype, shape, size)
    with open(name + ".safetensors", "wb") as file:  # a hole
        file.write(struct.pack("<Q", len(header)) + header.encode())
        file.truncate(8 + len(header) + size)
P
limited() {
  (grep -q __asan_init "$(command -v tensor-file)" || ulimit -v 260000
   OMP_NUM_THREADS=1 tensor-file convert "$@" --max-memory 60M --threads 1 -q) || echo "$*: exit $?"
}
limited row.safetensors row.safetensors.zst; limited row.safetensors.zst row.npz; limited row.npz row.npy
limited row.npy row.tzs; tensor-file verify row.tzs
limited f64.safetensors half.safetensors.zst --dtype F16; tensor-file info half.safetensors.zst | grep -v history | sed 's, seek table.*, seek table,'
limited f64.safetensors half.npz --dtype F16; tensor-file info half.npz
cat f64.safetensors | limited - piped.tzs; zstd -q f64.safetensors -o frame.safetensors.zst; limited frame.safetensors.zst framed.tzs
for file in piped framed; do tensor-file diff f64.safetensors $file.tzs && echo $file; done
