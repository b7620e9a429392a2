# A model and a graph that do not fit are told apart by name and number.
gnn-sample generate --scale 50 -o g.safetensors -q
gnn-sample train g.safetensors --fanouts 5,5 --hidden 8 --epochs 1 -o m -q
gnn-sample generate --scale 50 --features 7 -o narrow.safetensors -q
gnn-sample generate --scale 50 --features 0 -o bare.safetensors -q
gnn-sample generate --scale 50 --classes 3 -o other.safetensors -q
gnn-sample generate --scale 50 --classes 1 -o unlabelled.safetensors -q
i() { gnn-sample predict -o never "$@" -q; echo "exit $?"; }
e() { gnn-sample eval "$@" -q; echo "exit $?"; }
for graph in narrow bare nowhere m; do i m $graph.safetensors; done
for graph in narrow other unlabelled; do e m $graph.safetensors; done
gnn-sample predict m other.safetensors -o other.out -q --json | grep nodes # answers need no labels
i g.safetensors g.safetensors; i nowhere g.safetensors
i m g.safetensors --fanouts 5; i m g.safetensors --fanouts 5,5,5; i m g.safetensors --fanouts a
printf '3\n200\n' > beyond.txt; printf '3\nx\n' > word.txt; : > empty.txt
for nodes in beyond.txt word.txt empty.txt missing.txt; do i m g.safetensors --nodes $nodes; done
i m g.safetensors --split 1 --nodes test
e m g.safetensors --split 1 --nodes all
gnn-sample predict m g.safetensors -q; echo "exit $?"
gnn-sample infer m g.safetensors -q; echo "exit $?"
i m g.safetensors -o m; i m g.safetensors -o g.safetensors
head -c 2000 m > cut; i cut g.safetensors
ls
