# Classes of a graph are those of a model by their names or numbers, also if some are missing; the baseline is of the training nodes.
awk 'BEGIN { srand(1); split("cat dog bird", name, " "); for (i = 0; i < 300; ++i) { k = int(rand() * 3); print k > "y.txt"; print name[k + 1] > "names.txt"
  print (k == 2 ? "" : k) > "y01.txt"; print (k == 1 ? "" : name[k + 1]) > "names02.txt"; print (k == 0 ? 7 : k) > "y7.txt"; print k + rand() * 0.2 "," rand() > "x.csv" }
  for (i = 0; i < 600; ++i) print int(rand() * 300), int(rand() * 300) > "e.txt" }'
for labels in y names y01 names02 y7; do gnn-sample import e.txt --features x.csv --labels $labels.txt -o $labels.safetensors -q; done
for graph in y names; do gnn-sample train $graph.safetensors --architecture sage --fanouts 2,2 --epochs 30 -o $graph.model -q; done
e() { gnn-sample eval $1.model $2.safetensors --json > r.json; echo "$1 $2 exit $?"; [ -s r.json ] && python3 -c 'import json; r = json.load(open("r.json")); print("right" if r["accuracy"] > 0.9 else r["accuracy"])'; }
e y y; e y y01; e names names; e names names02; e y y7; e names y | sed 's/^0\..*/wrong/'
# One training node of class 0 and one test node of class 1: without learning the answer is 0, which is wrong.
printf '0 1\n1 2\n2 0\n' > three.txt; printf '0\n0\n1\n' > l.txt; printf '1\n2\n3\n' > f.csv; printf 'train\nvalid\ntest\n' > p.txt
gnn-sample import three.txt --features f.csv --labels l.txt --split p.txt -o three.safetensors -q
gnn-sample train three.safetensors --architecture sage --fanouts 2,2 --epochs 1 -o three.model 2>&1 | grep 'no better' | sed 's/.*(/(/'
