# Node affinity: a stream of events by periods, a file of node labels as it is, and what is wrong with others.
awk 'BEGIN { x = 7; print "source,destination,time"; for (t = 0; t < 600; ++t) for (n = 0; n < 20; ++n) {
  x = x * 16807 % 2147483647; if (x % 3 == 0) continue; k = x % 10; c = k < 6 ? (n * 2 + x % 7 % 3) % 14 : k < 9 ? int(t / 100) * 4 % 15 : x % 15
  print "user" n "," "song" c "," t } }' > events.csv
tgn-train import events.csv --ids any --bipartite yes -o e.safetensors -q
t() { tgn-train train-affinity "$@"; echo "exit $?"; }
t e.safetensors --every 10 -o mix.safetensors --json > said; t e.safetensors --every 10 -o mix.safetensors -q
t e.safetensors --every 10 --threads 1 -o again.safetensors -q; tensor-file diff mix.safetensors again.safetensors && echo same
python3 - <<'EOP'
import json
said = json.loads(open("said").read().rpartition("}")[0] + "}")
best = max(average["validation_ndcg"] for average in said["averages"].values())
print(said["predictor"], said["validation_ndcg"] > best == said["averages"][said["average"]]["validation_ndcg"], len(said["averages"]))
print("better than the best average:", said["test_ndcg"] > said["averages"][said["average"]]["test_ndcg"])
print("shares sum to 1:", round(sum(said["shares"].values()), 5))
EOP
tgn-train eval-affinity mix.safetensors e.safetensors --forecasts f.safetensors --json > tested
for key in test_ndcg test_ndcg_all test_ndcg_by_time validation_ndcg; do [ "$(grep "^  \"$key\"" said | tr -d ,)" = "$(grep "^  \"$key\"" tested | tr -d ,)" ] && echo "$key: same"; done
tensor-file info f.safetensors | grep 'scores\|weights\|nodes\|times'
tgn-train predict-affinity mix.safetensors e.safetensors --top-k 2 -o next.csv; head -1 next.csv; wc -l < next.csv; cut -d, -f1 next.csv | tail -1
t e.safetensors --every 10 --mix none -o plain.model | tail -2 | sed 's/[0-9]*\.[0-9]*/./g'
# Labels by year, user and class with weights; each year is a period, and the times of the parts are given.
awk -F, 'BEGIN { print "year,nation,partner,weight" } NR > 1 { w[int($3 / 30) "," $1 "," $2]++ } END { for (k in w) print k "," w[k] / 4 }' events.csv |
  sort -t, -k1,1n -k2 > labels.csv
tgn-train import labels.csv --ids any --bipartite yes --columns year:time,nation:source,partner:destination,weight:feature -o l.safetensors
t l.safetensors -o labels.model --valid-from 14 --test-from 17 | sed -n '1p'
t l.safetensors -o other.model --valid-from 14 --test-from 17 --weight none --json | grep '"vectors"\|training_vectors'
for wrong in '--every 1000' '--weight song' '--mix none --epochs 3' '--valid-from 560' '--every 1e-300'; do
  echo "-- $wrong"; t e.safetensors -o wrong.model $wrong -q
done
echo "-- --valid-from 12 --test-from 8"; t l.safetensors -o wrong.model --valid-from 12 --test-from 8 -q
# A model has its options: other streams need the same feature, and vectors in each of its parts.
tgn-train eval-affinity labels.model e.safetensors; tgn-train predict-affinity labels.model e.safetensors
tgn-train eval-affinity other.model e.safetensors | sed 's/0\.[0-9]*/./g'; head -100 events.csv > few.csv
tgn-train import few.csv --ids any --bipartite yes -o few.safetensors -q; tgn-train eval-affinity other.model few.safetensors
# Each event has a time of its own, and each node one vector.
awk 'BEGIN { print "source,destination,time"; for (i = 0; i < 40; ++i) print i "," i % 5 "," i * i }' > once.csv
tgn-train import once.csv --bipartite yes -o once.safetensors -q; t once.safetensors -o once.model --json 2>&1 | grep 'warning\|^  "validation_known\|^  "[a-z]*_ndcg"\|^exit'
tgn-train eval mix.safetensors e.safetensors; tgn-train generate --scale 20 -o g.safetensors -q
tgn-train train g.safetensors --memory-dim 4 --time-dim 4 --steps 2 -o links.model -q; tgn-train eval-affinity links.model g.safetensors
sed 's/"affinity.part_3":"ema_/"affinity.part_3":"emu_/' mix.safetensors > bad.safetensors; tgn-train eval-affinity bad.safetensors e.safetensors 2>&1 | sed 's/emu_0[.0-9]*/emu_./'
ls wrong.model 2>&1
