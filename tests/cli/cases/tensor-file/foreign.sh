# Other programs' files: null metadata, types that nothing here computes with, bytes behind the last tensor.
python3 - <<'P'
import struct
def put(name, header, data): open(name + ".safetensors", "wb").write(struct.pack("<Q", len(header)) + header.encode() + data)
one = '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
put("null", '{"__metadata__":null,' + one[1:], bytes(4))
put("small", '{"f4":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]},"f6":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[3,6]},'
    '"e8m0":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[6,8]},"fnuz":{"dtype":"F8_E4M3FNUZ","shape":[2],"data_offsets":[8,10]},'
    '"e5m2":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[10,11]}}', bytes([0x21, 0x43, 0x65, 8, 0xfa, 5, 127, 130, 0x40, 0x80, 0x7c]))
put("line", one, b"aaaa\n")
put("zeros", one, b"aaaa" + bytes(8))
P
tensor-file info null.safetensors; echo "exit $?"
tensor-file info small.safetensors
tensor-file convert small.safetensors small.tzs && tensor-file convert small.tzs - | tensor-file diff small.safetensors -; echo "exit $?"
tensor-file cat small.tzs
tensor-file cat small.tzs --tensor f4 --rows 0:1; echo "exit $?"
tensor-file convert small.safetensors wide.npz --dtype F32 -q && tensor-file cat wide.npz --tensor f4
for file in line zeros; do tensor-file verify $file.safetensors; echo "exit $?"; zstd -q $file.safetensors; done
tensor-file verify - < zeros.safetensors; echo "exit $?"; tensor-file verify zeros.safetensors.zst; echo "exit $?"
tensor-file convert null.safetensors good.tzs; echo >> good.tzs
tensor-file verify good.tzs 2> error; echo "exit $?"; sed "s,byte [0-9]*,byte N," error
cat null.safetensors null.safetensors > two.safetensors; tensor-file verify two.safetensors; echo "exit $?"
