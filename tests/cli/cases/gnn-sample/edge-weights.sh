# Weights of edges in the layers: the same model for 1, 2 and 8 threads, in memory and mapped, whole and resumed.
gnn-sample generate --scale 10 --weights -o g.safetensors -q
gnn-sample generate --scale 10 --weights --seed 5 -o other.safetensors -q
gnn-sample generate --scale 10 -o bare.safetensors -q
t() { gnn-sample train "$@" --hidden 16 --batch-size 64 --learning-rate 0.01 --fanouts 4,3 -q; }
for kind in gcn sage gin sage-ri; do
  w() { t g.safetensors --architecture $kind --edge-weights --epochs 2 "$@"; }
  for n in 1 2 8; do w --threads $n -o $kind.$n; done
  tensor-file diff $kind.1 $kind.2 && tensor-file diff $kind.1 $kind.8 && w --residence mapped -o mapped && tensor-file diff $kind.1 mapped && echo $kind same
  w --checkpoint k --checkpoint-every 0s -f -o whole; w --checkpoint k --resume -f -o resumed; tensor-file diff whole resumed && echo resumed
  t g.safetensors --architecture $kind --epochs 2 -f -o plain; tensor-file diff plain $kind.1 > /dev/null || echo differs
done
tensor-file info gcn.1 | grep edge_weights; tensor-file info plain | grep -c edge_weights
# Other graphs, embeddings of links, hops.
gnn-sample eval gcn.1 other.safetensors --json -q | grep -c '"accuracy"'
gnn-sample predict sage.1 other.safetensors -o exact.safetensors --probabilities -q
gnn-sample predict sage.1 other.safetensors --fanouts=-1,-1 -o sampled.safetensors --probabilities -q
tensor-file diff exact.safetensors sampled.safetensors --atol 1e-5 && echo all neighbours
t g.safetensors --task links --embedding 8 --edge-weights --epochs 1 -o links && gnn-sample predict links other.safetensors -o e.safetensors -q && tensor-file info e.safetensors | grep -c embeddings
for how in row symmetric; do
  gnn-sample train g.safetensors --architecture sign --edge-weights --propagation $how --hidden 16 --epochs 2 -q -f -o sign && gnn-sample eval sign other.safetensors --json -q | grep -c '"accuracy"'
done
# Weights of 1 are none; an edge of weight 0 is no edge.
printf '0,1,1\n1,2,1\n2,3,1\n3,0,1\n' > ones; printf '0,1,2\n1,2,2\n2,3,2\n3,0,2\n0,2,0\n1,3,0\n' > zeros; printf '0,1,2\n1,2,2\n2,3,2\n3,0,2\n' > twos
printf '0 0:1 2:1\n1 1:1\n0 0:2\n1 3:1\n' > f; printf 'train\ntrain\nvalid\ntest\n' > p
for name in ones zeros twos; do gnn-sample import $name --columns 1:source,2:target,3:weight --header no --undirected --features f --split p -o $name.safetensors -q; done
for kind in gcn sage gin; do
  t zeros.safetensors --architecture $kind --edge-weights --fanouts=-1,-1 --epochs 3 --dropout 0 -f -o zeros.model
  t twos.safetensors --architecture $kind --edge-weights --fanouts=-1,-1 --epochs 3 --dropout 0 -f -o twos.model
  t ones.safetensors --architecture $kind --edge-weights --fanouts=-1,-1 --epochs 3 --dropout 0 -f -o ones.model
  t ones.safetensors --architecture $kind --fanouts=-1,-1 --epochs 3 --dropout 0 -f -o plain.model 2> /dev/null
  tensor-file diff zeros.model twos.model --atol 1e-5 && tensor-file diff ones.model plain.model --atol 1e-5 && echo $kind equal
done
# Graphs without weights, and layers without a use for them, are named.
t bare.safetensors --edge-weights -o x; echo "exit $?"
gnn-sample predict gcn.1 bare.safetensors -o x -q; echo "exit $?"
gnn-sample eval sign bare.safetensors -q; echo "exit $?"
gnn-sample export --ipu sage.1 g.safetensors -o x -q; echo "exit $?"
for wrong in '--architecture gat' '--aggregate max' '--method weighted' '--method window' '--device cuda' '--architecture sign --device cuda'; do
  echo "-- $wrong"; gnn-sample train g.safetensors --edge-weights --epochs 1 $wrong -o x -q; echo "exit $?"
done
t g.safetensors --architecture gcn --edge-weights --epochs 1 --method labor --semantics frontier -o labor && echo trained
t g.safetensors --architecture sage-ri --epochs 2 --checkpoint k --resume -f -o x; echo "exit $?"
t g.safetensors --architecture sage-ri --epochs 2 --checkpoint plain.k --checkpoint-every 0s -f -o x
t g.safetensors --architecture sage-ri --epochs 2 --checkpoint plain.k --resume --edge-weights -f -o x; echo "exit $?"
gnn-sample train g.safetensors --epochs 1 --progress never -f -o x 2>&1 | grep weights
