# Features of edges: their order through import, and the layers that read them.
printf '0,1\n1,2\n2,3\n3,0\n1,0\n2,2\n' > e; printf '0.5,1\n1.5,2\n2.5,3\n3.5,4\n4.5,5\n5.5,6\n' > r
printf '0 0:1 2:1\n1 1:1\n0 0:2\n1 3:1\n' > f; printf 'train\ntrain\nvalid\ntest\n' > p
i() { gnn-sample import e --features f --split p "$@" -q -f; }
show() { tensor-file cat "$1" --tensor neighbors | tr '\n' ' '; echo; tensor-file cat "$1" --tensor edge_features | tr '\n' ' '; echo; }
i --edge-features r -o plain.safetensors; show plain.safetensors
i --edge-features r --undirected --duplicates remove --self-loops add -o both.safetensors; show both.safetensors
i --edge-features r --reorder degree -o moved.safetensors; show moved.safetensors; tensor-file info moved.safetensors | grep -c edge_ids
i --edge-features r --edge-ids -o numbered.safetensors; tensor-file info numbered.safetensors | grep -c edge_ids
gnn-sample import e --features f --split p --edge-features r -o plain.safetensors --json -q -f | grep edge_features
gnn-sample import e --features f --split p --edge-features r -o plain.safetensors --progress never -f
# NumPy's archives have them under usual names, and folders of the Open Graph Benchmark in a file.
python3 - <<'END'
import zipfile
def array(kind, shape, data):
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data
import struct
for name, attribute, shape, rows in (("a", "edge_attr", (3, 2), (1, 2, 3, 4, 5, 6)), ("b", "edge_feat", (3,), (7, 8, 9)), ("c", "edge_attr", (2, 2), (1, 2, 3, 4))):
    with zipfile.ZipFile(name + ".npz", "w") as out:
        out.writestr("edge_index.npy", array("<i8", (2, 3), struct.pack("<6q", 0, 1, 2, 1, 2, 0)))
        out.writestr(attribute + ".npy", array("<f4", shape, struct.pack(f"<{len(rows)}f", *rows)))
END
for name in a b c; do gnn-sample import $name.npz -q -f -o $name.safetensors && show $name.safetensors; done
mkdir -p ogb/raw; cp e ogb/raw/edge.csv; cp r ogb/raw/edge-feat.csv; gnn-sample import ogb -q -f -o ogb.safetensors; tensor-file diff ogb.safetensors plain.safetensors | grep -c edge_features
# Files that do not fit.
head -5 r > short; i --edge-features short -o x; echo "exit $?"
i --edge-features f -o x; echo "exit $?"; printf '1\nnan\n1\n1\n1\n1\n' > nan; i --edge-features nan -o x; echo "exit $?"
rows() { echo "-- $1"; printf "$1" > bad; i --edge-features bad -o x; echo "exit $?"; }
rows '1,red\n2,blue\n3,red\n4,red\n5,red\n6,red\n'; rows '1,2\n1,NA\n1,2\n1,2\n1,2\n1,2\n'; rows ''; rows 'red\nblue\n'; rows '1,2\n3\n'
# A header, semicolons with decimal commas and JSON Lines.
same() { i --edge-features "$1" -o x.safetensors; tensor-file diff x.safetensors plain.safetensors && echo "$1 is the same"; }
{ echo a,b; cat r; } > head.csv; tr ,. ';,' < r > semicolons; awk -F, '{ print "{\"a\":" $1 ",\"b\":" $2 "}" }' r > r.jsonl; for name in head.csv semicolons r.jsonl; do same $name; done
gnn-sample import --edges a:to:b=e --edge-features r -o x -q; echo "exit $?"
# A network that reads them: the same for 1, 2 and 8 threads, mapped, resumed, sampled and whole.
gnn-sample generate --nodes 2000 -o g0.safetensors -q; gnn-sample generate --nodes 2000 --seed 5 --features 0 -o bare.safetensors -q
awk 'BEGIN { srand(1); for (i = 0; i < 9000; i++) printf "%d,%d\n", rand() * 2000, rand() * 2000 }' > edges
awk -F, '{ printf "%.3f,%d\n", ($1 + $2) % 7 / 7, $1 % 2 }' edges > rows; awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 3 }' > labels
awk 'BEGIN { srand(2); for (i = 0; i < 2000; i++) print rand() "," rand() "," i % 5 / 5 }' > nodes
gnn-sample import edges --undirected --features nodes --labels labels --edge-features rows -o g.safetensors -q
t() { gnn-sample train "$@" --architecture gine --hidden 16 --fanouts 4,3 --batch-size 100 --learning-rate 0.01 -q -f; }
for n in 1 2 8; do t g.safetensors --epochs 3 --threads $n -o m$n; done
tensor-file diff m1 m2 && tensor-file diff m1 m8 && t g.safetensors --epochs 3 --residence mapped -o mapped && tensor-file diff m1 mapped && echo same
t g.safetensors --epochs 3 --checkpoint k --checkpoint-every 0s -o whole; t g.safetensors --epochs 3 --checkpoint k --resume -o resumed; tensor-file diff whole resumed && echo resumed
gnn-sample predict m1 g.safetensors --probabilities -o exact.safetensors -q; gnn-sample predict m1 g.safetensors --fanouts=-1,-1 --probabilities -o sampled.safetensors -q
tensor-file diff exact.safetensors sampled.safetensors --atol 1e-5 && echo all neighbours
t g.safetensors --task links --embedding 8 --epochs 1 -o links && gnn-sample predict links g.safetensors -o x.safetensors -q && echo links
tensor-file info m1 | grep 'edge_features\|gnn.model'
t g0.safetensors -o x; echo "exit $?"; gnn-sample predict m1 g0.safetensors -o x -q; echo "exit $?"; gnn-sample eval m1 plain.safetensors -q; echo "exit $?"
cut -d, -f1 rows > one; gnn-sample import edges --undirected --features nodes --labels labels --edge-features one -o one.safetensors -q
gnn-sample eval m1 one.safetensors -q; echo "exit $?"; gnn-sample export --ipu m1 g.safetensors -o x -q; echo "exit $?"
for wrong in '--method window' '--device cuda' '--edge-weights' '--heads 2'; do echo "-- $wrong"; t g.safetensors $wrong -o x; echo "exit $?"; done
