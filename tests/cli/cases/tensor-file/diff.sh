cp "$golden"/v1-* .
floats() { # NAME VALUES...: a .npy of little-endian doubles
  name=$1; shift
  python3 - "$name" "$@" <<'P'
import struct, sys
values = [float(v) for v in sys.argv[2:]]
text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
text += " " * (-(11 + len(text)) % 64) + "\n"
open(sys.argv[1], "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() +
                              struct.pack("<%dd" % len(values), *values))
P
}
mkdir a b; floats a/x.npy 1 2 3 nan inf; floats b/x.npy 1 2.5 3.25 nan inf
try() { tensor-file diff "$@"; echo "status $?"; }
try a/x.npy b/x.npy
try a/x.npy b/x.npy --equal-nan
try a/x.npy b/x.npy --equal-nan --atol 0.25
try a/x.npy b/x.npy --equal-nan --rtol 0.2
try a/x.npy a/x.npy
try a/x.npy a/x.npy --equal-nan
floats b/x.npy 1 2; try a/x.npy b/x.npy
tensor-file convert --dtype F32 a/x.npy b/x.safetensors; try a/x.npy b/x.safetensors
try v1-stream.tzs v1-joined.tzs
try v1-stream.tzs v1-stream-by-zstd.tzs --metadata
try v1-file.safetensors.zst v1-packed.safetensors.zst --metadata
try v1-raw.safetensors - < v1-by-zstd.safetensors.zst
try a/x.npy b/y.npy
try - -
floats a/y.npy 1; floats b/y.npy -1; try a/y.npy b/y.npy --json
floats a/same.npy 1 2; floats b/named-otherwise.npy 1 2; try a/same.npy b/named-otherwise.npy
