# Rows of labels in bf16: about half of the model, the same for any number of threads and after a resume.
awk 'BEGIN { print "900 600 300"; for (i = 0; i < 900; ++i) { l = i % 300; printf "%d %d:1 %d:1\n", l, 2 * l, 2 * l + 1 } }' > d.txt
t() { sparse-train train d.txt --architecture shared --hidden 128 --negatives 64 "$@" -q; echo "exit $?"; }
same() { for m in a b; do sparse-train predict $m d.txt -o $m.txt; done; cmp a.txt b.txt && echo same; }
t -o f --epochs 20
t -o h --epochs 20 --label-weights bf16 --threads 1; cp h a
t -o b --epochs 20 --label-weights bf16 --threads 2; same
size() { wc -c < "$1"; }
[ $(($(size f) - $(size h))) -ge $((300 * 128 * 2)) ] && echo smaller
for m in f h; do sparse-train eval $m d.txt --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["p_at_1"] > 0.95)'; done
sparse-train info h --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["network"]["weights"])'
kept='--label-weights bf16 --checkpoint c --checkpoint-every 0s'
t -o a --epochs 4 $kept; cp c.prev c; t -o b --epochs 4 $kept --resume; same
t -o k --epochs 1 --init h; t -o k --epochs 1 --init f --label-weights bf16; sparse-train export h --int8 -o s; echo "exit $?"
t -o k --checkpoint c --resume 2>&1 | cut -c 1-60
t -o k --label-weights f16
t -o k --label-weights bf16 --lsh-hard 3
sparse-train train d.txt --architecture dense --label-weights bf16 -o k -q; echo "exit $?"
