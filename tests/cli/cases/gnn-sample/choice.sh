# Without options the architecture is chosen in short trials on the validation nodes, the same for any number of threads.
gnn-sample generate --scale 20 -o g.safetensors -q
for n in 1 2; do gnn-sample train g.safetensors -o m.$n --threads $n --progress never > said 2>&1; done
sed -n "s/^\(trial of [a-z-]*\): .*/\1/p; s/^chosen: .*/chosen/p" said
tensor-file diff m.1 m.2 && echo same
gnn-sample train g.safetensors -o m.3 --seed 3 --json -q > said; grep -c '"choice_cpu_seconds"' said
[ "$(sed -n 's/.*"architecture": "\(.*\)".*/\1/p' said)" = "$(tensor-file info m.3 | sed -n 's/.*gnn.model: //p')" ] && echo "the model's"
# Any option of network, sampling or training leaves what there was before, and so does a graph that cannot tell.
for option in '--hidden 8' '--epochs 1' '--fanouts 2,2' '--architecture auto --batch-norm' '--time-budget 1m'; do
  gnn-sample train g.safetensors -o o $option --json -q -f | grep -h '"architecture"\|choice'
done
printf '0,1\n1,2\n2,0\n' > e; printf '0 0:1\n1 1:1\n0 0:2\n' > f; printf 'train\ntrain\ntest\n' > s
gnn-sample import e --features f --split s -o tiny.safetensors -q
gnn-sample train tiny.safetensors -o o --json -q -f | grep '"architecture"\|choice'
# A run that is resumed chooses the same.
gnn-sample train g.safetensors -o whole --checkpoint c --checkpoint-every 0s -q; gnn-sample train g.safetensors -o resumed --checkpoint c --resume -q
tensor-file diff whole resumed && echo same
# Sparse features add a candidate, whose settings the model has if it wins. One that does not fit into memory is left out.
awk 'BEGIN {for (i = 0; i < 300; ++i) print i "," (i + 2) % 300}' > e
awk 'BEGIN {for (i = 0; i < 300; ++i) printf "%d %d:1 %d:1\n", i % 2, 1 + int(i / 2) % 40, 41 + i % 7}' > f
awk 'BEGIN {for (i = 0; i < 300; ++i) print i % 3 == 0 ? "train" : i % 3 == 1 ? "valid" : "test"}' > s
gnn-sample import e --features f --split s --undirected -o sparse.safetensors -q
gnn-sample train sparse.safetensors -o m.4 --threads 1 --progress never 2>&1 | sed -n 's/^\(trial of [^:]*\): .*/\1/p'
