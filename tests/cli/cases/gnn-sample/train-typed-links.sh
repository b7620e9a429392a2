# Links of a relation between two types: authors write papers of their own field, and of the next one seldom; papers have names.
awk 'BEGIN { srand(4); print "source,target"; for (p = 0; p < 600; ++p) for (k = 0; k < 4; ++k) print "a" p % 3 + 3 * int(40 * rand()) ",p" p }' | sort -u -r > writes.csv
awk 'BEGIN { srand(5); print "source,target"; for (p = 0; p < 600; ++p) print "p" p ",p" int(600 * rand() ^ 3) }' > cites.csv
awk 'BEGIN { srand(6); print "id,x,y"; for (p = 0; p < 600; ++p) print "p" p "," p % 3 + rand() / 2 "," rand() }' > papers.csv
E="--edges author:writes:paper=writes.csv --ids any --features paper=papers.csv --columns id:id"
gnn-sample import $E --undirected -o g.safetensors -q; gnn-sample import $E --edges paper:cites:paper=cites.csv --undirected -o two.safetensors -q
R="--relation author:writes:paper"
links() { gnn-sample train --task links --fanouts 10,10 --hidden 16 --embedding 8 --learning-rate 0.01 --batch-size 128 --norm layer "$@"; }
train() { links "$@" --held-out 0.2; }
learns() { awk '/"test_mrr"/ { mrr = $2 + 0 } /"test_popularity_mrr"/ { print (mrr > 2 * ($2 + 0) && mrr > 0.08 ? "learns" : "does not learn: " mrr) }'; }
train g.safetensors --epochs 20 -o m --write-held-out held.csv --report r.html 2>&1 | sed -n 1,3p
head -1 held.csv; awk -F, 'NR > 1 { ok += $1 ~ /^a/ && $2 ~ /^p/; ++n[$3] } END { print (ok == NR - 1 ? "pairs" : "wrong"), (n["valid"] > 150 && n["test"] > 150 ? "parts" : "wrong") }' held.csv
links g.safetensors --epochs 20 -o own --held-out-edges held.csv --json -q | tee said | learns; sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' said | grep 'test' | tr '\n' ' '; echo
# Embeddings of either type; no labels to compare with.
gnn-sample predict m g.safetensors --seed-type author -o a.csv -q; head -1 a.csv | cut -d, -f 1-3; wc -l < a.csv; gnn-sample predict m g.safetensors --seed-type paper -o p.safetensors -q; tensor-file info p.safetensors | grep 'F32\|names'
gnn-sample predict m g.safetensors -o e.csv; echo "exit $?"
gnn-sample predict m g.safetensors --seed-type editor -o e.csv; echo "exit $?"
gnn-sample eval m g.safetensors; echo "exit $?"
tensor-file info m | grep 'gnn.relation\|gnn.task'
# A model is equal for 1 and 3 threads, and from a checkpoint; not resumed for another relation.
for n in 1 3; do train two.safetensors $R --epochs 2 --threads $n -o m.$n -q; done; tensor-file diff m.1 m.3 && echo same
train two.safetensors $R --epochs 2 --checkpoint k --checkpoint-every 0s -o whole -q; train two.safetensors $R --epochs 2 --checkpoint k --resume -o resumed -q; tensor-file diff whole resumed && echo same
train two.safetensors --relation paper:cites:paper --epochs 2 --checkpoint k --resume -o other; echo "exit $?"
# Attention by relation learns links, too.
train g.safetensors --architecture rgat --heads 2 --epochs 20 -o attend --json -q | learns
gnn-sample predict attend g.safetensors --seed-type author -o attend.csv -q; wc -l < attend.csv
train g.safetensors --architecture hgt --heads 2 --hidden 8 --epochs 20 -o transform --json -q | learns
gnn-sample predict transform g.safetensors --seed-type author -o transform.csv -q; wc -l < transform.csv
# A relation within a type; a model no better than the popularity of targets says so.
train two.safetensors --relation paper:cites:paper --epochs 1 --learning-rate 1e-6 -o within 2>&1 | grep -o 'the model is no better on the test edges'; gnn-sample predict within two.safetensors -o w.csv -q && head -1 w.csv | cut -d, -f 1-2
gnn-sample train g.safetensors --task links --epochs 1 -o w -f 2>&1 | grep '^rgcn\|^author'
# Relations with the same edges tell what should be predicted.
awk -F, '{ print $2 "," $1 }' writes.csv | sed 's/target,source/source,target/' > by.csv; sed 2d by.csv > most.csv
gnn-sample import --edges author:writes:paper=writes.csv --edges paper:by:author=by.csv --edges paper:mostly_by:author=most.csv --ids any -o r.safetensors -q; train r.safetensors $R --epochs 1 -o r 2>&1 | grep 'other relations'
gnn-sample train r.safetensors --task links $R --epochs 1 --fanouts paper:mostly_by:author=0 -o r -f 2>&1 | grep -c 'other relations'
cat r.safetensors | gnn-sample train - --task links $R -o e; echo "exit $?"
# Errors.
bad() { gnn-sample train "$@" --task links -o e; echo "exit $?"; }
bad two.safetensors
bad two.safetensors --relation author:reads:paper
bad two.safetensors $R --held-out 0.0001
bad two.safetensors $R --method labor
bad two.safetensors $R --seed-type paper
bad g.safetensors --split 1
printf 'p1,a1,valid\n' > wrong.csv; bad g.safetensors --held-out-edges wrong.csv
printf 'source,target\n' > none.csv; gnn-sample import $E --edges venue:prints:paper=none.csv --nodes venue=0 -o none.safetensors -q; bad none.safetensors --relation venue:prints:paper
gnn-sample train g.safetensors --relation author:writes:paper -o e; echo "exit $?"
printf '0,1\n1,2\n2,0\n' > one.csv; gnn-sample import one.csv -o one.safetensors -q; bad one.safetensors --relation a:b:c
