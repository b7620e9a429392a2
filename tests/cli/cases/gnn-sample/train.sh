# Every model learns to classify, says how well, and is the same for 1, 2 and 8 threads.
gnn-sample generate --scale 10 -o g.safetensors -q
t() { gnn-sample train g.safetensors --fanouts 10,5 --hidden 16 --batch-size 64 --learning-rate 0.01 --epochs 6 -q "$@"; }
for model in sage gcn gat gin sage-ri; do
  for n in 1 2 8; do t --architecture $model --threads $n -o $model.$n --json > said; done
  awk -v model=$model '/"test_accuracy"/ { print model, ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) }' said
  tensor-file diff $model.1 $model.2 && tensor-file diff $model.1 $model.8 && echo same
done
# Residual paths, layer norms and the outputs of all layers: --batch-norm is --norm batch.
for how in 'sage --norm layer --residual --head-layers 1' 'gat --heads 2 --residual --jumping sum --head-layers 1' 'gcn --norm layer --residual --jumping concat --head-layers 2'; do
  for n in 1 2 8; do t --architecture $how --dropout 0.2 --epochs 12 --threads $n -o how.$n --json > learnt; done
  awk -v how="$how" '/"test_accuracy"/ { print how, ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) }' learnt
  tensor-file diff how.1 how.2 && tensor-file diff how.1 how.8 && echo same
done
t --batch-norm --residual -o 1.norm; t --norm batch --residual -o 2.norm; tensor-file diff 1.norm 2.norm && echo same
tensor-file info 1.norm | grep -v 'history\|stored' | grep 'residual\|bns.0\|jumping\|norm:'
sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' said | sort | tr '\n' ' '; echo
t -o 1.model --method labor; t -o 2.model --method labor --semantics frontier --replace 2>&1; echo "exit $?"
t -o f.model --semantics frontier --eval-fanouts 10,5 --aggregate max --schedule cosine --optimizer sgd --learning-rate 0.1
tensor-file info sage.1 | grep -v 'history\|config\|kB\|sage.1'
# One epoch or ten steps, whichever is first; the best epoch is the one that is written.
t -o s.model --steps 10 --json | grep '"steps"\|"epochs"'
t -o p.model --epochs 200 --patience 3 --json > said; awk '/"epochs"/ { e = $2 } /"best_epoch"/ { b = $2 } END { print e - b }' said
gnn-sample train g.safetensors --config "$SOURCE_DIR/configs/cora-gcn.yaml" -o w.model --epochs 2 --progress never 2>&1 | sed '1,2!d'
