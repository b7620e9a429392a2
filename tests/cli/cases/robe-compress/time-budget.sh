# A training that its time budget ends leaves a checkpoint, from which one with more time goes on.
# Not emulated: an emulator spends its milliseconds before the first step.
robe-compress generate --shape small --samples 400 -o d.tsv -q
t() { robe-compress train d.tsv -o m --dim 4 --bottom 8 --top 8 --batch-size 16 --epochs 100000 --checkpoint c --time-budget "$1" --json -q $2 |
  sed -n 's/^ *"\(steps\|resumed_from_step\)": \([0-9]*\),*/\1=\2/p'; }
t 300ms > first; ls c; . ./first; stopped=$steps
t 300ms --resume > again; . ./again
[ "$resumed_from_step" = "$stopped" ] && [ "$stopped" -gt 0 ] && echo 'went on'
