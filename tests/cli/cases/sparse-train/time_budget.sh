# A training that its time budget ends leaves a checkpoint, from which one with more time goes on.
for i in 1 2 3 4 5 6 7 8 9; do printf 'a,one two w%s\nb,two three w%s\n' $i $i; done > d.csv
t() { sparse-train train d.csv -o m --architecture dense --epochs 100000 --checkpoint c --time-budget "$1" --json -q $2 |
  sed -n 's/^ *"\(steps\|resumed_from_step\)": \([0-9]*\),*/\1=\2/p'; }
t 300ms > first; ls c; . ./first; stopped=$steps
t 300ms --resume > again; . ./again
[ "$resumed_from_step" = "$stopped" ] && [ "$stopped" -gt 0 ] && echo 'went on'
