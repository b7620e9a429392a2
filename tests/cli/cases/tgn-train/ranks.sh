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
# Negatives of the Temporal Graph Benchmark: pickles of a dict from source, destination and time to arrays. NumPy is not needed
# to write them: its functions are pickled by their names.
python3 - <<'PY'
import pickle, struct, subprocess, sys, types
def column(name, file="e.safetensors"):
    return [int(x) for x in subprocess.run(["tensor-file", "cat", file, "--tensor", name], check=True, capture_output=True, text=True).stdout.split()]
def function(module, name):
    made = eval(f"lambda *a: None"); made.__module__, made.__qualname__, made.__name__ = module, name, name
    setattr(sys.modules.setdefault(module, types.ModuleType(module)), name, made)
    return made
sys.modules["numpy"] = types.ModuleType("numpy"); sys.modules["numpy._core"] = types.ModuleType("numpy._core")
dtype, frombuffer, scalar = function("numpy", "dtype"), function("numpy._core.numeric", "_frombuffer"), function("numpy._core.multiarray", "scalar")
class Type:
    def __reduce__(self): return dtype, ("i8", False, True), (3, "<", None, None, None, -1, -1, 0)
class Whole:
    def __init__(self, n): self.n = n
    def __reduce__(self): return scalar, (kind, struct.pack("<q", self.n))
class Row:
    def __init__(self, ids): self.ids = ids
    def __reduce__(self): return frombuffer, (bytearray(struct.pack(f"<{len(self.ids)}q", *self.ids)), kind, (len(self.ids),), "C")
kind = Type()
s, d, t = column("sources"), column("destinations"), column("times")
end = len(s)
for part, name in ("test", "test"), ("valid", "val"):
    ids = column(part, "r.safetensors"); width = 5; begin = end - len(ids) // width
    rows = {(s[e], d[e], t[e]): Row(ids[(e - begin) * width:(e - begin + 1) * width]) for e in range(begin, end)}
    rows = {tuple(map(Whole, key)): row for key, row in rows.items()}
    pickle.dump(rows, open(f"own_{name}_ns.pkl", "wb"), 5); end = begin
    if name == "test":
        first = next(iter(rows)); pickle.dump({first: rows[first]}, open("few.pkl", "wb"), 5)
        pickle.dump({**rows, (1, 2, 3): Row([1])}, open("more.pkl", "wb"), 5)
        pickle.dump({**rows, first: Row([10 ** 9])}, open("far.pkl", "wb"), 5)
        pickle.dump({(s[begin], d[begin], t[begin] + .5): rows[first]}, open("half.pkl", "wb"), 5)
import os
class Bad:
    def __reduce__(self): return os.system, ("echo run > ran",)
pickle.dump(Bad(), open("bad.pkl", "wb"))
PY
e --ranks own_test_ns.pkl --no-baselines > again; cmp drawn again && echo same
for file in few more far half bad; do tgn-train eval m e.safetensors -q --ranks $file.pkl; echo "exit $?"; done; ls ran 2>&1
# Negatives beside events: historical and inductive ones are exported as lines of label 0; a file gives the first of each row.
for kind in uniform historical inductive own_test_ns.pkl; do
  tgn-train eval m e.safetensors --negatives $kind --ranks none --predictions p.$kind --json > said; grep given_negatives said; done
python3 - <<'PY'
import csv
lines = {kind: list(csv.DictReader(open("p." + kind))) for kind in ("uniform", "historical", "inductive", "own_test_ns.pkl")}
print([sum(a != b for a, b in zip(lines["uniform"], rows)) > 50 for rows in lines.values()])
print([[row for row in rows if row["label"] == "1"] == [row for row in lines["uniform"] if row["label"] == "1"] for rows in lines.values()])
PY
for kind in historic nowhere.npz; do tgn-train eval m e.safetensors -q --negatives $kind; echo "exit $?"; done
