# After training on neighbours drawn by weight, validation, test, eval and predict weigh them, too: edges of weight 0 do not count.
python3 - <<'P'
import random as r
r.seed(2); N = 400; y = [r.randrange(2) for _ in range(N)]; of = [[i for i in range(N) if y[i] == k] for k in (0, 1)]
with open('w.csv', 'w') as f:
    f.write('src,dst,weight\n')
    for v in range(N):
        for _ in range(3): f.write(f'{r.choice(of[y[v]])},{v},1\n')
        for _ in range(12): f.write(f'{r.choice(of[1 - y[v]])},{v},0\n')
open('x', 'w').writelines('%.4f\n' % ((y[i] * 2 - 1) * (r.random() < .25) + r.gauss(0, .05)) for i in range(N))
open('y', 'w').writelines('%d\n' % k for k in y)
P
grep -v ',0$' w.csv > positive.csv
for g in w positive; do gnn-sample import $g.csv --columns weight:weight --features x --labels y --split 0.6,0.2,0.2 -o $g.safetensors -q; done
gnn-sample import w.csv --columns none:weight --features x --labels y --split 0.6,0.2,0.2 -o plain.safetensors -q
accuracy() { python3 -c 'import json, sys; print("accuracy above 0.9:", json.load(sys.stdin)["test_accuracy"] > 0.9)'; }
fit() { gnn-sample train w.safetensors --fanouts 10,10 --hidden 16 --epochs 30 --learning-rate 0.01 --batch-size 64 --eval-every 10 --method weighted --json "$@"; }
fit --architecture sage -o sage.model | accuracy
fit --architecture sage --eval-fanouts 10,10 -o y.model | accuracy
tensor-file info sage.model | grep gnn.weighted
gnn-sample eval sage.model w.safetensors --json > whole; gnn-sample eval sage.model positive.safetensors --json > left
for key in accuracy log_loss; do grep -h "\"$key\"" whole left | sort -u | wc -l; done
gnn-sample eval sage.model w.safetensors --fanouts 10,10 --json | grep -c '"accuracy": \(1\|0.9\)'
gnn-sample eval sage.model plain.safetensors; echo "exit $?"
# Attention cannot weigh: a warning says that exact outputs count all alike.
fit --architecture gat --epochs 1 -o gat.model > said; gnn-sample eval gat.model w.safetensors > said
gnn-sample eval gat.model w.safetensors --fanouts 10,10 > said
fit --architecture gat --epochs 1 --eval-fanouts 10,10 -o y.model -f > said
# Graphs of several types: each relation by its own weights and fanouts.
gnn-sample import --edges a:near:a=w.csv --edges a:other:a=positive.csv --columns weight:weight --features a=x --labels a=y --split a=0.6,0.2,0.2 -o typed.safetensors -q
gnn-sample train typed.safetensors --architecture rgcn --fanouts 10,10 --fanouts a:other:a=2,2 --hidden 16 --epochs 30 --learning-rate 0.01 --batch-size 64 --method weighted -o typed.model --json -q | accuracy
tensor-file info typed.model | grep gnn.weighted; gnn-sample eval typed.model typed.safetensors --fanouts 10,10 --json | grep -c '"accuracy": \(1\|0.9\)'
