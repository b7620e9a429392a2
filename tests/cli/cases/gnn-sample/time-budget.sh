# A training that its time budget ends leaves a checkpoint, from which one with more time goes on.
# Not emulated: an emulator spends its milliseconds before the first step.
gnn-sample generate -o g.safetensors -q
t() { gnn-sample train g.safetensors -o m --fanouts 5,5 --hidden 16 --epochs 100000 --eval-every 100000 --checkpoint c --time-budget "$1" --json -q $2 |
  sed -n 's/^ *"\(steps\|resumed_from_step\)": \([0-9]*\),*/\1=\2/p'; }
t 300ms > first; ls c; . ./first; stopped=$steps
t 300ms --resume > again; . ./again
[ "$resumed_from_step" = "$stopped" ] && [ "$stopped" -gt 0 ] && echo 'went on'
