# A checkpoint serves the same run only (killed and stopped runs: kill_resume.py).
gnn-sample generate --scale 10 -o g.safetensors -q
t() { gnn-sample train g.safetensors -q --fanouts 5,5 --hidden 8 --batch-size 32 --epochs 3 --checkpoint c "$@"; }
t --checkpoint-every 0s -o whole; t --checkpoint-every 0s -o again --resume --json | grep '"resumed_from_step"\|"steps"'
tensor-file diff whole again && echo same
t -o m --resume --hidden 16 2>&1 | sed 's/(.*)/(...)/'
t -o m --resume --seed 1 2>&1 | sed 's/(.*)/(...)/'
cp g.safetensors saved; gnn-sample generate --scale 10 --seed 1 -o g.safetensors -q
t -o m --resume 2>&1 | sed 's/(.*)/(...)/'
cp saved g.safetensors; cp whole c; t -o m --resume 2>&1; rm -f c.prev
head -c 300 whole > c; t -o m --resume 2>&1
rm c; t -o m --resume --json | grep '"resumed_from_step"'
