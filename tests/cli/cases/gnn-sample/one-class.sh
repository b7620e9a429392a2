# All test nodes are of one class, so that a perfect model is as good as that class alone, and an area under the curve does not exist.
awk 'BEGIN { srand(4); for (v = 0; v < 200; ++v) { c = v < 100 || v % 2; print c > "y"; print 2 * c + rand() / 4 "," rand() > "x"; print (v >= 10 && v < 60 ? "test" : v % 10 < 2 ? "valid" : "train") > "p"; print v "," (v + 2) % 200 > "e" } }'
import() { gnn-sample import e --features x --labels y --split "$1" -o "$2" -q; }
train() { gnn-sample train "$@" --architecture sage --hidden 8 --batch-size 50 --learning-rate 0.05 --epochs 20 --seed 1 -f; }
import p g.safetensors; train g.safetensors -o m 2>&1 | grep -o 'test accuracy [0-9.]*\|test auc\|.*no better.*'; train g.safetensors -o m --json -q | grep -o '"[a-z]*_\(accuracy\|auc\)"'
gnn-sample eval m g.safetensors 2>&1 | grep -o '\(validation \|test \)*auc'; gnn-sample eval m g.safetensors --json -q | grep -o '"[a-z]*_auc"'
train g.safetensors --metric auc -o m -q; echo "exit $?"
sed 's/test/TEST/; s/valid/test/; s/TEST/valid/' p > q; import q h.safetensors; train h.safetensors --metric auc -o n; echo "exit $?"
