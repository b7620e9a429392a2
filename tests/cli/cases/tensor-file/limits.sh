# Small files that declare a lot are refused before any of it is allocated.
python3 - <<'P'
import struct
for name, shape, size in (("wide", "[281474976710656]", 281474976710656), ("large", "[68719476736]", 68719476736)):
    header = '{"x":{"dtype":"U8","shape":%s,"data_offsets":[0,%d]}}' % (shape, size)
    open(name + ".safetensors", "wb").write(struct.pack("<Q", len(header)) + header.encode())
open("long.safetensors", "wb").write(struct.pack("<Q", 99999999) + b"{")
P
for file in wide large long; do
  tensor-file verify $file.safetensors; echo "status $?"
  tensor-file info $file.safetensors >/dev/null; echo "status $?"
  cat $file.safetensors | tensor-file verify -; echo "status $?"
done
