# Going on with new data and new labels: old ones are still known.
make() { awk -v first="$1" 'BEGIN { for (i = 0; i < 600; i++) { k = first + i % 3; print "t" k ",w" k " w" k "a common v" (i % 10) } }'; }
make 0 > first.csv; make 3 > second.csv; cat first.csv second.csv > both.csv
sparse-train train first.csv -o first.model -q --hidden 16; sparse-train train second.csv -o second.model -q --init first.model --epochs 2
figure() { sparse-train eval second.model "$1" --json | awk -F '[:,]' '/"p_at_1"/ { print ($2 > 0.9 ? "known" : "forgotten " $2) }'; }
figure first.csv; figure second.csv
t() { sparse-train train "$@" -o model; echo "exit $?"; }
t second.csv --init first.model --hidden 77
t second.csv --init first.model --architecture tree
# Trees go on, too: new labels find leaves, and no part is dropped or made up.
for o in tree hybrid; do
  sparse-train train first.csv -o first.$o -q --architecture $o $(test $o = tree || echo --hidden 16) --leaf-size 2; sparse-train train second.csv -o second.model -q --init first.$o --epochs 2 --json | sed -n 's/.*"architecture": *"\([a-z]*\)".*/\1/p'
  figure first.csv; figure second.csv
  # More of the same changes little.
  sparse-train train first.csv -o again.model -q --init first.$o --epochs 5; sparse-train eval again.model first.csv --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["p_at_1"] > 0.99)'
done
t second.csv --init first.tree --architecture dense; t second.csv --init first.hybrid --architecture tree; t second.csv --init first.tree --trees 9
t first.csv --init first.hybrid --epochs 5 | grep 'model of --init'
t second.csv --init none.model
printf '1 2 2\n0 0:1\n' > ids.txt; t ids.txt --init first.model --format xmc
t second.csv --init first.model --cache cache
# Examples that a model knows hardly move it, new ones of the same kind do.
awk 'BEGIN { srand(5); for (i = 0; i < 1200; i++) { a = int(20 * rand()); b = 20 + int(20 * rand())
  printf "%d,%d", rand() < 0.2 ? int(20 * rand()) : a, rand() < 0.2 ? 20 + int(20 * rand()) : b
  printf " %d:1 %d:1 %d:1 %d:1\n", a, b, 40 + int(400 * rand()), 440 + int(400 * rand()) } }' > lines.txt
part() { { echo "600 840 40"; awk -v p=$1 'NR % 2 == p' lines.txt; } > half$1.txt; }
part 0; part 1
sparse-train train half0.txt -q -o half.tree --architecture tree --calibration none
for p in 0 1; do t half$p.txt --init half.tree | grep 'steps of'; done
t half0.txt --init half.tree --tree-cost 0.1 | grep -c 'steps of'
# Few examples of one new label beside many earlier ones, or many without any of the others: the others stay.
awk 'BEGIN { srand(3); for (i = 0; i < 2000; i++) { k = int(20 * rand()); j = int(20 * rand())
  printf "t%d,a thing of w%d and w%d or v%d\n", k, k, rand() < 0.4 ? j : k, int(300 * rand()) } }' > glosses.csv
some() { awk -v n=$1 'BEGIN { for (i = 0; i < n; i++) print "fresh,a thing of z" i % 7 " and v" i }'; }
for o in "tree" "tree --leaf-size 4"; do
  sparse-train train glosses.csv -o glosses.tree -q --architecture $o --no-search --calibration none
  for n in 2 150; do
    some $n > fresh.csv; sparse-train train fresh.csv -o fresh.tree --init glosses.tree 2>&1 | grep '^sparse-train: warning'
    p1() { sparse-train eval $1.tree $2.csv --json | sed -n 's/.*"p_at_1": *\([0-9.]*\).*/\1/p'; }
    echo $n $(p1 glosses glosses) $(p1 fresh glosses) $(p1 fresh fresh) | awk '{ print $1, ($2 - $3 < 0.003 ? "kept" : "lost: " $0), ($4 > 0.5 ? "learnt" : "not learnt: " $0) }'
  done
done
# A run that began with one model does not go on with another, whenever that was made.
c() { t half1.txt -q --tree-cost 0.1 --checkpoint c --checkpoint-every 0s "$@" 2>&1 | sed 's/hash [0-9a-f]*/hash/g'; }
c --init half.tree; sparse-train train half1.txt -q -o other.tree --architecture tree --calibration none
c --init half.tree --resume; c --init other.tree --resume
ls
