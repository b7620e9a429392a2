# A run that ends in the middle of an epoch says how the model does that it writes, not one of an epoch before.
gnn-sample generate -o g.safetensors -q
figure() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p"; }
for steps in 2 7; do  # of 5 an epoch
  gnn-sample train g.safetensors --fanouts 5,5 --hidden 16 --steps $steps --epochs 3 -o m --json -q > train.json
  gnn-sample infer m g.safetensors --nodes valid --json -q > valid.json
  [ "$(figure validation_loss < train.json)" = "$(figure loss < valid.json)" ] && echo "the model of step $steps, as validated"
  figure epochs < train.json; figure best_epoch < train.json
  figure epoch_seconds < train.json | awk '{ print ($1 > 0 ? "an epoch takes time" : "an epoch takes none") }'
  figure loss < train.json | awk '{ print ($1 > 0 ? "a loss" : "no loss") }'
done
