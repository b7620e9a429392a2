# Attention that ranks neighbours for each node: equal for any number of threads, after a stop, and for nodes and links.
gnn-sample generate --scale 10 -o g.safetensors -q
gnn-sample generate --scale 10 --seed 5 -o other.safetensors -q
t() { gnn-sample train g.safetensors --architecture gatv2 --heads 2 --hidden 8 --batch-size 64 --learning-rate 0.01 --fanouts 5,5 --epochs 6 -q "$@"; }
for n in 1 2 8; do t --threads $n -o m.$n --json > said; done
awk '/"test_accuracy"/ { print ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) }' said
tensor-file diff m.1 m.2 && tensor-file diff m.1 m.8 && echo same
t --residence mapped -o mapped; tensor-file diff m.1 mapped && echo same
t --checkpoint k --checkpoint-every 0s -o whole; t --checkpoint k --resume -o resumed; tensor-file diff whole resumed && echo same
gnn-sample predict m.1 other.safetensors --probabilities -o exact.safetensors -q
gnn-sample predict m.1 other.safetensors --probabilities --fanouts=-1,-1 -o sampled.safetensors -q
tensor-file diff exact.safetensors sampled.safetensors --atol 1e-5 && echo all neighbours
t --task links --embedding 8 --epochs 1 -f -o links && gnn-sample predict links other.safetensors -o e.safetensors -q && tensor-file info e.safetensors | grep -c embeddings
tensor-file info m.1 | grep -o 'convs.0[a-z_.]*'
for wrong in '--edge-weights' '--aggregate max' '--device cuda'; do
  echo "-- $wrong"; t $wrong -o x -f 2>&1; echo "exit $?"
done
