# Training and evaluation: what they print, their keys, and equal models for any number of threads.
data=$SOURCE_DIR/examples/data/text-wordnet-lexnames
zstdcat "$data/train.csv.zst" | head -n 3000 > train.csv; zstdcat "$data/test.csv.zst" | head -n 300 > test.csv
mkdir one two
(cd one && FRUGAL_THREADS=1 sparse-train train ../train.csv -o m --validation ../test.csv --epochs 3) |
  sed 's/trained in.*/trained/; s/, [0-9.]* CPU s//; s/[0-9.]* %/x %/'
(cd two && FRUGAL_THREADS=2 sparse-train train ../train.csv -o m --validation ../test.csv --epochs 3 >/dev/null)
cmp one/m two/m && echo same bytes
facts() { python3 -c 'import json, sys
d = json.load(sys.stdin); print(*d)
for k in sys.argv[1:]: print(k, d[k])' "$@"; }
sparse-train train train.csv -o m --epochs 3 --json --report r.html --metrics m.jsonl | facts schema examples labels architecture epochs
sed -n '/"metric"/s/.*"loss": *\([0-9.]*\).*/\1/p' m.jsonl | awk '{ print ($1 > 0.01 && $1 < 4 ? "loss of an example" : $1) }'
grep -c '<svg' r.html; grep -c '"type":"metric".*"loss"' m.jsonl
sparse-train eval m test.csv --json | facts schema examples
sparse-train eval m test.csv --json | python3 -c 'import json, sys; d = json.load(sys.stdin)
print(0.4 < d["accuracy"] < 0.8, d["p_at_1"] == d["accuracy"], d["p_at_1"] >= d["p_at_3"] >= d["p_at_5"])'
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
sparse-train train "$xmc/train.txt.zst" -o x --epochs 1 --architecture shared --negatives 200 --json | facts architecture
sparse-train eval x "$xmc/test.txt.zst" --json | facts examples
