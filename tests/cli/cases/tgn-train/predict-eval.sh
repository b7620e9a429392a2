# Scores of a stream are those that eval gives the same events, with features of pairs, too, and behind the events that trained.
tgn-train generate --scale 20 --features 2 --recurrence 0.95 -o e.safetensors -q
column() { tensor-file cat e.safetensors --tensor $1; }
column sources > s; column destinations > d; column times > t; column edge_features | tr ' \t' ',,' > f
paste -d, s d t f > all.csv
columns='1:source,2:destination,3:time,4:feature,5:feature'
small='--memory-dim 8 --time-dim 8 --new-nodes 0 --epochs 1 --learning-rate 0.01 --batch-size 20'
# check SCORES PREDICTIONS WHAT: scores of the first events behind training, of which predictions have two lines each.
check() { grep ',1,[^,]*$' $2 | awk -F, -v what="$3" 'NR == FNR { a[FNR] = $0; n = FNR; next } { split(a[FNR], x, ","); d = x[4] - $6; if (d * d > 4e-11 || x[1] != $2 || x[2] != $3 || x[3] != $4) ++bad } FNR == n { exit } END { print what, (bad || n < 100 || n != 140 ? bad " differ" : "same") }' $1 -; }
for how in '' --pair-features '--memory exact' '--memory read --pair-features' '--weights-only' '--architecture tpnet' '--architecture tpnet --weights-only' '--architecture tncn' '--architecture jodie --decoder common' '--architecture tncn --memory exact --weights-only'; do
  tgn-train train e.safetensors -q $small $how -o m --json > said; n=$(grep -m1 '"train_events"' said | tr -dc 0-9)
  head -n $n all.csv > past.csv; tail -n +$((n + 1)) all.csv | head -n 140 > rest.csv; tgn-train import past.csv --columns $columns -o past.safetensors -q
  tgn-train eval m e.safetensors --batch-size 20 --predictions p --no-baselines --ranks none -q --json > evaluated
  tgn-train predict m rest.csv --history past.safetensors -o a --json > scored; check a p "of the model '$how': $(grep -o '"memory": "[a-z]*"' scored)"
done
head -n 3 p | sed 's/,[^,]*$/,P/'; wc -l < p | tr -d ' '; grep -c '^test.*,0,' p
# The area of the predictions is the one that eval says.
python3 - <<'EOP'
import json
rows = [line.rstrip("\n").split(",") for line in open("p")][1:]
test = sorted(((float(r[5]), int(r[4])) for r in rows if r[0] == "test"))
ones = sum(label for _, label in test)
ranks, i = 0.0, 0
while i < len(test):
    j = i
    while j < len(test) and test[j][0] == test[i][0]: j += 1
    ranks += sum(label for _, label in test[i:j]) * (i + 1 + j) / 2
    i = j
auc = (ranks - ones * (ones + 1) / 2) / (ones * (len(test) - ones))
print("area", "as said" if abs(auc - json.load(open("evaluated"))["test_auc"]) < 1e-4 else auc)
EOP
# An appended day with new users, behind whom items have other numbers, keeps the memory of training.
awk 'BEGIN { srand(5); print "user_id,item_id,timestamp,state_label"; for (e = 0; e < 900; ++e) { u = int(rand() * (e < 600 ? 20 : 26)); print u "," (u * 7 + int(rand() * 3)) % 11 "," e + 100 ",0" } }' > j.csv
head -n 601 j.csv > day1.csv; head -n 801 j.csv > day2.csv; { head -n 1 j.csv; tail -n +602 j.csv; } > from2.csv; { head -n 1 j.csv; tail -n +802 j.csv; } > from3.csv
for f in day1 day2; do tgn-train import $f.csv -o $f.safetensors; done
for how in --pair-features '--memory exact'; do
  tgn-train train day1.safetensors -q $small $how -o m
  tgn-train predict m from2.csv --history day1.safetensors -o a -q; tail -n 100 a > tail
  tgn-train predict m from3.csv --history day2.safetensors -o b --json | grep '"memory"'
  tail -n +2 b | awk -F, 'NR == FNR { a[FNR] = $4; next } { d = a[FNR] - $4; if (d * d > 4e-11) ++bad } END { print FNR, (bad ? bad " differ" : "same") }' tail -
  tgn-train eval m day2.safetensors --ranks none --no-baselines --json | grep '"memory"'
done
# Another stream's memory is made anew, and said so.
sed 's/^3,/4,/' day2.csv > wrong.csv; tgn-train import wrong.csv -o wrong.safetensors -q; tgn-train predict m from3.csv --history wrong.safetensors -o b --json | grep '"memory"'
