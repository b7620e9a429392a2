# Held-out pairs count once, whatever copies and reverse edges there are, as --held-out-edges reads them.
python3 - <<'P'
import random as r
r.seed(3); p = [(r.random(), r.random()) for _ in range(120)]
near = lambda a: sorted(range(120), key=lambda b: (p[a][0] - p[b][0]) ** 2 + (p[a][1] - p[b][1]) ** 2)[1:4]
open('e.csv', 'w').writelines(f'u{a},u{b}\n' for a in range(120) for b in near(a) for _ in range(1 + (a % 3 == 0)))
P
for way in "" --undirected; do
  gnn-sample import e.csv --ids any $way -o g.safetensors -f -q
  t() { gnn-sample train g.safetensors --task links --architecture sage --fanouts 5,5 --hidden 16 --embedding 8 --epochs 4 --batch-size 64 --eval-negatives 20 --json -q -f "$@" | grep -E '"test_(mrr|auc)"'; }
  t --held-out 0.2 --write-held-out held.csv -o a.model > one; t --held-out-edges held.csv -o b.model > two
  cmp one two && wc -l < held.csv
done
