# A graph with features, labels and a split becomes a file that tensor-file shows; the same from every form.
printf 'src,dst\n0,1\n0,2\n2,3\n' > e.csv
printf '0 0:1 2:0.5\n1 1:2\n0 0:3\n-1\n' > f.libsvm
printf 'train\ntrain\nval\ntest\n' > s.txt
g() { gnn-sample import "$@"; echo "exit $?"; }
g e.csv --features f.libsvm --split s.txt --undirected -o g.safetensors
tensor-file info g.safetensors | grep -v 'frugal.history\|stored'
tensor-file cat g.safetensors --tensor neighbors
tensor-file cat g.safetensors --tensor labels
g e.csv -o directed.safetensors --json
gzip -c e.csv > e.csv.gz
g e.csv.gz -o packed.safetensors -q
cat e.csv | gnn-sample import - -o piped.safetensors -q
printf '4 3\n0 1\n0 2\n2 3\n' > counted.txt
g counted.txt -o counted.safetensors -q
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n1 3\n3 4\n' > e.mtx
g e.mtx -o mtx.safetensors -q
for f in packed piped counted mtx; do tensor-file diff directed.safetensors $f.safetensors; done
printf '4 3\n2 3\n1\n1 4\n3\n' > e.graph
g e.graph -o metis.safetensors
tensor-file diff g.safetensors metis.safetensors 2>&1 | head -3
# A pipe is read once.
gnn-sample import - -q -o p.safetensors < e.mtx; tensor-file diff mtx.safetensors p.safetensors && echo same
cat e.graph | gnn-sample import - --format metis -q -o p.safetensors; tensor-file diff metis.safetensors p.safetensors && echo same
for t in 1 2; do g e.csv --undirected --features f.libsvm --split 0.5,0.25,0.25 --seed 7 --threads $t -o t$t.graph -q; done
tensor-file cat t1.graph --tensor split
tensor-file diff t1.graph t2.graph && echo same
printf 'bob,eve\neve,"amy, k"\n' > names.csv
g names.csv --ids any -o names.safetensors
tensor-file cat names.safetensors --tensor names.offsets
g e.csv --undirected --reorder degree -o r.safetensors
tensor-file cat r.safetensors --tensor ids
printf '0 1 0.5 30\n2 1 1 10\n0 1 2 20\n' > w.txt
g w.txt --columns 3:weight,4:time --edge-ids -o w.safetensors
tensor-file cat w.safetensors --tensor times
tensor-file cat w.safetensors --tensor edge_ids
# Sparse features are the same numbers: as mini-batches, in training, mapped, reordered, in halves.
for v in $(seq 0 39); do echo "$((v % 3)) $((v % 7)):1 $((7 + v % 11)):2 $((18 + v % 13)):0.25"; done > words.libsvm
for v in $(seq 0 39); do echo "$v,$(((v * 7 + 3) % 40))"; echo "$v,$(((v + 1) % 40))"; done > w.csv
i() { g w.csv --undirected --duplicates remove --features words.libsvm --split 20,10,10 --num-features 40 -q "$@"; }
i -o sparse.safetensors; i -o dense.safetensors --feature-layout dense
tensor-file info sparse.safetensors | grep features | grep -v history
s() { gnn-sample sample $1.safetensors --fanouts 3,2 --batch-size 8 -q -o "$2.tzs" $3; }
s dense dense; s sparse zeros --dense-features; s sparse mapped '--dense-features --residence mapped'; s sparse sparse
tensor-file diff zeros.tzs dense.tzs && tensor-file diff zeros.tzs mapped.tzs && echo same mini-batches
# In mini-batches they stay sparse: as many numbers as in the graph, where each node is in one.
gnn-sample sample sparse.safetensors --seeds all --fanouts 1 --no-shuffle --no-labels -o - -q | tensor-file info - | grep features
t() { gnn-sample train $1.safetensors --fanouts 3,2 --hidden 8 --epochs 3 --batch-size 8 -q -o $2.model $3; }
t sparse s; t sparse m '--residence mapped'; t sparse one '--threads 1'
tensor-file diff s.model m.model && tensor-file diff s.model one.model && echo same model
gnn-sample eval s.model sparse.safetensors --json -q | grep '"accuracy"' > a; gnn-sample eval s.model dense.safetensors --json -q | grep '"accuracy"' > b
cmp a b && echo same accuracy
i -o degree.safetensors --reorder degree --feature-type bf16; tensor-file info degree.safetensors | grep features.values
i -o rows.safetensors --normalize-features row; tensor-file cat rows.safetensors --tensor features.values | head -3
gnn-sample bench missing.safetensors --residence mapped --fanouts 2
i -o none.safetensors --feature-layout sparse --feature-type i8
