# Edges that are held out: written, and read again as the same split.
gnn-sample generate --scale 10 --classes 4 -o g.safetensors -q
t() { gnn-sample train g.safetensors --task links --fanouts 10,5 --hidden 16 --embedding 8 --batch-size 64 --learning-rate 0.01 --epochs 2 -q "$@"; }
t --held-out 0.2 --write-held-out held.csv -o random.model --json > said; head -1 held.csv; cut -d, -f3 held.csv | sort | uniq -c
t --held-out-edges held.csv -o read.model --json > again
tensor-file diff random.model read.model && echo same
for key in test_mrr validation_mrr; do grep -h "\"$key\"" said again | tr -d ' ,' | sort -u | wc -l; done
# The written file is of the split that was read, and a checkpoint belongs to it.
t --held-out-edges held.csv --write-held-out copy.csv -o x; cmp held.csv copy.csv && echo same
t --held-out-edges held.csv --checkpoint k --checkpoint-every 0s -o x -f; head -50 held.csv > less.csv
t --held-out-edges less.csv --checkpoint k --resume -o x -f; echo "exit $?"
t --checkpoint k --resume -o x -f; echo "exit $?"
# Every line is scored, however many: with its ends the other way round, each second one has another rank.
awk 'BEGIN { for (u = 0; u < 110; ++u) for (v = u + 1; v <= 999; ++v) if (n++ < 100002) print u "," v ",test" }' > many.csv
awk -F, 'NR % 2 { print; next } { print $2 "," $1 "," $3 }' many.csv > turned.csv
for file in many turned; do t --held-out-edges $file.csv --eval-negatives 10 --steps 1 -o x -f --json | grep test_mrr; done | sort -u | wc -l
# A pair that comes again is scored once.
{ cat held.csv; sed -n 3p held.csv; sed -n 2p held.csv | awk -F, '{ print $2 "," $1 "," $3 }'; } > twice.csv
t --held-out-edges twice.csv -o twice.model; tensor-file diff read.model twice.model && echo same
# Pairs without an edge, by names; only a test part.
for v in 0 1 2 3 4 5 6 7 8 9; do for u in 1 2 3; do echo "n$v,n$(((v + u) % 10))"; done; done > e.csv
gnn-sample import e.csv --undirected --ids any -o named.safetensors -q; printf 'n0,n5,test\nn1,n2,test\n' > own.csv
gnn-sample train named.safetensors --task links --fanouts 3,3 --hidden 4 --epochs 2 --batch-size 10 --held-out-edges own.csv --eval-negatives 3 -o x -f 2>/dev/null | head -1
printf 'n0,n5,test\nn1,n99,test\n' > own.csv; gnn-sample train named.safetensors --task links --held-out-edges own.csv -o x -f; echo "exit $?"
for wrong in '--held-out-edges held.csv --held-out 0.1' '--held-out-edges nowhere.csv' '--write-held-out no/such/file' '--write-held-out g.safetensors'; do
  echo "-- $wrong"; t $wrong -o y; echo "exit $?"
done
gnn-sample train g.safetensors --held-out-edges held.csv -o y -q; echo "exit $?"
