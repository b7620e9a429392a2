# A signal ends the evaluation that follows a training, of several seconds: the model is written.
tgn-train generate --nodes 2000 --events 16000 --features 0 --seed 1 -o g.safetensors -q
train() {
  rm -f m; tgn-train train g.safetensors --epochs 1 --batch-size 1000 --memory-dim 8 --time-dim 8 -o m -q "$@" 2> log &
  for i in $(seq 1000); do [ ! -e m ] || break; sleep 0.02; done
  kill -TERM $!; began=$(date +%s); wait $!; echo "exit $?"
  [ $(($(date +%s) - began)) -le 5 ] || echo late
  cat log; tensor-file verify m | cut -d: -f1,2 | cut -d, -f1
}
train
# With a checkpoint, --resume does the rest.
train --checkpoint c --checkpoint-every 0s
tgn-train train g.safetensors --epochs 1 --batch-size 1000 --memory-dim 8 --time-dim 8 -o whole -q
tgn-train train g.safetensors --epochs 1 --batch-size 1000 --memory-dim 8 --time-dim 8 -o m --checkpoint c --checkpoint-every 0s --resume -q 2> log
tensor-file diff whole m && echo same
