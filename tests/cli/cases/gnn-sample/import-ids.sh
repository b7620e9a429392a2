# Rows of files of nodes in any order find their nodes by a column of ids; what is not said is no guess.
printf 'src,dst\n0,1\n0,2\n2,3\n3,4\n4,5\n' > e.csv
printf '4,b\n2,a\n0,a\n5,a\n3,c\n1,b\n' > rows
{ echo node,kind; cat rows; } > labels.csv
printf 'f1,id,f2\n0.5,3,1\n1.5,0,2\n0.25,1,3\n4,2,4\n5,5,5\n6,4,6\n' > features.csv
printf 'id,split\n5,test\n0,train\n3,valid\n' > split.csv
g() { gnn-sample import "$@" -o g.safetensors; echo "exit $?"; }
g e.csv --features features.csv --labels labels.csv --columns kind:label,id:id
g e.csv --features features.csv --labels labels.csv --columns id:id,node:id
g e.csv --features features.csv --split split.csv --columns id:id --json | sed -n '/joined/,$p'
tensor-file cat g.safetensors --tensor features; tensor-file cat g.safetensors --tensor split
g e.csv --labels labels.csv --columns node:id
tensor-file cat g.safetensors --tensor labels
# A column that looks like ids and is not read is an error, unless somebody says that it is none.
g e.csv --labels labels.csv --columns kind:label
g e.csv --labels labels.csv --columns kind:label,none:id
g e.csv --features features.csv
g e.csv --features features.csv --columns none:id -q
g e.csv --split split.csv
g e.csv --labels rows --columns 2:label
g e.csv --labels rows --columns 1:id -q; tensor-file cat g.safetensors --tensor labels | paste -sd' '
printf '3 0:1\n0 0:2\n1 0:3\n2 0:4\n5 0:5\n4 0:6\n' > f.libsvm
g e.csv --features f.libsvm
g e.csv --features f.libsvm --columns 1:id -q; tensor-file cat g.safetensors --tensor features | paste -sd' '
printf '3,0.5\n0,1\n1,2\n2,2\n5,3\n4,4\n' > numbers.csv
g e.csv --features numbers.csv
# Names: the file of nodes numbers them, and edges name no others.
printf 'n3,n0\nn0,"n 1"\n' > names.csv
printf 'name,x\nn0,1\n"n 1",2\nn3,3\n' > x.csv
printf 'name,label\nn3,5\nn0,4\n' > y.csv
g names.csv --ids any --features x.csv --labels y.csv --columns name:id
tensor-file cat g.safetensors --tensor features | paste -sd' '; tensor-file cat g.safetensors --tensor labels | paste -sd' '
tensor-file cat g.safetensors --tensor neighbors | paste -sd' '
printf 'n3,n9\n' > other.csv
g other.csv --ids any --features x.csv --columns name:id
g other.csv --ids any --labels y.csv --columns name:id
g names.csv --ids any --features x.csv --labels rows --columns 2:label,name:id
printf 'n0\nn3\nn 1\n' > list.txt
g names.csv --ids any --node-ids list.txt --features x.csv --columns name:id -q
tensor-file cat g.safetensors --tensor features | paste -sd' '
printf 'n0,1\nn7,2\n' > unknown.csv
g names.csv --ids any --node-ids list.txt --labels unknown.csv --columns 1:id
# What does not fit is said with the file that it stands in.
printf 'id,label\n0,1\n2,1\n0,2\n' > twice.csv
g e.csv --labels twice.csv --columns id:id
printf 'id,label\n0,1\n9,1\n' > beyond.csv
g e.csv --labels beyond.csv --columns id:id --nodes 6
g e.csv --features features.csv --labels beyond.csv --columns id:id
g e.csv --labels beyond.csv --columns id:id
printf 'id,f\n0,1\n1000000,2\n' > gaps.csv
g e.csv --features gaps.csv --columns id:id
printf 'id,label\nx,1\n' > word.csv
g e.csv --labels word.csv --columns id:id
printf 'id,a,b\n1,0,1\n' > matrix.csv
g e.csv --labels matrix.csv --columns id:id
g e.csv --labels labels.csv --columns nid:id
g e.csv --columns id:id
# Edges are not the only ones that may be dropped in silence.
printf 'src,dst,w,t\n0,1,0.5,7\n' > w.csv
g w.csv
g w.csv --columns w:weight
g w.csv --columns none:weight
printf '0\n5\n1000000\n' > wide.txt
g w.csv --labels wide.txt --nodes 3 --columns none:weight
printf '0 1\n3 5000000\n' > sparse.txt
g sparse.txt
printf '0 1\n3 4000000000\n' > wide.csv
g wide.csv
g wide.csv --ids any
mkdir -p ogb/raw; printf '0,1\n' > ogb/raw/edge.csv; printf '0.5\n' | gzip > ogb/raw/edge-feat.csv.gz
g ogb
# Types of nodes take ids, too.
printf '0,0\n1,1\n2,1\n' > writes.csv; printf 'id,label\n2,1\n0,0\n1,1\n' > t.csv
g --edges a:writes:p=writes.csv --labels a=t.csv --columns id:id
tensor-file cat g.safetensors --tensor nodes/a/labels | paste -sd' '
g --edges a:writes:p=writes.csv --labels a=t.csv
g --edges a:writes:p=writes.csv --nodes a=2
printf '1\n' > one.txt
g --edges a:writes:p=writes.csv --features p=one.txt
# A column by its number makes no header of a line that begins with that number.
printf '2,1\n3,1\n' > by-number.csv
g by-number.csv --ids any --columns 2:source,1:target
