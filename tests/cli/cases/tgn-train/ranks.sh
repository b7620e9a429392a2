# Ranks among the nodes of a file are those among the same nodes otherwise; what does not fit is refused.
tgn-train generate --scale 20 --features 0 -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --architecture tgn-id --epochs 1 -o m --json > facts
python3 - <<'PY'
import ast, io, json, struct, subprocess, zipfile
def column(name):
    text = subprocess.run(["tensor-file", "cat", "e.safetensors", "--tensor", name], check=True, capture_output=True, text=True)
    return [int(x) for x in text.stdout.split()]
sources, destinations, times = column("sources"), column("destinations"), column("times")
facts = json.load(open("facts"))
test = facts["test_events"]; valid = facts["validation_events"]
everything, taken = sorted(set(destinations)), {}
for s, d, t in zip(sources, destinations, times): taken.setdefault((s, t), set()).add(d)
def rows(begin, end):  # all destinations but those that the source meets at that time, as the tool has them
    found = [[d for d in everything if d not in taken[sources[e], times[e]]] for e in range(begin, end)]
    return [row + [-1] * (len(everything) - len(row)) for row in found]
def npy(table):
    head = repr({"descr": "<i4", "fortran_order": False, "shape": (len(table), len(table[0]))})
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + b"".join(struct.pack(f"<{len(r)}i", *r) for r in table)
n = len(sources)
parts = {"valid": rows(n - test - valid, n - test), "test": rows(n - test, n)}
with zipfile.ZipFile("all.npz", "w") as f:
    for name, table in parts.items(): f.writestr(name + ".npy", npy(table))
open("test.npy", "wb").write(npy(parts["test"]))
open("short.npy", "wb").write(npy(parts["test"][1:]))
parts["test"][3][2] = 999
open("wrong.npy", "wb").write(npy(parts["test"]))
with zipfile.ZipFile("other.npz", "w") as f: f.writestr("tests.npy", npy(parts["test"]))
PY
e() { tgn-train eval m e.safetensors --json "$@" | grep 'mrr"'; }
e --ranks all > all; e --ranks all.npz > file; cmp all file && wc -l < file
e --ranks test.npy --no-baselines | sed 's/:.*//'
for file in short.npy wrong.npy other.npz nowhere.npz e.safetensors historic no; do tgn-train eval m e.safetensors -q --ranks $file; echo "exit $?"; done
# The nodes to rank among are written with all logits, and read again.
e --ranks uniform --eval-negatives 5 --rank-scores r.safetensors --no-baselines > drawn; tensor-file info r.safetensors | grep 'I64\|F32'
e --ranks r.safetensors --no-baselines > again; cmp drawn again && echo same
tgn-train eval m e.safetensors -q --ranks none --rank-scores w.safetensors; echo "exit $?"
