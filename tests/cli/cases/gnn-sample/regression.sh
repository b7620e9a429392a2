# Numbers to predict: a node's number is the mean of its neighbours' features, which the node itself does not have.
awk 'BEGIN { srand(3); for (v = 0; v < 600; ++v) print rand() }' > x.txt
awk 'BEGIN { print "source,target"; for (v = 0; v < 600; ++v) for (k = 1; k <= 3; ++k) print v "," (v + k * k) % 600 }' > edges.csv
awk 'NR == FNR { x[NR - 1] = $1; next } FNR > 1 { split($1, e, ","); sum[e[2]] += x[e[1]] } END { for (v = 0; v < 600; ++v) print v % 50 == 7 ? "NA" : 100 + 20 * sum[v] }' x.txt edges.csv > y.txt
import() { gnn-sample import edges.csv --features x.txt --labels y.txt --split 0.5,0.25,0.25 "$@"; }
import -o g.safetensors --json | grep 'classes\|label'
train() { gnn-sample train g.safetensors --architecture sage --hidden 16 --batch-size 50 --learning-rate 0.02 --fanouts=-1 --dropout 0 --head-layers 1 --epochs 100 "$@"; }
train -o m --json -q --report r.html > said; grep -o '>\(squared error[^<]*\|training[^<]*\|validation\|rmse\|r2\|cross-entropy\)<' r.html | sort -u; grep -o '"[a-z]*_\(r2\|rmse\|mae\|accuracy\|log_loss\)"' said; awk '/"test_r2"/ { print ($2 + 0 > 0.9 ? "learns" : "does not learn: " $2) }' said
gnn-sample eval m g.safetensors --json -q | awk '/"test_r2"/ { print ($2 + 0 > 0.9 ? "right" : "wrong: " $2) }'
gnn-sample predict m g.safetensors -o p.csv -q; head -1 p.csv; { echo y; cat y.txt; } > y.csv; paste -d, p.csv y.csv | awk -F, 'NR > 1 && $3 != "NA" { e += ($2 - $3) ^ 2; ++n } END { print (sqrt(e / n) < 4 ? "near" : "far: " sqrt(e / n)) }'
gnn-sample predict m g.safetensors -o p.safetensors -q; tensor-file info p.safetensors | grep -w values
# A model is equal for 1 and 3 threads, and from a checkpoint.
for n in 1 3; do train --epochs 3 --threads $n -o m.$n -q; done; tensor-file diff m.1 m.3 && echo same
train --epochs 2 --checkpoint k --checkpoint-every 0s -o whole -q; train --epochs 2 --checkpoint k --resume -o resumed -q; tensor-file diff whole resumed && echo same
gnn-sample sample g.safetensors --fanouts 2 --batch-size 8 -o - 2> /dev/null | head -c 4000 | grep -ao '"labels":{"dtype":"F32"' | head -1
# Noise cannot be learnt, and the tool says so.
awk 'BEGIN { srand(9); for (v = 0; v < 600; ++v) print rand() }' > y.txt; import -o noise.safetensors -q; gnn-sample train noise.safetensors --architecture sage --hidden 16 --batch-size 50 --fanouts=-1 --learning-rate 0.05 --epochs 60 --seed 2 -o n 2>&1 | grep -o 'the model is no better.*rmse'
# Errors.
awk '{ print NR % 3 }' x.txt > y.txt; import -o classes.safetensors -q; gnn-sample eval m classes.safetensors; echo "exit $?"
train --epochs 1 -o c -q; gnn-sample train classes.safetensors --architecture sage --epochs 1 -o c -q -f; gnn-sample eval c g.safetensors; echo "exit $?"
import --label-type number -o three.safetensors --json | grep 'label'
gnn-sample predict m g.safetensors --probabilities -o q.csv; echo "exit $?"
train --metric auc -o e; echo "exit $?"
train --device cuda -o e; echo "exit $?"
gnn-sample import edges.csv --label-type number -o e.safetensors; echo "exit $?"
gnn-sample import edges.csv --features x.txt --labels x.txt --label-type class -o e.safetensors 2>&1 | sed 's/label 0[0-9.]*/label X/'
yes 5.5 | head -600 > y.txt; import -o same.safetensors -q; gnn-sample train same.safetensors --architecture sage -o e; echo "exit $?"
