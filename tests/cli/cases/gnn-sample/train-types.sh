# Graphs of several types: the field of a paper is that of its authors, who have no features; papers cite at random.
awk 'BEGIN { srand(4); print "source,target"; for (p = 0; p < 600; ++p) for (k = 0; k < 3; ++k) print "a" p % 3 + 3 * int(40 * rand()) ",p" p }' > writes.csv
awk 'BEGIN { srand(5); print "source,target"; for (p = 0; p < 600; ++p) print "p" int(600 * rand()) ",p" p }' > cites.csv
awk 'BEGIN { srand(6); print "id,field,size,x"; for (p = 0; p < 600; ++p) print "p" p "," substr("abc", p % 3 + 1, 1) "," p % 3 * 10 + rand() "," rand() }' > papers.csv
E="--edges author:writes:paper=writes.csv --edges paper:cites:paper=cites.csv --ids any --undirected"
import() { gnn-sample import $E --features paper=papers.csv --labels paper=papers.csv "$@"; }
import --columns id:id,field:label,size:ignore -o g.safetensors -q
train() { gnn-sample train g.safetensors --fanouts 10,10 --hidden 16 --input-size 16 --learning-rate 0.02 --batch-size 100 --epochs 20 "$@"; }
learns() { awk -v name="\"test_$1\"" '$1 == name ":" { print ($2 + 0 > 0.95 ? "learns" : "does not learn: " $2) }'; }
train -o m --report r.html 2>&1 | sed -n 2,3p
train -o m -f --json -q | tee said | learns accuracy; grep -o '"architecture": "[a-z]*"' said
gnn-sample eval m g.safetensors --json -q | learns accuracy
gnn-sample eval m g.safetensors --fanouts 5,5 --nodes test --json -q | awk '/^  "accuracy"/ { print ($2 + 0 > 0.9 ? "right" : "wrong: " $2) }'
gnn-sample predict m g.safetensors -o p.csv -q; head -1 p.csv; paste -d, p.csv papers.csv | awk -F, 'NR > 1 { n += $1 == $3; same += $2 == $4 } END { print n, (same > 580 ? "right" : "wrong: " same) }'
gnn-sample predict m g.safetensors -o p.safetensors --probabilities -q; tensor-file info p.safetensors | grep -v history | grep -w 'probabilities\|names'
tensor-file info m | grep 'gnn.types' -A 5 | head -8
# Without options the norm is chosen; each type of edges may have its own fanouts, or none.
gnn-sample train g.safetensors -o d 2>&1 | grep -o 'trial of [^:]*\|^chosen.*\|^rgcn.*\|; . relations'
train --epochs 1 --fanouts author:writes:paper=5,5 --fanouts paper:cites:paper=0 --eval-fanouts 3,3 -o f 2>&1 | grep relations
# Authors that the model does not know are told; a graph with other types or features is refused.
sed 's/^a1,/new,/' writes.csv > new.csv; F=$(echo "$E" | sed 's/writes.csv/new.csv/')
gnn-sample import $F --features paper=papers.csv --columns id:id,field:ignore,size:ignore -o n.safetensors -q; gnn-sample predict m n.safetensors -o n.csv --json -q | grep new_nodes
import --columns id:id,field:label,size:ignore --edges editor:reads:paper=cites.csv -o x.safetensors -q; gnn-sample predict m x.safetensors -o n.csv -f --json -q | grep new_nodes
sed 's/^a/b/' writes.csv > new.csv; gnn-sample import $F --features paper=papers.csv --columns id:id,field:ignore,size:ignore -o n.safetensors -q -f; gnn-sample predict m n.safetensors -o n.csv -f 2>&1 | grep warning
gnn-sample export --ipu m g.safetensors -o x.ipu; echo "exit $?"
gnn-sample import --edges author:writes:paper=writes.csv --ids any --features paper=papers.csv --columns id:id,field:ignore,size:ignore -o o.safetensors -q; gnn-sample eval m o.safetensors; echo "exit $?"
gnn-sample import $E --features paper=papers.csv --columns id:id,field:ignore -o o.safetensors -q -f; gnn-sample predict m o.safetensors -o o.csv; echo "exit $?"
gnn-sample import $E -o o.safetensors -q -f; gnn-sample predict m o.safetensors -o o.csv; echo "exit $?"
# All types may have features, and a type may have no nodes; without edges to the papers, each is told by its own row.
awk 'BEGIN { print "id,y"; for (a = 0; a < 120; ++a) print "a" a "," a % 3 }' > authors.csv
import --features author=authors.csv --columns id:id,field:label,size:ignore -o all.safetensors -q; gnn-sample train all.safetensors -o all.model 2>&1 | grep '^author'
printf 'source,target\n' > none.csv; import --columns id:id,field:label,size:ignore --edges venue:prints:paper=none.csv --nodes venue=0 -o zero.safetensors -q; gnn-sample train zero.safetensors -o zero.model -q; gnn-sample eval zero.model zero.safetensors --json -q | learns accuracy
awk -F, 'NR > 1 { print $2 "," $1 }' writes.csv > by.csv; gnn-sample import --edges paper:by:author=by.csv --ids any --features paper=papers.csv --labels paper=papers.csv --columns id:id,field:label,size:ignore -o from.safetensors -q; gnn-sample train from.safetensors -o from.model 2>&1 | grep 'no relation'
# Weights belong to a relation by its name.
sed 's/writes/reads/' <<X > swapped
$E
X
train --epochs 2 --checkpoint k2 --checkpoint-every 0s -o s2 -q; gnn-sample import $(sed 's/reads.csv/writes.csv/' swapped) --features paper=papers.csv --labels paper=papers.csv --columns id:id,field:label,size:ignore -o swapped.safetensors -q; gnn-sample train swapped.safetensors --fanouts 10,10 --hidden 16 --input-size 16 --learning-rate 0.02 --batch-size 100 --epochs 2 --checkpoint k2 --resume -o s3; echo "exit $?"
# A pipe can be read once: the architecture must be given.
mkfifo pipe; cat g.safetensors > pipe & gnn-sample train pipe --architecture rgcn --fanouts 5,5 --epochs 1 -o piped -q; echo "exit $?"
# A model is equal for 1 and 3 threads, and from a checkpoint.
for n in 1 3; do train --epochs 2 --threads $n -o m.$n -q; done; tensor-file diff m.1 m.3 && echo same
train --epochs 2 --checkpoint k --checkpoint-every 0s -o whole -q; train --epochs 2 --checkpoint k --resume -o resumed -q; tensor-file diff whole resumed && echo same
# Attention instead of means: sampled, with several heads, equal for 1 and 3 threads and from a checkpoint; from a pipe.
attend() { train --architecture rgat --heads 2 --output-heads 2 --attention-dropout 0.1 "$@"; }
attend -o a --json -q | tee said | learns accuracy; grep -o '"architecture": "[a-z]*"' said
gnn-sample eval a g.safetensors --json -q | learns accuracy
gnn-sample predict a g.safetensors -o a.csv -q; paste -d, a.csv papers.csv | awk -F, 'NR > 1 { n += $1 == $3; same += $2 == $4 } END { print n, (same > 580 ? "right" : "wrong: " same) }'
tensor-file info a | grep -o 'F32.*convs.*paper:cites:paper.*'
attend --norm layer --fanouts=-1,-1 --batch-size 1000 -o w -q; gnn-sample eval w g.safetensors --json -q | learns accuracy
for n in 1 3; do attend --epochs 2 --threads $n -o a.$n -q; done; tensor-file diff a.1 a.3 && echo same
attend --epochs 2 --checkpoint ka --checkpoint-every 0s -o awhole -q; attend --epochs 2 --checkpoint ka --resume -o aresumed -q; tensor-file diff awhole aresumed && echo same
train --epochs 2 --checkpoint ka --resume -o other -q; echo "exit $?"
cat g.safetensors | gnn-sample train - --architecture rgat --fanouts 5,5 --epochs 1 -o apiped -q; echo "exit $?"
gnn-sample train zero.safetensors --architecture rgat --fanouts 10,10 --hidden 16 --epochs 20 --learning-rate 0.02 -o zero.model -f -q; gnn-sample eval zero.model zero.safetensors --json -q | learns accuracy
# A transformer: sampled, on the whole graph, equal for 1 and 3 threads and from a checkpoint.
transform() { train --architecture hgt --heads 2 --hidden 8 "$@"; }
transform -o t --json -q | tee said | learns accuracy; grep -o '"architecture": "[a-z]*"' said
gnn-sample eval t g.safetensors --json -q | learns accuracy
gnn-sample predict t g.safetensors -o t.csv -q; paste -d, t.csv papers.csv | awk -F, 'NR > 1 { n += $1 == $3; same += $2 == $4 } END { print n, (same > 580 ? "right" : "wrong: " same) }'
tensor-file info t | grep -o 'F32.*convs.[013].*\(paper:cites:paper\|paper\)\(.weight\|\)$'
transform --norm layer --attention-dropout 0.1 --fanouts=-1,-1 --batch-size 1000 --epochs 40 -o w -f -q; gnn-sample eval w g.safetensors --json -q | learns accuracy
for n in 1 3; do transform --epochs 2 --threads $n -o t.$n -q; done; tensor-file diff t.1 t.3 && echo same
transform --epochs 2 --checkpoint kt --checkpoint-every 0s -o twhole -q; transform --epochs 2 --checkpoint kt --resume -o tresumed -q; tensor-file diff twhole tresumed && echo same
gnn-sample export --ipu t g.safetensors -o t.ipu; echo "exit $?"
# Weights of edges: those of the author who tells the field are 1, others are 0.
awk -F, 'NR == 1 { print $0 ",weight"; next } { p = substr($2, 2); print $0 ",1"; print "a" (p % 3 + 1) % 3 + 3 * (NR % 40) ",p" p ",0"; print "a" (p % 3 + 2) % 3 + 3 * (NR % 40) ",p" p ",0" }' writes.csv > weighted.csv
gnn-sample import --edges author:writes:paper=weighted.csv --ids any --undirected --features paper=papers.csv --labels paper=papers.csv --columns id:id,field:label,size:ignore,source:source,target:target,weight:weight -o weighted.safetensors -q
weigh() { gnn-sample train weighted.safetensors --architecture rgcn --hidden 16 --learning-rate 0.02 --batch-size 100 "$@"; }
for fanouts in 10,10 -1,-1; do weigh --edge-weights --fanouts=$fanouts --epochs 10 -o e.m -f --json -q | learns accuracy; gnn-sample eval e.m weighted.safetensors --json -q | learns accuracy; gnn-sample eval e.m weighted.safetensors --fanouts 9,9 --nodes test --json -q | awk '/^  "accuracy"/ { print ($2 + 0 > 0.9 ? "right" : "wrong: " $2) }'; done
weigh --fanouts 10,10 --epochs 1 -o e.u 2>&1 | grep -o 'the weights of the edges.*'
gnn-sample eval e.m g.safetensors; echo "exit $?"
weigh --edge-weights --fanouts 10,10 --method weighted -o e; echo "exit $?"
gnn-sample train weighted.safetensors --architecture hgt --edge-weights -o e; echo "exit $?"
# Numbers to predict.
import --columns id:id,size:label,field:ignore -o s.safetensors -q; gnn-sample train s.safetensors --fanouts 10,10 --hidden 16 --learning-rate 0.02 --batch-size 100 --epochs 30 --norm layer -o s.model --json -q | learns r2
# Errors.
printf '0,1\n1,2\n2,0\n' > one.csv; gnn-sample import one.csv -o one.safetensors -q
bad() { gnn-sample train "$@" -o e; echo "exit $?"; }
bad one.safetensors --architecture rgcn
bad one.safetensors --seed-type paper
bad g.safetensors --architecture sage
bad g.safetensors --aggregate max
bad g.safetensors --heads 2
bad g.safetensors --architecture rgat --residual
bad one.safetensors --architecture rgat
bad g.safetensors --architecture hgt --output-heads 2
bad g.safetensors --edge-weights
bad g.safetensors --input embedding
bad g.safetensors --feature-parts even
bad all.safetensors --architecture rgcn --input-size 8
bad g.safetensors --fanouts 10,10 --fanouts paper:cites:paper=0,10
bad - --architecture rgcn < one.safetensors
bad g.safetensors --norm batch
bad g.safetensors --architecture rgcn --task links --seed-type paper
bad g.safetensors --seed-type author
bad g.safetensors --seed-type book
bad g.safetensors --device cuda
bad g.safetensors --fanouts 10,10 --eval-fanouts 10
bad g.safetensors --fanouts author:wrote:paper=5
gnn-sample eval m one.safetensors; echo "exit $?"
gnn-sample eval m g.safetensors --fanouts 5; echo "exit $?"
