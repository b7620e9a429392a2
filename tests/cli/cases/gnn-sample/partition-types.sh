# Parts of graphs of several types: each type is balanced separately, each relation says its cut; parts as seeds.
awk 'BEGIN { for (i = 0; i < 600; i++) for (j = 0; j < 4; j++) print i "," (i % 6) * 50 + (i * 7 + j * j * 11) % 50 }' > writes.csv
awk 'BEGIN { for (i = 0; i < 300; i++) print i "," int(i / 50) % 2 }' > in.csv
awk 'BEGIN { for (i = 0; i < 300; i++) print (i % 3 ? "train" : "test") }' > split.txt
gnn-sample import --edges author:writes:paper=writes.csv --edges paper:in:venue=in.csv --undirected --split paper=split.txt \
  --nodes venue=3 -o g.safetensors -q
say() { sed 's/"seconds": .*/"seconds": S/'; }
for method in multilevel ldg random; do
  gnn-sample partition g.safetensors --parts 3 --method $method --json -o $method.safetensors | say
  for threads in 1 3; do FRUGAL_THREADS=$threads gnn-sample partition g.safetensors --parts 3 --method $method -o again -q
    tensor-file diff $method.safetensors again && echo "the same with $threads"; done
done
gnn-sample partition g.safetensors --parts 3 -o - | tensor-file info - | grep -v 'history\|stored'
for balance in edges train; do
  gnn-sample partition g.safetensors --parts 2 --balance $balance -o $balance.safetensors
done
# A star's hub has half of all edges.
{ seq 0 39 | sed 's/$/,0/'; seq 1 19 | sed 's/^/0,/'; } > star.csv
gnn-sample import --edges a:to:b=star.csv -o star.safetensors -q
gnn-sample partition star.safetensors --parts 4 --balance edges -o star.parts
# More training nodes than a part should have, and a part without a node.
gnn-sample partition g.safetensors --parts 20 --balance train -o many | grep train
echo 0,0 > pair.csv; gnn-sample import --edges a:to:b=pair.csv -o pair.safetensors -q
gnn-sample partition pair.safetensors --parts 2 -o pair.parts
# Seeds of each part are all nodes of a type, once.
for part in 0 1 2; do
  gnn-sample sample g.safetensors --seed-type author --seeds multilevel.safetensors:$part --fanouts 2,2 --batch-size 1000 -o part$part -q
  tensor-file cat multilevel.safetensors --tensor nodes/author/partition | grep -n "^$part$" | cut -d: -f1 | awk '{ print $1 - 1 }' > want
  count=$(wc -l < want)
  tensor-file cat part$part --tensor nodes/author/nodes | head -n "$count" | sort -n | cmp - want && echo "part $part has its seeds"
done
gnn-sample generate --scale 20 -o plain.safetensors -q
gnn-sample partition plain.safetensors --parts 4 -o plain.parts -q
gnn-sample sample plain.safetensors --seeds plain.parts:3 --fanouts 2 --json -o out | grep '"seeds"'
cp split.txt split:1; gnn-sample sample plain.safetensors --seeds split:1 --fanouts 2 -o out; echo "exit $?"
# The same of predict and export; a partition is an input, and not to be overwritten.
gnn-sample train plain.safetensors --hidden 4 --fanouts 2 --epochs 1 -o m -q
gnn-sample predict m plain.safetensors --nodes plain.parts:3 --depfile d -o out -q && tensor-file info out | grep ' nodes$' && cat d
gnn-sample export --ipu m plain.safetensors --nodes plain.parts:3 -o out --json | grep '"seeds"'
echo "errors"
try() { gnn-sample "$@"; echo "exit $?"; }
try sample g.safetensors --seed-type author --seeds multilevel.safetensors:3 --fanouts 2 -o x
try sample g.safetensors --seed-type author --seeds multilevel.safetensors:99999999999 --fanouts 2 -o x
try sample g.safetensors --seed-type author --seeds multilevel.safetensors:x --fanouts 2 -o x
try sample g.safetensors --seed-type author --seeds multilevel.safetensors --fanouts 2 -o x
try predict m plain.safetensors --nodes plain.parts:3 -o plain.parts
try export --ipu m plain.safetensors --nodes plain.parts:3 -o plain.parts
try eval m plain.safetensors --nodes plain.parts:4
gnn-sample partition g.safetensors --parts 4 --method random -o four -q
try sample g.safetensors --seed-type venue --seeds four:3 --fanouts 2 -o x
for parts in 2 0; do
  sed "s/\"partition.parts\":\"3\"/\"partition.parts\":\"$parts\"/" multilevel.safetensors > wrong
  try sample g.safetensors --seed-type author --seeds wrong:0 --fanouts 2 -o x
done
sed 's/partition.graph/partition.other/' multilevel.safetensors > wrong
try sample g.safetensors --seed-type author --seeds wrong:0 --fanouts 2 -o x
sed 's/"dtype":"U32","shape":\[300\]/"dtype":"I32","shape":[300]/' multilevel.safetensors > wrong
try sample g.safetensors --seed-type paper --seeds wrong:0 --fanouts 2 -o x
try sample g.safetensors --seed-type author --seeds plain.parts:0 --fanouts 2 -o x
try sample g.safetensors --seed-type author --seeds nowhere:0 --fanouts 2 -o x
try sample star.safetensors --seed-type a --seeds star.safetensors:0 --fanouts 2 -o x
gnn-sample import --edges author:writes:paper=writes.csv --edges paper:in:venue=in.csv --split paper=split.txt -o other.safetensors --nodes venue=3 -q
try sample other.safetensors --seed-type paper --seeds multilevel.safetensors:0 --fanouts 2 -o x
try sample g.safetensors --seed-type venue --seeds ldg.safetensors:2 --fanouts 2 -o x --json > said; grep '"seeds"\|exit' said
try train plain.safetensors --feature-parts multilevel.safetensors -o m -q
try partition g.safetensors --parts 5000 -o x
try partition star.safetensors --parts 2 --balance train -o x
