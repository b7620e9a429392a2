# Several labels an example: thresholds that training fits on held-out examples, and probabilities.
# A frequent label, and ten that are rare and hard to tell.
awk 'BEGIN { srand(3); print "label,text"; for (i = 0; i < 1500; i++) { k = i % 10; rare = rand() < 0.3
  printf "%s%s,w%d common%d %s\n", rand() < 0.8 ? "often" : "seldom", rare ? ";rare" k : "", k, int(9 * rand()), rare ? (rand() < 0.7 ? "hint" k : "") : (rand() < 0.1 ? "hint" k : "") } }' > all.csv
{ head -n 1 all.csv; sed 1d all.csv | awk 'NR % 3' ; } > train.csv; { head -n 1 all.csv; sed 1d all.csv | awk 'NR % 3 == 0'; } > test.csv
t() { sparse-train train train.csv --label-separator ';' -q --architecture tree --no-search "$@"; }
t -o m; t -o plain --calibration none
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
zstdcat "$xmc/train.txt.zst" | head -n 4001 | sed '1s/^[0-9]*/4000/' > train.txt; zstdcat "$xmc/test.txt.zst" | head -n 501 | sed '1s/^[0-9]*/500/' > test.txt
x() { sparse-train train train.txt --architecture tree --trees 1 -q "$@"; }
x -o xm --json > out.json; x -o xplain --calibration none
sparse-train train train.txt --architecture tree --trees 1 -o same | sed -n 's/^thresholds of labels, \([0-9.]*\) % of the way.*/\1/p' | awk '{ print ($1 <= 100 ? "a share" : $1) }'
python3 -c 'import json; d = json.load(open("out.json"))["calibration"]; print(sorted(d))
print(d["micro_f1"] > d["micro_f1_before"], d["macro_f1"] > d["macro_f1_before"], d["calibration_error"] < d["calibration_error_before"])'
e() { sparse-train eval "$@" --json > e.json; python3 -c 'import json; d = json.load(open("e.json")); open("figures", "a").write(json.dumps(d) + "\n"); print(d["f1_by"])'; }
e xm test.txt; e xm test.txt --thresholds global; e xm test.txt --thresholds first; e xplain test.txt; e xplain test.txt --threshold 0.5
python3 -c 'import json
labels, one, first, plain, half = [json.loads(line) for line in open("figures")]
print(labels["macro_f1"] > 2 * half["macro_f1"], labels["micro_f1"] > half["micro_f1"] + 0.02, labels["micro_f1"] > one["micro_f1"] - 0.006, labels["macro_f1"] > one["macro_f1"] + 0.02)
print(first["micro_f1"] == plain["micro_f1"] < 0.3, labels["calibration_error"] < plain["calibration_error"], labels["p_at_1"] == plain["p_at_1"])'
# With few held-out examples, too, more than a half for all gives.
micro() { sparse-train eval "$@" test.csv --json | grep '"micro_f1"' | tr -cd 0-9.; }
echo "$(micro m) $(micro plain --threshold 0.5)" | awk '{ print ($1 > $2) }'
sparse-train eval m test.csv | sed 's/[0-9.]* %/x %/g'; sparse-train eval plain test.csv --thresholds labels; echo "exit $?"
# As many labels as reach their thresholds; --top-k bounds them; none at all is an empty line.
sparse-train predict m test.csv --thresholds labels --no-scores | awk '{ n[NF]++ } END { print (n[1] > 0 && n[2] > 0 && n[9] == 0) }'
sparse-train predict m test.csv --thresholds global --no-scores --top-k 1 | awk '{ n[NF]++ } END { print (n[2] == 0) }'
sparse-train predict m test.csv | awk '{ n[NF]++ } END { print length(n), n[1] }'
sparse-train predict plain test.csv --thresholds labels; echo "exit $?"
# Reading and writing again keeps them; so does going on, where a new label takes the threshold of all.
sparse-train export m --int8 -o s; e s test.csv
printf 'label,text\nnew;often,w1 fresh\nnew,fresh w2\nnew;often,fresh w3\n' > new.csv; sparse-train train new.csv --init m -q -o n; e n test.csv
sparse-train info m | grep decisions | sed 's/0\.[0-9]*/x/'
# One label an example, of real texts: the first is predicted, and the scores of label trees are made probabilities,
# with a search and without; a network's are some already. Thresholds are there for those who ask.
glosses=$SOURCE_DIR/examples/data/text-wordnet-lexnames
zstdcat "$glosses/train.csv.zst" | head -n 6000 > one.csv; zstdcat "$glosses/test.csv.zst" | head -n 1500 > other.csv
o() { sparse-train train one.csv -f --char-ngrams '' "$@"; }
o -o raw --calibration none | grep -c probabilities; o -o o | sed -n 's/[0-9.]* -> [0-9.]*/x -> x/p'; for c in auto held-out; do o -o net -q --architecture dense --epochs 1 --calibration $c; sparse-train info net | grep -c decisions; e net other.csv; done
rm figures; e raw other.csv; e o other.csv; e o other.csv --thresholds global
python3 -c 'import json
raw, o, some = [json.loads(line) for line in open("figures")]
print(raw["accuracy"] == o["accuracy"], raw["micro_f1"] == o["micro_f1"] == o["accuracy"], o["calibration_error"] < 0.5 * raw["calibration_error"], some["micro_f1"] != o["micro_f1"])'
sparse-train predict o other.csv --no-scores --thresholds global --top-k 1 | awk '{ n[NF]++ } END { print (n[0] > 0 && n[1] > 0) }'
# With --init it stays so until an example has several. A time budget may leave no time, and few examples are too few.
awk 'BEGIN { srand(5); for (i = 0; i < 600; i++) { k = int(9 * rand()); print "__label__" k % 3 " word" k " word" int(20 * rand()) } }' > one.txt; sed 's/^/__label__new /' one.txt > several.txt
sparse-train train one.txt -q -o o --architecture tree --no-search; sparse-train info o | grep -c decisions; e o one.txt; for f in one several; do sparse-train train $f.txt --init o -q -o more; e more $f.txt; done
head -n 20 train.csv > few.csv; sparse-train train few.csv --label-separator ';' -o f --min-count 1 --calibration held-out 2>&1 | grep warning
t -o f --architecture hybrid --time-budget 1ms --json | grep cut_short
# What train says of validation is what eval says of the model.
v() { data=$1; shift; sparse-train train "$@" --validation "$data" -q -o v --json > v.json; sparse-train eval v "$data" --json > e.json; python3 -c 'import json
train, of = json.load(open("v.json")), json.load(open("e.json"))
print([k for k in of if k not in ("schema", "seconds", "f1_by") and of[k] != train["validation_" + k]], of["f1_by"])'; }
v test.txt train.txt --architecture tree --trees 1; v other.csv one.csv -f --no-search --architecture tree; v test.txt train.txt --init xm
v test.csv train.csv --label-separator ';' --no-search --architecture hybrid; v other.csv one.csv -f --no-search --calibration none
# The same for any number of threads, and stopped or not.
t -o two --threads 2; SOURCE_DATE_EPOCH=0 t -o one --threads 1; tensor-file diff one two | tail -n 1
# Those of a search are fitted to what it held out; a run that goes on behind it has the same.
s() { sparse-train train train.csv --label-separator ';' --trees 1 --checkpoint c "$@"; }
s -o searched -q --json > searched.json; s -o resumed --resume -q; tensor-file diff searched resumed | tail -n 1
python3 -c 'import json; d = json.load(open("searched.json")); print(d["calibration"]["examples"], max(t["held_out"] for t in d["search"]["tried"]), d["search"]["chosen"]["architecture"])'
# Ranked by what labels are worth: rare ones come up, and PSP with them.
psp() { sparse-train eval m test.csv --json "$@" | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["psp_at_1"], d["p_at_1"])'; }
python3 -c 'import sys; plain, p, rare, q = map(float, sys.argv[1:]); print(rare > plain, q < p)' $(psp) $(psp --weights propensity)
sparse-train predict m test.csv --weights balanced --no-scores | grep -c rare | awk '{ print ($1 > 50) }'
