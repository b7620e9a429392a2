# Mini-batches of graphs of several types: names, fanouts by type, ways to draw; nothing depends on threads.
printf '0,1\n2,0\n2,1\n' > w.csv
printf '0,0\n0,2\n1,0\n1,2\n' > r.csv
printf '1,0\n' > c.csv
printf 'physics\nmathematics\n' > l.txt
printf '1 2\n3 4\n' > f.txt
printf 'train\ntest\n' > s.txt
import() { gnn-sample import -q "$@"; }
import --edges author:writes:paper=w.csv --edges paper:by:author=r.csv --edges paper:cites:paper=c.csv \
  --labels paper=l.txt --features paper=f.txt --split paper=s.txt --edge-ids -o g.safetensors
sample() { gnn-sample sample "$@" -q -o - | tensor-file info - | grep -v history; }
cat_of() { echo "$2:"; gnn-sample sample $1 -q -o - | tensor-file cat - --tensor "$2" | tr '\n' ' '; echo; }
all="g.safetensors --fanouts -1,-1 --edge-ids"
sample $all
for tensor in nodes/paper/nodes nodes/author/nodes nodes/paper/features nodes/paper/labels; do cat_of "$all" $tensor; done
for edges in author:writes:paper paper:by:author paper:cites:paper; do
  for tensor in hop.1.offsets hop.1.neighbors hop.1.edge_ids; do cat_of "$all" edges/$edges/$tensor; done
done
coo="g.safetensors --semantics frontier --layout coo --seed-type author --seeds all --no-shuffle --fanouts 1,1"
sample $coo --wide-ids --fanouts paper:cites:paper=0 --fanouts author:writes:paper=0,-1
cat_of "$coo" edges/paper:by:author/hop.1.edge_index
sample g.safetensors --seeds all --disjoint --fanouts 2

echo "one type of nodes and one of edges"
awk 'BEGIN { for (i = 0; i < 4000; i++) print i * 7919 % 300 "," i * i * 31 % 300 }' > e.csv
yes train | head -n 300 > t.txt
import e.csv --split t.txt -o plain.safetensors; import --edges v:r:v=e.csv --split v=t.txt -o typed.safetensors
for way in "" "--semantics frontier" "--replace" "--method labor" "--method window" "--disjoint"; do
  for graph in plain typed; do gnn-sample sample $graph.safetensors --fanouts 5,4,3 $way --batch-size 40 -q -o $graph; done
  for graph in plain typed; do
    tensor-file cat $graph --document 7 | sed 's#nodes/v/##; s#edges/v:r:v/##' | grep -v 'frugal\|batch\|graph' | sort > $graph.txt
  done
  cmp plain.txt typed.txt && echo "the same: $(wc -l < plain.txt | tr -d ' ') lines $way"
done

awk 'BEGIN { for (i = 0; i < 4000; i++) print i * 7919 % 500 "," i * i * 31 % 300 "," i % 7 "," i % 11 }' > timed.csv
awk -F, '{ print $2 "," $1 "," $3 "," $4 }' timed.csv > back.csv
import --edges a:r:b=timed.csv --edges b:r:a=back.csv --columns 3:weight,4:time -o t.safetensors
import --edges a:r:b=timed.csv --edges b:r:a=back.csv --columns 3:weight -o w.safetensors
ways() { gnn-sample sample $1 --seed-type b --seeds all --fanouts 5,5 --batch-size 50 --epochs 2 --level none -o out -q; mv out "$2"; }
for way in "w.safetensors" "w.safetensors --semantics frontier" "w.safetensors --method weighted" "w.safetensors --table hash" \
  "w.safetensors --method labor" "w.safetensors --method window" "w.safetensors --disjoint --replace" \
  "t.safetensors --temporal uniform" "t.safetensors --temporal last"; do
  FRUGAL_THREADS=1 ways "$way" one
  for threads in 2 8; do FRUGAL_THREADS=$threads ways "$way" two; cmp one two; done
  for level in $simd_levels; do FRUGAL_SIMD=$level ways "$way" two; cmp one two; done
  echo "compared: $way"
done
part() { gnn-sample sample w.safetensors --seed-type a --seeds all --fanouts 3 --batch-size 50 --level none -q "$@"; }
part -o whole; part --shard 1/3 -o shard; part --from 7 -o rest
for tensor in nodes/a/nodes nodes/b/nodes edges/b:r:a/hop.0.neighbors; do
  tensor-file cat whole --document 7 --tensor $tensor > want
  tensor-file cat shard --document 2 --tensor $tensor | cmp - want
  tensor-file cat rest --document 0 --tensor $tensor | cmp - want
done
gnn-sample bench t.safetensors --seed-type a --seeds all --rounds 1 --ladder -q --json | grep -c '"name"'

echo "errors"
printf '2\n' > beyond; printf 'nan\n' > nan; printf '1\n' > one
try() { gnn-sample sample "$@" -q -o x; echo "exit $?"; }
try g.safetensors --seed-type journal
try g.safetensors --seed-type author
try w.safetensors
try plain.safetensors --seed-type v
try plain.safetensors --fanouts v:r:v=3
for wrong in author:reads:paper=3 author:writes:paper author:writes:paper=5,x author:writes:paper=3 "author:writes:paper=3,3 --fanouts author:writes:paper=3,3"; do
  try g.safetensors --fanouts 5,5 --fanouts $wrong
done
try g.safetensors --fanouts 0
try g.safetensors --fanouts author:writes:paper=0 --fanouts paper:by:author=0 --fanouts paper:cites:paper=0
try g.safetensors --seeds beyond
try g.safetensors --seeds edges
try g.safetensors --edges one
try g.safetensors --seeds edges --exclude-seed-edges
try g.safetensors --walks 5
try g.safetensors --method weighted
try w.safetensors --seed-type a --seeds all --temporal last
try t.safetensors --seed-type a --seeds one --seed-times nan --temporal last
try t.safetensors --seed-type a --seeds one --temporal uniform --edge-ids --method window
gnn-sample train g.safetensors --architecture sage -o m; echo "exit $?"
