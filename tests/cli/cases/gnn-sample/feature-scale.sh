# Networks without a norm learn badly from large numbers: training says so. Norms, hops and scaled features need no word.
python3 - <<'P'
import random
random.seed(3); nodes = 300; y = [random.randrange(2) for _ in range(nodes)]
open("e", "w").writelines(f"{random.randrange(nodes)} {v}\n" for v in range(nodes) for _ in range(3))
open("x", "w").writelines(f"{(k + random.gauss(0, 1)) * 1e6 + 5e6:.9g},{random.random():.4f}\n" for k in y); open("y", "w").writelines(f"{k}\n" for k in y)
P
gnn-sample import e --features x --labels y -o g.safetensors -q; gnn-sample import e --features x --labels y --normalize-features standardize -o s.safetensors -q
t() { gnn-sample train "$@" --fanouts 5,5 --hidden 8 --epochs 1 --threads 1 -o m -f 2>&1 | grep warning || echo none; }
t g.safetensors --architecture sage; t g.safetensors --architecture sage --norm layer; t s.safetensors --architecture sage; t g.safetensors --architecture sage --input degree
gnn-sample train g.safetensors --architecture sign --hidden 8 --epochs 1 -o m -f 2>&1 | grep -c warning
