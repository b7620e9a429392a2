# Scores of pairs: dot products and, within one type of nodes, common neighbours with weights that validation chose.
awk 'BEGIN { srand(3); for (i = 0; i < 4000; ++i) { u = int(300 * rand()); v = 30 * int(u / 30) + int(30 * rand()); if (rand() < 0.1) v = int(300 * rand()); if (u != v) print "n" u ",n" v } }' | sort -u > edges.csv
gnn-sample import edges.csv --ids any --undirected -o g.safetensors -q
gnn-sample train g.safetensors --task links --fanouts 5 --hidden 8 --embedding 4 --epochs 2 --held-out 0.2 -o m --write-held-out held.csv -q --json > said
awk '/"test_mrr"/ { mrr = $2 + 0 } /"test_adamic_adar_mrr"/ { print (mrr > 0.98 * ($2 + 0) ? "not below common neighbours" : "below: " mrr " " $2) }
  /"common_neighbors"/ { print ($2 + 0 > 0 ? "common neighbours count" : "no weight") }' said
gnn-sample predict m g.safetensors --pairs held.csv -o s.csv -q --json | grep pairs; gnn-sample predict m g.safetensors -o e.csv -q
tensor-file info m | sed -n 's/^ *gnn\.\(common_neighbors\|dot_weight\|score_bias\): /\1 /p' > weights
awk -F'[, ]' 'FILENAME == "weights" { w[$1] = $2 }
  FILENAME == "edges.csv" && !(($1 "," $2) in has) { has[$1 "," $2] = has[$2 "," $1] = 1; ++degree[$1]; ++degree[$2]; near[$1] = near[$1] " " $2; near[$2] = near[$2] " " $1 }
  FILENAME == "e.csv" { for (i = 2; i <= NF; ++i) x[$1, i] = $i }
  FILENAME == "s.csv" && FNR > 1 {
    want = w["score_bias"]
    for (i = 2; i <= 5; ++i) want += w["dot_weight"] * x[$1, i] * x[$2, i]
    n = split(near[$1], of)
    for (i = 1; i <= n; ++i) if ((of[i] "," $2) in has) want += w["common_neighbors"] / log(degree[of[i]] < 2 ? 2 : degree[of[i]])
    ++rows; wrong += (want - $3) ^ 2 > 1e-6
  }
  END { print (rows > 100 ? "scored" : rows), wrong + 0, "wrong" }' weights edges.csv e.csv s.csv
head -n 1 s.csv; gnn-sample predict m g.safetensors --pairs held.csv -o s.safetensors -q; tensor-file info s.safetensors | sed -n 's/^ *\([FI][0-9]*\) .* \([a-z]*\)$/\1 \2/p'
printf 'n1 n2\nn3\tn4\n' > p.txt; gnn-sample predict m g.safetensors --pairs p.txt -o p.csv -q; echo "exit $?"
printf 'n3\tn4\n' > p.txt; gnn-sample predict m g.safetensors --pairs p.txt -o p.csv -q; wc -l < p.csv
# Two types: no common neighbours.
awk -F, '{ print "a" substr($1, 2) % 40 "," $2 }' edges.csv | sort -u > writes.csv
gnn-sample import --edges author:writes:paper=writes.csv --ids any --undirected -o t.safetensors -q
gnn-sample train t.safetensors --task links --relation author:writes:paper --hidden 8 --embedding 4 --epochs 2 -o t -q
printf 'target,source\nn7,a3\nn8,a3\n' | gnn-sample predict t t.safetensors --pairs - -o t.csv -q
for type in author paper; do gnn-sample predict t t.safetensors --seed-type $type -o $type.csv -q; done
awk -F, 'FILENAME != "t.csv" { for (i = 2; i <= NF; ++i) x[$1, i] = $i } FILENAME == "t.csv" && FNR > 1 { s = 0; for (i = 2; i <= 5; ++i) s += x[$1, i] * x[$2, i]; print $1, $2, (s - $3) ^ 2 < 1e-8 ? "right" : s " " $3 }' author.csv paper.csv t.csv
bad() { gnn-sample predict "$@" -o bad.csv; echo "exit $?"; }
printf 'n1,n2\nn1,nobody\n' > p.csv; bad m g.safetensors --pairs p.csv
printf 'n1,n2,7\n' > p.csv; bad m g.safetensors --pairs p.csv
printf 'source,target\n' > p.csv; bad m g.safetensors --pairs p.csv
printf 'a3,a4\n' > p.csv; bad t t.safetensors --pairs p.csv
bad m g.safetensors --pairs p.csv --nodes all
gnn-sample generate --scale 8 --features 4 --classes 2 -o n.safetensors -q; gnn-sample train n.safetensors --fanouts 2 --hidden 4 --epochs 1 -o nodes -q; bad nodes n.safetensors --pairs p.csv
# Equal scores stay equal where common neighbours rank no better than chance.
awk 'BEGIN { srand(5); for (i = 0; i < 1250; ++i) print int(500 * rand()) "," int(500 * rand()) }' > random.csv; awk 'BEGIN { for (i = 0; i < 500; ++i) print 1 }' > ones.csv
gnn-sample import random.csv --undirected --features ones.csv -o r.safetensors -q
gnn-sample train r.safetensors --task links --fanouts 2 --hidden 8 --epochs 1 --learning-rate 0 --dropout 0 -o r --json -q 2> /dev/null | grep 'test_mrr\|test_auc\|common_neighbors'
# Without other options links have settings of their own; arrays are written for NumPy.
gnn-sample train g.safetensors --task links --epochs 1 -o d 2>&1 | grep '^gcn'; gnn-sample predict d g.safetensors -o d.npz -q; tensor-file info d.npz | sed -n 's/^ *F32 *\(\[.*\]\) .*/\1/p'
