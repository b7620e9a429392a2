# A training that its time budget ends leaves a checkpoint, from which one with more time goes on.
# Not emulated: an emulator spends its milliseconds before the first step.
tgn-train generate --scale 10 --features 2 -o e.safetensors -q
t() { tgn-train train e.safetensors -o m --memory-dim 8 --time-dim 8 --epochs 100000 --batch-size 100 --no-eval --checkpoint c --time-budget "$1" --json -q $2 |
  sed -n 's/^ *"\(steps\|resumed_from_step\)": \([0-9]*\),*/\1=\2/p'; }
t 300ms > first; ls c; . ./first; stopped=$steps
t 300ms --resume > again; . ./again
[ "$resumed_from_step" = "$stopped" ] && [ "$stopped" -gt 0 ] && echo 'went on'
