# A checkpoint serves the same run only (killed and stopped runs: kill_resume.py).
gnn-sample generate --scale 10 -o g.safetensors -q
t() { gnn-sample train g.safetensors -q --fanouts 5,5 --hidden 8 --batch-size 32 --epochs 3 --checkpoint c "$@"; }
t --checkpoint-every 0s -o whole; t --checkpoint-every 0s -o again --resume --json | grep '"resumed_from_step"\|"steps"'
tensor-file diff whole again && echo same
t -o m --resume --hidden 16 2>&1 | sed 's/(.*)/(...)/'
for precision in f32 bf16; do t -o m --resume --precision $precision 2>&1 | sed 's/(.*)/(...)/'; done
t -o m --resume --seed 1 2>&1 | sed 's/(.*)/(...)/'
cp g.safetensors saved; gnn-sample generate --scale 10 --seed 1 -o g.safetensors -q
t -o m --resume 2>&1 | sed 's/(.*)/(...)/'
cp saved g.safetensors; cp whole c; t -o m --resume 2>&1; rm -f c.prev
head -c 300 whole > c; t -o m --resume 2>&1
rm c; t -o m --resume --json | grep '"resumed_from_step"'
# Equal numbers in other rows are other features.
printf '0,1\n1,0\n' > e; printf 'train\ntrain\n' > split
sparse() { printf "$1" > f; gnn-sample import e --features f --feature-layout sparse --split split -o s.safetensors -q; }
s() { gnn-sample train s.safetensors -q --fanouts 2 --hidden 4 --epochs 1 --checkpoint s --checkpoint-every 0s -o m "$@" 2>&1 | sed 's/(.*)/(...)/'; }
sparse '0 0:1 1:1\n1\n'; s
sparse '0 0:1\n1 1:1\n'; s --resume
