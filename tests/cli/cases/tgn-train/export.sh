# Weights, memory and padded batches by the names of Graphcore's TGN: what the file has, and what is refused.
tgn-train generate --scale 10 --features 2 -o e.safetensors -q
train() { tgn-train train e.safetensors -q --memory-dim 8 --time-dim 6 --epochs 1 --batch-size 50 "$@"; }
train --architecture pyg --memory exact -o m
x() { tgn-train export --ipu "$@"; echo "exit $?"; }
x m e.safetensors -o train.safetensors --progress never | sed 's/, in .*//'
tensor-file info train.safetensors | grep -v 'history\|stored\|frugal.version'
x m e.safetensors --part test --batch-size 30 --shapes 3 -o test.safetensors --json -q > said
sed 's/^ *"\([a-z_]*\)":.*/\1/; /^[]{}[ ]/d' said | tr '\n' ' '; echo
grep '"\(batches\|events\|batch_size\|memory\|local_nodes\|edges\)"' said
tensor-file info test.safetensors | grep 'number\|node_ids\|edge_idx'
# The same for any number of threads; the first batches alone are the first batches; compressed, it is the same.
tgn-train export --ipu m e.safetensors --part test --batch-size 30 --shapes 3 -o again.safetensors.zst -q --threads 1
tensor-file diff test.safetensors again.safetensors.zst && echo same
x m e.safetensors --part test --batch-size 30 --max-batches 2 -o few.safetensors | sed 's/, in .*//'
tensor-file cat few.safetensors --tensor batches.0.number
# What has no module there.
train --architecture pyg -o window; x window e.safetensors -o no
train --architecture pyg --memory exact --pair-features -o pairs; x pairs e.safetensors -o no
train --architecture pyg --memory exact --memory-dtype bf16 -o half; x half e.safetensors -o no
train --architecture tgn-attn -o attention; x attention e.safetensors -o no
train --architecture pyg --memory exact --message mlp -o mlp; x mlp e.safetensors -o no
printf '0,1,0.5\n1,2,1\n0,2,2\n2,1,3\n0,1,4\n1,0,5\n2,0,6\n0,2,7\n1,2,8\n0,1,9\n' > real.csv
awk -F, '{ print $1 "," $2 "," 3000000000 * $3 }' real.csv > long.csv
for kind in real long; do
  tgn-train import $kind.csv --format csv --columns 1:source,2:destination,3:time -o $kind.safetensors -q
  tgn-train train $kind.safetensors -q --architecture pyg --memory exact --memory-dim 4 --time-dim 4 --new-nodes 0 --epochs 1 -o $kind.model
  x $kind.model $kind.safetensors -o no
done
x m real.safetensors -o no
tgn-train export m e.safetensors -o no; echo "exit $?"
x m e.safetensors -o missing/no
x e.safetensors e.safetensors -o no
ls no missing 2>&1
