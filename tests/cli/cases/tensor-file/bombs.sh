# What unpacks to more than memory may hold is looked at in pieces; one long line costs no more than the longest record.
# Not emulated: its limits of memory would be the emulator's.
python3 - <<'P'
import struct, zipfile
def npy(shape, kind="|u1"):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    text += " " * (118 - len(text))
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode()
with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("a.npy", "w") as f:
        f.write(npy("(268435456,)"))
        for _ in range(256): f.write(bytes(1 << 20))
with zipfile.ZipFile("paths.npz", "w") as z:
    for name in ("../../evil.npy", "/root.npy"): z.writestr(name, npy("(1,)") + b"\0")
P
limited() { (grep -q __asan_init "$(command -v tensor-file)" || ulimit -v 200000; export OMP_NUM_THREADS=1; "$@"); echo "exit $?"; }
limited tensor-file info bomb.npz
limited tensor-file verify bomb.npz
tensor-file convert paths.npz safe.npz; echo "exit $?"
tensor-file info safe.npz; python3 -c 'import zipfile; print(zipfile.ZipFile("safe.npz").namelist())'
