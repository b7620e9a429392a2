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
# The settings of text that were chosen are in the checkpoint: who goes on has them without a search, whatever the time.
awk 'BEGIN { for (i = 0; i < 60; ++i) printf "l%d,w%d u%d\n", i % 3, i % 3, i }' > t.csv
t() { sparse-train train t.csv -o m --checkpoint s --checkpoint-every 0s "$@" > out 2>&1; echo "exit $?"; grep -e searched out; grep -q tried out && echo tried; :; }
t; cp m first; t --resume; tensor-file diff first m && echo same
cp s s.prev; head -c 100 s.prev > s; t --resume; tensor-file diff first m && echo same
rm -f s s.prev; t --time-budget 1ms; t --resume --time-budget 1h
# So are the trainings that a killed search had finished.
awk 'BEGIN { x = 7; for (i = 0; i < 1500; ++i) { printf "l%d,", i % 9; for (j = 0; j < 30; ++j) { x = x * 16807 % 2147483647; printf "w%d ", x % 3 ? x % 4000 : i % 9 * 100 + x % 100 } print "" } }' > k.csv
sparse-train train k.csv -o whole -q
sparse-train train k.csv -o m -f -q --checkpoint k --checkpoint-every 0s & p=$!
until [ -f k ]; do sleep 0.01; done; kill -KILL $p; wait $p 2>/dev/null
sparse-train train k.csv -o m -f --checkpoint k --resume 2>&1 | grep -c 'going on with .* of the search'; tensor-file diff whole m && echo same
