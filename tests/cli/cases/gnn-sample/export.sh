# Weights and padded mini-batches by the names of Graphcore's GraphSAGE: what the file has, and what is refused.
gnn-sample generate --scale 10 -o g.safetensors -q
train() { gnn-sample train g.safetensors -q --fanouts 4,3 --hidden 8 --batch-size 64 --epochs 1 "$@"; }
train --architecture sage -o m
x() { gnn-sample export --ipu "$@"; echo "exit $?"; }
x m g.safetensors --batch-size 40 -o train.safetensors --progress never | sed 's/, in [0-9.]* [mu]*s//'
tensor-file info train.safetensors | grep -v 'history\|stored\|frugal.version'
x m g.safetensors --nodes test --batch-size 30 --fanouts 2,9 --shapes 3 -o test.safetensors --json -q > said
sed 's/^ *"\([a-z_]*\)":.*/\1/; /^[]{}[ ]/d' said | tr '\n' ' '; echo
grep '"\(batches\|seeds\|nodes\)"' said
# The same for any number of threads and from a mapped graph; compressed, too.
gnn-sample export --ipu m g.safetensors --nodes test --batch-size 30 --fanouts 2,9 --shapes 3 -o again.safetensors.zst -q --threads 1 --residence mapped
tensor-file diff test.safetensors again.safetensors.zst && echo same
# Epochs draw other neighbours, in another order where that is asked for.
x m g.safetensors --batch-size 100 --epochs 2 --shuffle -o epochs.safetensors | sed 's/, in [0-9.]* [mu]*s//'
tensor-file cat epochs.safetensors --tensor batches.0.seeds | wc -l
x m g.safetensors --batch-size 30 --max-batches 2 -o few.safetensors | sed 's/, in [0-9.]* [mu]*s//'
# A model of links has no labels.
train --task links -o links; x links g.safetensors --batch-size 100 --nodes all -o links.safetensors -q
tensor-file info links.safetensors | grep -c '\.y$'
# What has no module there.
train --architecture gat -o gat; x gat g.safetensors -o no
train --architecture sage --aggregate max -o largest; x largest g.safetensors -o no
train --architecture sage --batch-norm -o norm; x norm g.safetensors -o no
train --architecture sage --activation elu -o elu; x elu g.safetensors -o no
train --architecture sage --head-layers 1 -o head; x head g.safetensors -o no
x m g.safetensors --fanouts 4,3,2 -o no
gnn-sample generate --scale 10 --features 5 -o other.safetensors -q; x m other.safetensors -o no
gnn-sample export m g.safetensors -o no; echo "exit $?"
x m g.safetensors -o missing/no
x g.safetensors g.safetensors -o no
ls no missing 2>&1
