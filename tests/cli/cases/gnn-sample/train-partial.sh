# A run that ends in the middle of an epoch says how the model does that it writes, not one of an epoch before.
gnn-sample generate -o g.safetensors -q
figure() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p"; }
for steps in 2 7; do  # of 5 an epoch
  gnn-sample train g.safetensors --fanouts 5,5 --hidden 16 --steps $steps --epochs 3 -o m --json -q > train.json
  gnn-sample eval m g.safetensors --nodes valid --json -q > valid.json
  [ "$(figure validation_log_loss < train.json)" = "$(figure log_loss < valid.json)" ] && echo "the model of step $steps, as validated"
  figure epochs < train.json; figure best_epoch < train.json
  figure epoch_seconds < train.json | awk '{ print ($1 > 0 ? "an epoch takes time" : "an epoch takes none") }'
  figure loss < train.json | awk '{ print ($1 > 0 ? "a loss" : "no loss") }'
done
t() { gnn-sample train g.safetensors --fanouts 5,5 --hidden 16 -o m --json -q "$@"; }
# Patience is of validations: one of two epochs without a better one, each 3 epochs after the one before.
t --epochs 30 --learning-rate 0 --patience 3 --eval-every 3 > train.json; figure epochs < train.json; figure best_epoch < train.json
# A budget that ends with an epoch: the last epoch is validated, and a checkpoint goes on from there.
t --batch-size 1000 --epochs 100000 --eval-every 50000 --time-budget 300ms --checkpoint c > train.json
[ "$(figure epochs < train.json)" = "$(figure best_epoch < train.json)" ] && [ -s c ] && echo "validated, kept"
t --epochs 1 --checkpoint d --checkpoint-every 0s > first.json; t --epochs 1 --checkpoint d --resume > again.json
for name in loss validation_log_loss test_log_loss best_epoch; do [ "$(figure $name < first.json)" = "$(figure $name < again.json)" ] && echo "the same $name"; done
