# Features that robe-compress made small: rows are, bit for bit, those that the array stands for.
awk 'BEGIN { for (i = 0; i < 400; ++i) for (k = 1; k <= 3; ++k) print i "," (i + 8 * k) % 400 }' > e.csv
awk 'BEGIN { for (i = 0; i < 400; ++i) for (j = 0; j < 16; ++j)
  printf "%.4f%s", sin(37 * i + 5 * j) / 2 + (j % 8 == i % 8), j < 15 ? "," : "\n" }' > f.csv
awk 'BEGIN { for (i = 0; i < 400; ++i) print i % 8 }' > labels.txt
g() { gnn-sample import e.csv --undirected --labels labels.txt --split 0.5,0.25,0.25 -q "$@"; }
g --features f.csv -o full.safetensors
while read -r name options; do
  robe-compress compress full.safetensors --select features -o $name.safetensors -q $options
  robe-compress expand $name.safetensors -o rows.npy -q
  g --features rows.npy -o d.$name.safetensors
  g --features $name.safetensors -o a.$name.safetensors
  for kind in d a; do
    gnn-sample sample $kind.$name.safetensors --fanouts 4,3 --batch-size 64 -o $kind.batches -q
    gnn-sample sample $kind.$name.safetensors --walks 20 --pinsage 5 --batch-size 64 -o $kind.walks -q
  done
  for stream in batches walks; do tensor-file diff d.$stream a.$stream && echo the same $stream with $name; done
done <<'OPTIONS'
golden --method robe --compression 3
paper --method robe --compression 3 --hash paper --block 4
bytes --method robe --compression 3 --storage int8 --block 8
int4 --method int4
OPTIONS
gnn-sample import e.csv --features golden.safetensors -o a.graph; gnn-sample sample a.graph --seeds all --fanouts 2 -q -o - | tensor-file info - | grep -m 1 features
tensor-file info a.golden.safetensors | grep 'embedding\|features' | grep -v history
robe-compress expand a.golden.safetensors -o again.npy -q; robe-compress expand golden.safetensors -o rows.npy -q
cmp rows.npy again.npy && echo robe-compress reads the graph

# Training and inference see the same numbers, in memory and mapped.
t() { gnn-sample train --fanouts 4,3 --hidden 16 --batch-size 64 --learning-rate 0.02 --epochs 6 -q "$@"; }
for model in sage sage-ri gat; do
  t d.golden.safetensors --architecture $model -o d.model --json > said
  t a.golden.safetensors --architecture $model -o a.model --threads 1
  t a.golden.safetensors --architecture $model -o m.model --residence mapped
  awk -v model=$model '/"test_accuracy"/ { print model, ($2 + 0 > 0.5 ? "learns" : "does not learn: " $2) }' said
  tensor-file diff d.model a.model && tensor-file diff d.model m.model && echo the same model
  for kind in d a; do
    gnn-sample predict d.model $kind.golden.safetensors -o $kind.said --probabilities -q
  done
  tensor-file diff d.said a.said && echo the same predictions
done

# What does not fit.
i() { gnn-sample import e.csv "$@" -o x.safetensors -q; echo "exit $?"; }
i --features golden.safetensors --reorder degree
i --features golden.safetensors --feature-type bf16
i --features golden.safetensors --normalize-features row
awk 'BEGIN { for (i = 0; i < 400; ++i) print i "," i }; END { print "0,400" }' e.csv > wide.csv
gnn-sample import wide.csv --features golden.safetensors -o x.safetensors; echo "exit $?"
gnn-sample import --edges a:to:a=e.csv --features a=golden.safetensors -o x.safetensors; echo "exit $?"
python3 "$SOURCE_DIR/tests/support/make_tables.py" tables.safetensors 16 user:400 item:300
robe-compress compress tables.safetensors -o two.safetensors --compression 20 -q
i --features two.safetensors
b() { python3 -c 'import sys; f, a, b = sys.argv[1:]; x = open(f, "rb").read(); sys.stdout.buffer.write(x.replace(a.encode(), b.encode()))' \
  a.golden.safetensors "$@" > bad.safetensors; gnn-sample sample bad.safetensors --fanouts 2 -o x -q; echo "exit $?"; }
b 'rows\":400' 'rows\":401'
b '"embedding.dim":"16"' '"embedding.dim":"15"'
b '"embedding.hash":"golden"' '"embedding.hash":"gilded"'
b embedding.array embedding.arena
