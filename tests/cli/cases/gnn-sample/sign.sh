# Features of hops instead of sampled neighbourhoods: the same model for 1, 2 and 8 threads, in memory and in a file.
gnn-sample generate --scale 10 -o g.safetensors -q
gnn-sample generate --scale 10 --seed 5 -o other.safetensors -q
s() { gnn-sample train "${graph:-g.safetensors}" --architecture sign --hidden 16 --batch-size 64 --learning-rate 0.01 --epochs 10 "$@"; }
for n in 1 2 8; do s --threads $n -o sign.$n --json -q > said; done
awk '/"test_accuracy"/ { print ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) } /"sampled_edges"/' said
tensor-file diff sign.1 sign.2 && tensor-file diff sign.1 sign.8 && echo same
s --residence mapped -o mapped --threads 2 -q 2>&1; tensor-file diff sign.1 mapped && echo same
tensor-file info sign.1 | grep -v history | grep 'hops\|convs\|lins\|propagation\|fanouts'
# It serves other graphs, and goes on where it was stopped.
gnn-sample eval sign.1 g.safetensors --nodes test --json -q > evaluated
for key in test_accuracy; do grep -h "\"$key\"" said evaluated | tr -d ' ,' | sort -u; done
gnn-sample predict sign.1 other.safetensors -o all.safetensors -q; gnn-sample predict sign.1 other.safetensors --residence mapped -o again.safetensors -q
tensor-file diff all.safetensors again.safetensors && echo same
s --checkpoint k --checkpoint-every 0s -o whole -q; s --checkpoint k --resume -o resumed -q; tensor-file diff whole resumed && echo same
# Sparse features, other matrices, no hop at all.
printf '0,1\n1,2\n2,3\n3,0\n' > e; printf '0 0:1 2:1\n1 1:1\n0 0:2\n1 3:1\n' > f; printf 'train\ntrain\nvalid\ntest\n' > p
gnn-sample import e --undirected --features f --feature-layout sparse --split p -o sparse.safetensors -q
for how in '--propagation symmetric' '--hops 0' '--hops 5 --norm layer --head-layers 2' '--head-layers 0'; do
  graph=sparse.safetensors s $how -o how -q && gnn-sample eval how sparse.safetensors --nodes all --json -q | grep '"nodes"'
done
for wrong in '--fanouts 5,5' '--table hash' '--task links' '--residual' '--hops 17' '--architecture gcn --hops 2' '--device cuda' '--feature-parts even'; do
  echo "-- $wrong"; s $wrong -o x -q -f 2>&1; echo "exit $?"
done
gnn-sample export --ipu sign.1 g.safetensors -o x -q 2>&1; echo "exit $?"
# Nodes of a part of a partition, for models that need no edges once hops are computed.
gnn-sample partition g.safetensors --parts 3 -o parts.safetensors -q
for how in sign sagn hoga; do gnn-sample train g.safetensors --architecture $how --epochs 1 -o part.model -q -f; gnn-sample predict part.model g.safetensors --nodes parts.safetensors:1 -o part.csv -q -f; wc -l < part.csv; done
