# Nodes and classes are asked for and answered as the input of import calls them, never by numbers that it has not.
printf 'src,dst\nann,bob\nbob,cy\ncy,"dan, jr"\n"dan, jr",ann\ncy,ann\neve,bob\n' > e.csv
printf 'id,a,b\n"dan, jr",1,0\nann,0,1\neve,1,1\nbob,0,2\ncy,2,0\n' > x.csv
printf 'id,kind\n"dan, jr",dog\nann,cat\neve,dog\nbob,cat\ncy,dog\n' > y.csv
printf 'id,part\n"dan, jr",train\nann,train\neve,valid\nbob,test\ncy,test\n' > s.csv
gnn-sample import e.csv --ids any --undirected --edge-ids --features x.csv --labels y.csv --split s.csv \
  --columns id:id,kind:label,part:split -o g.safetensors -q
gnn-sample train g.safetensors --fanouts 2,2 --hidden 4 --epochs 3 -o m -q
text() { tensor-file cat "$1" --tensor "$2" | awk '{ printf "%c", $1 }'; echo; }
p() { gnn-sample predict m g.safetensors -o p -f -q "$@"; echo "exit $?"; }
p --probabilities; tensor-file info p | grep -v 'history\|stored'; text p names
printf 'bob\n"dan, jr"\n' > asked; p --nodes asked; text p names; tensor-file cat p --tensor names.offsets | paste -sd' '
gnn-sample predict m g.safetensors --nodes asked -o p.csv -q; cat p.csv
gnn-sample predict m g.safetensors --nodes asked --probabilities -o p.csv -f -q; head -n 1 p.csv
echo 0 | p --nodes -
gnn-sample sample g.safetensors --seeds asked --fanouts 1 --no-shuffle --level none -o b -q; tensor-file info b | grep names
gnn-sample sample g.safetensors --seeds asked --fanouts 1 --no-names -o - -q | tensor-file info - | grep -c names
gnn-sample sample g.safetensors --seeds asked --walks 9 --walks-per-node 3 --pinsage 2 -o - -q | tensor-file info - | grep names
printf 'ann,cy\nbob,"dan, jr"\n' > links; printf 'ann\tdan, jr\ncy\tcy\n' > tabs; printf 'ann cy\n' > blanks; printf 'ann,dan\n' > wrong
for f in links tabs blanks wrong; do
  gnn-sample sample g.safetensors --edges $f --fanouts 1 --no-shuffle --level none -o b -f -q; echo "$f: exit $?"
done
printf 'target,source\ncy,ann\n' > named; printf 'name\nbob\n' > headed
gnn-sample sample g.safetensors --edges named --fanouts 1 --no-shuffle -o - -q | tensor-file cat - --tensor seeds | paste -sd' '
gnn-sample sample g.safetensors --edges links --fanouts 1 --batches 1 --batch-size 1 --no-shuffle -o - -q | tensor-file cat - --tensor nodes | paste -sd' '
gnn-sample sample g.safetensors --edges named --fanouts 1 --no-shuffle -o - -q | tensor-file cat - --tensor nodes | paste -sd' '
gnn-sample predict m g.safetensors --nodes headed -o p.csv -f -q; cat p.csv
# Classes of a graph whose names are others are not compared by their numbers.
sed 's/dog/ant/' y.csv > other.csv
gnn-sample import e.csv --ids any --undirected --features x.csv --labels other.csv --columns id:id,kind:label -o o.safetensors -q
gnn-sample eval m o.safetensors; echo "exit $?"
# Numbers that are not 0, 1, 2 ... are the input's, too.
printf '70,30\n30,50\n50,10\n10,70\n' > d.csv; printf '30,0,1\n70,1,0\n10,1,1\n50,0,0\n' > dx.csv; printf '70,1\n30,0\n50,1\n10,0\n' > dy.csv
gnn-sample import d.csv --ids any --undirected --features dx.csv --labels dy.csv --columns 1:id,2:label --split 0.5,0.25,0.25 -o g.safetensors -f -q
gnn-sample train g.safetensors --fanouts 2,2 --hidden 4 --epochs 3 -o m -f -q
echo 50 | p --nodes -; tensor-file cat p --tensor ids
echo 2 | p --nodes -
printf '70 10\n50,30\n' > links; gnn-sample sample g.safetensors --edges links --fanouts 1 --no-shuffle -o - -q | tensor-file cat - --tensor ids | paste -sd' '
