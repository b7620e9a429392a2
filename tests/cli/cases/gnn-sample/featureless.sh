# Graphs without features train: on a projection of their edges, on degrees, and on an embedding, alone and beside features.
gnn-sample generate --scale 10 --features 0 -o bare.safetensors -q
t() { gnn-sample train "${graph:-bare.safetensors}" --architecture "${kind:-sage}" --hidden 16 --batch-size 64 --learning-rate 0.01 --epochs 8 "$@"; }
learns() { awk '/"test_accuracy"/ { print ($2 + 0 > '"$1"' ? "learns" : "does not learn: " $2) } /"input"/' said; }
t --fanouts 5,5 --epochs 20 --dropout 0 --hidden 32 -o plain --json -q > said; learns 0.3
# Of 8 classes by chance 0.125 is right. Degrees are alike here and learn nothing; below they do.
for input in embedding projection,degree; do t --input $input --fanouts 5,5 --epochs 20 --dropout 0 --hidden 32 -o "$input" --json -q > said; learns 0.4; done
t --input degree --fanouts 5,5 -o degree -q
# Rings whose nodes have 2, 4, 8 and 16 neighbours; the class is the ring.
for ring in 0 1 2 3; do
  awk -v r=$ring 'BEGIN { for (v = 0; v < 100; ++v) for (u = 1; u <= 2 ^ r; ++u) print r * 100 + v "," r * 100 + (v + u) % 100 }'
done > rings.csv
awk 'BEGIN { for (v = 0; v < 400; ++v) print int(v / 100) }' > rings.txt
gnn-sample import rings.csv --undirected --labels rings.txt --split 20-per-class,100,100 -o rings.safetensors -q
graph=rings.safetensors t --input degree --fanouts 5,5 -o rings.model --json -q > said; learns 0.9
kind=sign t -o sign --json -q > said; learns 0.5
tensor-file info embedding | grep -v history | grep 'gnn.input\|input\.'
# A model is equal for 1, 2 and 8 threads, and from a checkpoint.
for n in 1 2 8; do t --input embedding,degree --fanouts 5,5 --threads $n -o e.$n -q; done
tensor-file diff e.1 e.2 && tensor-file diff e.1 e.8 && echo same
t --input embedding,degree --fanouts 5,5 --checkpoint k --checkpoint-every 0s -o whole -q
t --input embedding,degree --fanouts 5,5 --checkpoint k --resume -o resumed -q; tensor-file diff whole resumed && echo same
t --input embedding --fanouts 5,5 --checkpoint k --resume -o other -q; echo "exit $?"
# A trained embedding serves the same graph, and one with new nodes by the names of the old ones.
gnn-sample eval embedding bare.safetensors --nodes test --json -q | grep 'new_nodes'
for v in 0 1 2 3 4 5 6 7 8 9; do for u in 1 2 3; do echo "n$v,n$(((v + u) % 10))"; done; done > e.csv
{ cat e.csv; echo new,n1; echo new,n3; } > more.csv
for v in 0 1 2 3 4 5 6 7 8 9; do echo "n$v,$((v % 2 ? 1 : 0)),$((v < 6 ? 0 : v < 8 ? 1 : 2))"; done > nodes.csv
sed 's/\(.*\),.*,0/\1,train/; s/\(.*\),.*,1/\1,valid/; s/\(.*\),.*,2/\1,test/' nodes.csv > split.csv; cut -d, -f1,2 nodes.csv > labels.csv
gnn-sample import e.csv --undirected --ids any --columns 1:id --labels labels.csv --split split.csv -o named.safetensors -q; echo "exit $?"
gnn-sample import more.csv --undirected --ids any -o more.safetensors -q
for input in embedding projection degree; do
  graph=named.safetensors t --input $input --fanouts 3,3 --epochs 60 --dropout 0 -o named.model -f -q
  gnn-sample predict named.model more.safetensors -o said.csv -f --json -q | grep 'new_nodes\|"nodes"'; wc -l < said.csv
done
# A warning says that most nodes are new: named ones to models that were trained on numbers.
for model in embedding projection,degree degree; do
  gnn-sample predict $model named.safetensors -o said.csv -f 2>&1 | grep warning; wc -l < said.csv
done
# Sparse and dense features with columns beside them.
printf '0,1\n1,2\n2,3\n3,0\n' > e; printf '0 0:1 2:1\n1 1:1\n0 0:2\n1 3:1\n' > f; printf 'train\ntrain\nvalid\ntest\n' > p
for layout in sparse dense; do
  gnn-sample import e --undirected --features f --feature-layout $layout --split p -o small.safetensors -q -f
  for input in features,projection,degree embedding,features; do
    graph=small.safetensors t --input $input --fanouts 3,3 -o small.model -q -f && gnn-sample eval small.model small.safetensors --nodes all --json -q | grep '"nodes"'
  done
done
gnn-sample predict small.model bare.safetensors -o x; echo "exit $?"
# Links need no labels either.
t --task links --embedding 8 --fanouts 5,5 --input embedding -o links --json -q > said; awk '/"test_auc"/ { print ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) }' said
gnn-sample predict links bare.safetensors -o links.safetensors -q && tensor-file info links.safetensors | grep embeddings
# Options that do not go together.
for wrong in '--input features' '--input nothing' '--input degree,degree' '--input degree --input-size 8' '--input-size 0' '--input=' '--input embedding --architecture sign' '--input embedding --device cuda' '--input embedding --accumulate 2' '--input embedding --feature-parts even' '--feature-parts even'; do
  echo "-- $wrong"; gnn-sample train bare.safetensors -o x $wrong -q; echo "exit $?"
done
gnn-sample train bare.safetensors -o x --task links --input embedding --accumulate 2 --write-held-out early -q; [ -e early ] || echo "nothing written"
for input in auto features; do gnn-sample train small.safetensors -o x --input $input --input-size 4 -q; echo "exit $?"; done
gnn-sample export --ipu degree bare.safetensors --max-batches 1 -o exported.safetensors -q; echo "exit $?"
