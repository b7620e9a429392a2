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
for t in 1 2; do g e.csv --undirected --features f.libsvm --split 0.5,0.25,0.25 --seed 7 --threads $t -o t$t.graph -q; done
tensor-file cat t1.graph --tensor split
tensor-file diff t1.graph t2.graph && echo same
printf 'bob,eve\neve,"amy, k"\n' > names.csv
g names.csv --ids any -o names.safetensors
tensor-file cat names.safetensors --tensor names.offsets
g e.csv --undirected --reorder degree -o r.safetensors
tensor-file cat r.safetensors --tensor ids
printf '0 1 0.5 30\n2 1 1 10\n0 1 2 20\n' > w.txt
g w.txt --weight-column 3 --time-column 4 --edge-ids -o w.safetensors
tensor-file cat w.safetensors --tensor times
tensor-file cat w.safetensors --tensor edge_ids
