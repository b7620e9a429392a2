# Methods and sizes side by side; a method that cannot be so small says so.
robe-compress generate --shape small --samples 2000 -o d.tsv -q
s() { robe-compress sweep d.tsv --dim 4 --bottom 8 --top 8 --batch-size 64 "$@"; echo "exit $?"; }
s -q
s --held-out every:4 --method robe,qr,full --compression 2,500 --seeds 2 -o t.csv --report r.html 2>/dev/null | sed 's/AUC.*//; s/ *[0-9.]* M rows/ M rows/'
cut -d, -f1-2,4,8,11- t.csv | sed 's/,0[.][0-9]*,/,AUC,/'
s --held-out every:4 --method robe,full --storage f32,int4 --compression 20 --epochs 1 -q -o t.csv; cut -d, -f1-3,11 t.csv
grep -c 'Accuracy against size<.h3>' r.html
robe-compress generate --shape small --samples 500 --from 5000 -o e.tsv -q
auc() { sed -nE 's/^ *"(test_)?auc": ([0-9.]*).*/\2/p'; }
s --test e.tsv --method robe --compression 2 --json -q > tested; grep '"evaluated_on"' tested
robe-compress train d.tsv -o m --dim 4 --bottom 8 --top 8 --batch-size 64 --compression 2 -q
[ "$(auc < tested)" = "$(robe-compress eval m e.tsv --json | auc)" ] && echo 'graded on the test samples'
awk -F'[:,]' '/"lookups_per_second"/ { print ($2 > 1e5 && $2 < 1e10 ? "a speed" : $2) }' tested
# Finished runs are kept in a file: the sweep goes on behind them, also behind a line that a kill has cut.
runs() { s --test e.tsv --method robe,full --compression 20 --seeds 2 --epochs 1 --runs runs.jsonl -q --json "$@" | grep -v per_second; }
runs > once; wc -l < runs.jsonl; cp runs.jsonl whole
runs > again; cmp once again; cmp whole runs.jsonl && echo 'nothing was trained again'
head -c -9 whole > runs.jsonl; runs > again; cmp once again; cut -d, -f1-4 runs.jsonl
for wrong in 's/"bytes":/"byte":/' 's/"storage":[0-9.][0-9.]*/"storage":7/' 's/"bytes":[0-9.]*/"bytes":1e300/' 's/"auc":[0-9.]*/"auc":-1/'; do
  sed "$wrong" whole > runs.jsonl; runs
done
cp whole runs.jsonl; head -n 200 e.tsv > f.tsv; mv f.tsv e.tsv; runs > /dev/null; wc -l < runs.jsonl
printf 'words\n' > words; s --held-out every:4 --runs words -q
s --held-out every:4 --runs - -q; s --held-out every:4 --runs d.tsv -q
