# What is wrong with the input is said with file and line, and no output appears.
printf 'src,dst\n0,1\n1,x\n' > bad.csv
printf 'src,dst\n0,1\n1,2\n' > e.csv
printf '1 2\n3 4\n' > f.txt
printf '1,2\n3,nan\n5,6\n' > nan.csv
printf '0\n1\n1\n' > l.txt
printf 'train\nvalid\nttest\n' > s.txt
mkdir empty
t() { gnn-sample import "$@" -o g.safetensors; echo "exit $?"; }
t bad.csv
t nowhere.csv
t empty
t e.csv --nodes 2
t e.csv --features f.txt
t e.csv --features nan.csv
t e.csv --labels l.txt --nodes 4
t e.csv --labels l.txt --columns class:label
t e.csv --split s.txt
t e.csv --split 2,2,2
t e.csv --split 0.9,0.2,0.2
t e.csv --split 2-per-class,0,0 --labels l.txt
t e.csv --split 3-per-class,0.5,0.5 --labels l.txt
t e.csv --columns 3:weight
t e.csv --format mtx
t e.csv --format npz
t e.csv --ids any --labels l.txt
t e.csv --node-ids l.txt
t e.csv --ids any --node-ids l.txt
t e.csv --reorder random
printf '0 1\n1 0\n' > both.txt
t both.txt --undirected -q
printf '1,2\n3,4\n' > two.csv; t e.csv --features two.csv
t e.csv --duplicates twice
for useless in "--feature-type bf16" "--normalize-features row" "--features two.csv --index-base 1"; do
  # shellcheck disable=SC2086
  t e.csv $useless
done
for useless in "--num-splits 2" "--columns a:split" "--split-name time" "--columns a:label" "--columns a:colour" "--id-column a" "--nodes a=3"; do
  # shellcheck disable=SC2086
  t e.csv $useless
done
t - --features - < e.csv
t --edges a:r:b=- --features a=- < e.csv
mkdir -p ogb/raw ogb/split/time; cp e.csv ogb/raw/edge.csv; sed -i 1d ogb/raw/edge.csv
echo 0 > ogb/split/time/train.csv
t ogb
: | t - --format numpy
: | t - --format edges
rm g.safetensors
gnn-sample import e.csv -o e.csv; echo "exit $?"
gnn-sample import e.csv -o nowhere/g; echo "exit $?"
gnn-sample import e.csv; echo "exit $?"
gnn-sample sample e.csv -o b.tzs; echo "exit $?"
ls
