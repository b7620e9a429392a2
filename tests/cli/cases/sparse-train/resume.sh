# A checkpoint serves the same run only.
for i in 1 2 3 4 5 6 7 8 9; do printf 'a,one two w%s\nb,two three w%s\n' $i $i; done > d.csv
t() { sparse-train train d.csv -o m -q --checkpoint c --checkpoint-every 0s "$@"; echo "exit $?"; }
t; t --resume
t --resume --hidden 7 2>&1 | sed 's/(.*)/(...)/'
for precision in f32 bf16; do t --resume --precision $precision 2>&1 | sed 's/(.*)/(...)/'; done
t --resume --seed 9 2>&1 | sed 's/(.*)/(...)/'
cp d.csv saved; echo 'a,four' >> d.csv; t --resume 2>&1 | sed 's/hash [0-9a-f]*/hash/g'
cp saved d.csv; cp m c; t --resume
rm c c.prev; t --resume 2>&1; t --time-budget 1ms
