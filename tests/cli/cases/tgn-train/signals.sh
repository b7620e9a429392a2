# HUP (the terminal is gone) and XCPU (the limit of CPU time) end training at a checkpoint as TERM does.
tgn-train generate --scale 20 --features 2 -o e.safetensors -q
for signal in HUP XCPU TERM; do
  tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 100000 --patience 0 --checkpoint c --checkpoint-every 0s -o m 2> /dev/null & pid=$!
  while ! [ -e c ] && kill -0 $pid 2> /dev/null; do sleep 0.02; done
  kill -$signal $pid; wait $pid; echo "$signal $?"; ls c; rm -f c c.prev
done
