# Several types of nodes and edges, named on the command line or lying in a folder as OGB has them.
printf 'author,paper\n0,1\n2,0\n2,1\n' > w.csv
printf '1,0\n' > c.csv
printf 'physics\nmathematics\n' > l.txt
printf '1 2\n3 4\n' > f.txt
printf 'train\ntest\n' > s.txt
g() { gnn-sample import "$@"; echo "exit $?"; }
E="--edges author:writes:paper=w.csv --edges paper:cites:paper=c.csv"
g $E --labels paper=l.txt --features paper=f.txt --split paper=s.txt -o g.safetensors
tensor-file info g.safetensors | grep -v 'frugal.history\|stored'
tensor-file cat g.safetensors --tensor edges/author:writes:paper/offsets
tensor-file cat g.safetensors --tensor edges/author:writes:paper/neighbors
mkdir -p o/raw/relations/a___r___b o/raw/node-label/b o/split/time/b
printf 'a,b\n3,2\n' > o/raw/num-node-dict.csv
printf 'a,r,b\n' > o/raw/triplet-type-list.csv
printf '2,1\n0,0\n' > o/raw/relations/a___r___b/edge.csv
printf '1\n0\n' > o/raw/node-label/b/node-label.csv
echo 0 > o/split/time/b/train.csv; echo 1 > o/split/time/b/valid.csv; : > o/split/time/b/test.csv
gzip o/raw/*.csv
g o -o o.safetensors --json
g $E --nodes author=2 -o x.safetensors
g $E --labels journal=l.txt -o x.safetensors
g $E --labels author=l.txt -o x.safetensors
g $E --edges paper:cites:paper=c.csv -o x.safetensors
g --edges author:writes=w.csv -o x.safetensors
g w.csv $E -o x.safetensors
g $E --undirected -o x.safetensors --json | grep 'edges"\|directed\|:paper\|:author'
g $E --reverse-relations --self-loops add -o x.safetensors
g $E --reverse-relations --undirected -o x.safetensors
g $E --edges paper:rev_writes:author=c.csv --undirected -o x.safetensors
g w.csv --reverse-relations -o x.safetensors
g $E --reorder degree -o x.safetensors
g $E --node-ids paper=l.txt -o x.safetensors
g $E --features f.txt -o x.safetensors
g $E --type-labels paper=l.txt -o x.safetensors
g -o x.safetensors
printf 'a,b\n3,1099511627776\n' | gzip > o/raw/num-node-dict.csv.gz
g o -o x.safetensors
printf 'a,b\n3,2\n' | gzip > o/raw/num-node-dict.csv.gz
# Equal numbers of different types are different nodes; the first line is an edge.
printf '3 2\n1 1\n2 0\n1 0\n' > f.txt
g --edges u:r:v=f.txt --self-loops remove -o x.safetensors
gnn-sample sample x.safetensors --seed-type v --seeds all --fanouts 1 -o b.tzs -q; echo "exit $?"
rm -f b.tzs x.safetensors
printf '2,1\n0,2\n' > o/raw/relations/a___r___b/edge.csv
g o -o x.safetensors
# Ids of any kind are of their type: item 7 is not user 7, and 7, 7.0 and 007 are one where all of a type are numbers.
printf 'user,item\n7,7\n8.0,x\n007,9\n' > buys.csv; printf 'item,user\nx,8\n9,7\n' > seen.csv; printf 'id,f\n8,1\n7,2\n' > u.csv
gnn-sample import --edges user:buys:item=buys.csv --edges item:seen:user=seen.csv --features user=u.csv --columns id:id --ids any -o n.safetensors
for t in nodes/user/ids nodes/user/features nodes/item/names.offsets edges/user:buys:item/neighbors edges/item:seen:user/neighbors; do
  echo "$t: $(tensor-file cat n.safetensors --tensor $t | paste -sd' ')"
done
echo 7 > seven; gnn-sample sample n.safetensors --seed-type item --seeds seven --fanouts 1 -o - -q | tensor-file cat - --tensor nodes/user/ids
printf 'x\n9\n7\n' > items
g --edges user:buys:item=buys.csv --ids any --node-ids item=items --undirected -o l.safetensors
tensor-file cat l.safetensors --tensor edges/item:rev_buys:user/neighbors | paste -sd' '
gnn-sample import --edges user:buys:item=buys.csv --features user=u.csv --ids any -o never; echo "exit $?"
printf 'id,f\n8,1\n' > few.csv
gnn-sample import --edges user:buys:item=buys.csv --features user=few.csv --columns id:id --ids any -o never; echo "exit $?"
# Some relations may lack weights, but not all.
printf 'author,paper,w\n0,1,2\n2,0,0.5\n' > ww.csv; printf 'paper,paper\n1,0\n' > cc.csv
F="--edges author:writes:paper=ww.csv --edges paper:cites:paper=cc.csv"
g $F --columns w:weight -o w.safetensors; tensor-file info w.safetensors | grep -o 'edges/.*weights'
g $F --columns 3:weight -o w.safetensors; g $F --columns v:weight -o w.safetensors
