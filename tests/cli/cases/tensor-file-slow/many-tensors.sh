# A file of 200,000 tensors: every command takes time that grows with their number, not with its square.
python3 - <<'P'
import struct
for name, step in (("up", 1), ("down", -1)):
    entries = ['"t%06d":{"dtype":"F32","shape":[1],"data_offsets":[%d,%d]}' % (t, 4 * i, 4 * i + 4) for i, t in enumerate(range(200000)[::step])]
    header = "{" + ",".join(entries) + "}"
    open(name + ".safetensors", "wb").write(struct.pack("<Q", len(header)) + header.encode() + bytes(800000))
P
limited() { timeout 60 tensor-file "$@" --limit tensors=1M --limit header=100M; echo "exit $?"; }
tensor-file verify up.safetensors; echo "exit $?"
tensor-file convert up.safetensors never.tzs --limit header=100M; echo "exit $?"
limited verify up.safetensors
limited cat up.safetensors | wc -l
limited diff up.safetensors down.safetensors
limited convert up.safetensors up.tzs; limited convert down.safetensors down.npz
limited diff up.tzs down.npz
