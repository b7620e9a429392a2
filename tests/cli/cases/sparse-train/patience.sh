# With --patience the validation ends the training, and the model is the best epoch's; weights decay where told.
data=$SOURCE_DIR/examples/data/text-wordnet-lexnames
zstdcat "$data/train.csv.zst" | head -n 1500 > train.csv; zstdcat "$data/test.csv.zst" | head -n 300 > test.csv
t() { sparse-train train train.csv -q -f --architecture dense --no-search --schedule constant --calibration held-out --learning-rate 0.3 "$@"; }
t -o best --validation test.csv --epochs 40 --patience 3 --metrics m.jsonl --json > result
python3 - result m.jsonl <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
p = [json.loads(l)["validation_p_at_1"] for l in open(sys.argv[2]) if '"type":"metric"' in l and "validation_p_at_1" in l]
print("three epochs after the best:", r["epochs"] == r["best_epoch"] + 3 == len(p) < 40)
print("the best of all:", r["validation_p_at_1"] == max(p) == p[r["best_epoch"] - 1], "cut short:", r["cut_short"])
open("epochs", "w").write(str(r["best_epoch"]))
P
t -o same --epochs "$(cat epochs)"
tensor-file diff best same > /dev/null && echo 'the model of that epoch'
# A run that is stopped and goes on ends with the same; other validation data are another run.
t -o part --validation test.csv --epochs 40 --patience 3 --checkpoint c --time-budget 0.00001 -q 2> /dev/null
t -o resumed --validation train.csv --epochs 40 --patience 3 --checkpoint c --resume 2> refused
echo "status $?"; sed 's/, hash [0-9a-f]*//g' refused
t -o resumed --validation test.csv --epochs 40 --patience 3 --checkpoint c --resume
tensor-file diff best resumed > /dev/null && echo 'resumed to the same model'
t -o resumed --epochs 4 --patience 3
echo "status $?"
t -o plain --epochs 3; t -o decayed --epochs 3 --weight-decay 0.01; t -o again --epochs 3 --weight-decay 0.01
tensor-file diff plain decayed > /dev/null || echo 'decays'
tensor-file diff decayed again > /dev/null && echo 'decays alike'
t -o decayed --weight-decay -1
sparse-train train train.csv -q -f -o decayed --weight-decay 0.1 --architecture tree
# The search's own trial, which trained all epochs, is not what probabilities of an earlier epoch are fitted on.
head -n 1000 train.csv > few.csv
s() { sparse-train train few.csv -q -f --architecture dense --word-ngrams 1 --char-ngrams none --schedule constant --calibration held-out --learning-rate 0.3 "$@"; }
s -o best --validation test.csv --epochs 30 --patience 2 --json > result
field() { python3 -c 'import functools, json, sys; print(functools.reduce(lambda tree, key: tree[key], sys.argv[1:], json.load(open("result"))))' "$@"; }
s -o same --no-search --min-count "$(field search chosen min-count)" --epochs "$(field best_epoch)"
tensor-file diff best same > /dev/null && echo 'the probabilities of that epoch'
