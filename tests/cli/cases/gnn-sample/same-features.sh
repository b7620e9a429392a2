# A model takes only features and classes that mean the same as in training.
awk 'BEGIN { for (v = 0; v < 60; ++v) print v, (v + 1) % 60 }' > edges
awk 'BEGIN { print "income,noise" > "a.csv"; print "noise,income" > "b.csv"
  for (v = 0; v < 60; ++v) { x = v % 7; y = v % 5 * 30; print x "," y > "a.csv"; print y "," x > "b.csv"; print v % 2 > "labels" } }'
import() { gnn-sample import edges -q --labels labels "$@"; }
train() { gnn-sample train "$1.safetensors" -o "$1.model" -q --hidden 4 --epochs 2 --fanouts 2; }
check() { gnn-sample eval "$1.model" "$2.safetensors" -q; echo "$1 on $2: exit $?"; }
# Columns have names, which --features-like looks up.
import --features a.csv -o a.safetensors; train a
import --features b.csv -o b.safetensors; check a b
import --features b.csv --features-like a.safetensors -o same.safetensors; check a same
gnn-sample predict a.model b.safetensors -o p.csv -q; echo "exit $?"; gnn-sample predict a.model same.safetensors -o p.csv -q; gnn-sample predict a.model a.safetensors -o q.csv -q; cmp p.csv q.csv; echo "exit $?"
printf 'income,noise\n1,\n' > gap.csv; gnn-sample import edges --features gap.csv --features-like a.model -o e.safetensors; echo "exit $?"
# Arrays and tables without names go with any.
sed 1d a.csv > plain.csv; import --features plain.csv -o plain.safetensors; train plain; check a plain; check plain b
# Scales are those of the model.
import --features a.csv --columns '*:number' -o scaled.safetensors; train scaled
import --features a.csv --normalize-features standardize -o standard.safetensors; train standard
import --features plain.csv --normalize-features row -o row.safetensors; train row
for model in a scaled standard row plain; do for graph in a scaled standard row plain; do check $model $graph; done; done
import --features b.csv --features-like standard.model -o like.safetensors; check standard like
# Classes are compared by their names, which may be numbers, and are the names of several columns.
awk 'BEGIN { for (v = 0; v < 60; ++v) print v % 2 + 1 }' > labels; import --features a.csv -o from1.safetensors; train from1; check from1 a; check a from1
awk 'BEGIN { print "id,sports,news" > "ab.csv"; print "id,news,sports" > "ba.csv"; for (v = 0; v < 60; ++v) { print v "," v % 2 "," v % 3 % 2 > "ab.csv"; print v "," v % 3 % 2 "," v % 2 > "ba.csv" } }'
for order in ab ba; do gnn-sample import edges -q --features a.csv --labels $order.csv --columns id:id -o $order.safetensors; done
train ab; check ab ba; check ab ab; gnn-sample predict ab.model ab.safetensors -o p.csv -q; head -1 p.csv
# Numbers that are not finite or not decimal, and days that do not exist, are errors; words are not.
for odd in inf 0x10 1e999; do printf 'x,z\n1,2\n3,%s\n5,6\n7,8\n' $odd > odd.csv; gnn-sample import edges --features odd.csv -o e.safetensors; echo "exit $?"; done
printf 'x,z\n1,2023-01-05\n3,2023-02-30\n5,2023-01-05\n7,\n' > odd.csv; gnn-sample import edges --features odd.csv -o e.safetensors; echo "exit $?"
head -4 edges > four; sed -i 's/ 4/ 0/' four
printf 'x,z\n1,2\n3,inf x\n5,6\n7,8\n' > odd.csv; gnn-sample import four --features odd.csv --word-features 4 -o e.safetensors -q --json | grep -A 3 feature_columns
# Smaller numbers than floats are 0. Dates may be numbers.
printf 'x,z\n1,1e-50\n3,-1e-400\n5,6\n7,8\n' > odd.csv; gnn-sample import four --features odd.csv -o e.safetensors -q; echo "exit $?"
printf 'x,day\n1,20240229\n3,1709211959\n5,2024-02-29\n7,\n' > odd.csv; gnn-sample import four --features odd.csv --columns day:date -o e.safetensors -q; echo "exit $?"
# Rows of nodes may have line ends in quotes, and begin with #.
printf 'id,text,label,part\n0,"a\nb",x,train\n1,c,y,test\n2,d,x,valid\n3,e,y,train\n' > l.csv
gnn-sample import four --labels l.csv --split l.csv --columns id:id,label:label,part:split -o e.safetensors; echo "exit $?"
printf 'id,text,x\n0,"a\nb",1\n1,c,2\n2,d,3\n3,e,4\n' > f.csv; gnn-sample import four --features f.csv --columns id:id,text:ignore -o e.safetensors; echo "exit $?"
printf 'a,#b\n#b,c\n' | sed 's/^#b,c/c,#b/' > tags; printf 'id,lab\na,x\n#b,y\nc,x\n' > l.csv; gnn-sample import tags --header no --ids any --labels l.csv --columns id:id,lab:label --split none -o e.safetensors
# Equal numbers are one id, also beside negative and large ones.
printf '1.0,1\n7,007\n-1,7\n-1.0,99999999999999999999\n' | gnn-sample import - --ids any -o e.safetensors
# First lines that say something else than an edge.
printf '3 2\n0 1\n1 2\n' | gnn-sample import - --ids any -o e.safetensors
printf '%% bip unweighted\n1 1\n2 1\n' | gnn-sample import - -o e.safetensors
printf '%% sym unweighted\n1 2\n2 3\n' | gnn-sample import - -o e.safetensors
printf '%% sym unweighted\n1 2\n2 3\n' | gnn-sample import - --undirected -o e.safetensors
# Texts of an array are names of classes, of any width.
for width in 1 2; do python3 - $width <<X > l.npy
import sys; w = int(sys.argv[1]); h = "{'descr': '|S%d', 'fortran_order': False, 'shape': (4,), }" % w
h += " " * (53 + 64 - len(h) % 64) ; h = h[:len(h) // 64 * 64 + 53] + "\n"
sys.stdout.buffer.write(b"\x93NUMPY\x01\x00" + len(h).to_bytes(2, "little") + h.encode() + b"".join(x[:w].ljust(w, b"\0") for x in [b"ab", b"b", b"ab", b"b"]))
X
gnn-sample import four --labels l.npy --split none -o e.safetensors -q; tensor-file info e.safetensors | grep -A 1 class_names; gnn-sample import four --features l.npy -o e.safetensors; echo "exit $?"; done
# A type of nodes has its own rule of --split.
printf 'x\ny\nx\ny\n' > labels4; for rule in 0.5,0.25,0.25 none; do gnn-sample import --edges a:to:b=four --nodes a=4 --labels b=labels4 --split b=$rule -o e.safetensors; tensor-file info e.safetensors | grep -c split; done
# Several columns of labels need no ids.
printf 'sports,news\n0,1\n1,1\n0,0\n1,0\n' > marks.csv; gnn-sample import four --labels marks.csv --split none -o e.safetensors; tensor-file info e.safetensors | grep class_names
