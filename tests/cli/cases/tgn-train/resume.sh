# A checkpoint serves the same run only (killed and stopped runs: kill_resume.py).
tgn-train generate --scale 10 --features 2 -o e.safetensors -q
t() { tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 3 --batch-size 100 --checkpoint c "$@"; }
t --checkpoint-every 0s -o whole; t --checkpoint-every 0s -o again --resume --json | grep '"resumed_from_step"\|"steps"'
tensor-file diff whole again && echo same
# An epoch that --steps ends before its time is finished by a run that goes on from its last step, too.
for more in --steps=3 '--steps 9 --memory exact' '--steps 3 --no-eval'; do
  rm -f c c.prev; t $more --checkpoint-every 0s -o whole; t $more --resume -o again --json | grep '"resumed_from_step"'; tensor-file diff whole again && echo same
  tgn-train eval again e.safetensors --no-baselines --ranks none --json | grep '"memory"'
done
t --checkpoint-every 0s -o whole
t -o m --resume --batch-size 50 2>&1 | sed 's/(.*)/(...)/'
for precision in f32 bf16; do t -o m --resume --precision $precision 2>&1 | sed 's/(.*)/(...)/'; done
t -o m --resume --seed 1 2>&1 | sed 's/(.*)/(...)/'
# Each option that differs is named, with both values; what a preset decides may be said.
t -o m --resume --no-eval --pair-features --epochs 4 --memory exact --window 200 2>&1
t -o m --resume --layers 1 --updater gru --json | grep '"resumed_from_step"'
cp e.safetensors saved; tgn-train generate --scale 10 --features 2 --seed 1 -o e.safetensors -q
t -o m --resume 2>&1 | sed 's/(.*)/(...)/'
cp saved e.safetensors; cp whole c; t -o m --resume 2>&1; rm -f c.prev
head -c 300 whole > c; t -o m --resume 2>&1
rm c; t -o m --resume --json | grep '"resumed_from_step"'
# Copies of the memory go on where they were; there are as many then.
t --checkpoint-every 0s --time-ranges 3 -o whole; t --resume --time-ranges 3 -o again --json | grep '"resumed_from_step"'; tensor-file diff whole again && echo same
t -o m --resume 2>&1
