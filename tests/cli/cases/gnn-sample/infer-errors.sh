# A model and a graph that do not fit are told apart by name and number.
gnn-sample generate --scale 50 -o g.safetensors -q
gnn-sample train g.safetensors --fanouts 5,5 --hidden 8 --epochs 1 -o m -q
gnn-sample generate --scale 50 --features 7 -o narrow.safetensors -q
gnn-sample generate --scale 50 --features 0 -o bare.safetensors -q
gnn-sample generate --scale 50 --classes 3 -o other.safetensors -q
gnn-sample generate --scale 50 --classes 1 -o unlabelled.safetensors -q
i() { gnn-sample infer "$@" -q; echo "exit $?"; }
for graph in narrow bare nowhere m; do i m $graph.safetensors; done
gnn-sample infer m other.safetensors --json --progress never 2>&1 | grep 'accuracy\|warning'
gnn-sample infer m unlabelled.safetensors --json --progress never 2>&1 | grep 'accuracy\|warning'
i g.safetensors g.safetensors; i nowhere g.safetensors
i m g.safetensors --fanouts 5; i m g.safetensors --fanouts 5,5,5; i m g.safetensors --fanouts a
printf '3\n200\n' > beyond.txt; printf '3\nx\n' > word.txt; : > empty.txt
for nodes in beyond.txt word.txt empty.txt missing.txt; do i m g.safetensors --nodes $nodes; done
i m g.safetensors --split 1 --nodes test
i m g.safetensors --split 1 --nodes all
i m g.safetensors -o m; i m g.safetensors -o g.safetensors
head -c 2000 m > cut; i cut g.safetensors
ls
