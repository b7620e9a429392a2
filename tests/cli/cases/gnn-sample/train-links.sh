# Embeddings that tell edges from other pairs of nodes: no labels needed, the same for any number of threads.
gnn-sample generate --scale 10 --classes 4 -o g.safetensors -q
t() { gnn-sample train g.safetensors --task links --fanouts 10,5 --hidden 16 --embedding 8 --batch-size 64 --learning-rate 0.01 --held-out 0.2 --epochs 4 -q "$@"; }
for n in 1 2 8; do t --threads $n -o m.$n --json > said; done
tensor-file diff m.1 m.2 && tensor-file diff m.1 m.8 && echo same
awk '/"test_auc"/ { print ($2 + 0 > 0.5 ? "learns" : "does not learn: " $2) }' said
sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' said | grep 'test\|valid' | sort | tr '\n' ' '; echo
t -o a.model --architecture gat --negatives 3 --metric auc --eval-fanouts 5,5 --eval-negatives 10
gnn-sample predict m.1 g.safetensors -o e.safetensors -q; tensor-file info e.safetensors | grep 'F32\|I64'
gnn-sample predict m.1 g.safetensors --probabilities -o p.safetensors; echo "exit $?"
gnn-sample eval m.1 g.safetensors; echo "exit $?"
t -o w.model --method labor; echo "exit $?"
t -o w.model --negatives 1000 --batch-size 1000000; echo "exit $?"
echo 'a mini-batch that is most of the graph'
gnn-sample train g.safetensors --task links --fanouts 2 --hidden 4 --epochs 1 --batch-size 3000 -o w.model 2>&1 | grep warning
