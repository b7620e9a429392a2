# Thresholds, labels alone, JSON Lines, explanations.
printf 'bird,wings feathers\nfish,fins scales\nbird,feathers beak\nfish,fins gills\n' > d.csv
sparse-train train d.csv -o m --min-count 1 --word-ngrams 1 --epochs 30 -q
sparse-train predict m d.csv --no-scores --top-k 2
printf 'fins\nsomething else\n' | sparse-train predict m --format text --threshold 0.6 --no-scores 2>&1 | cat -A
printf 'fins gills\n' | sparse-train predict m --format text --answers json --top-k 2 |
  python3 -c 'import json, sys; d = json.loads(sys.stdin.read()); print([l["label"] for l in d["labels"]], d["labels"][0]["score"] > 0.5)'
# shares: fins and gills speak for a fish, wings against it
printf 'gills fins wings nothing\n' | sparse-train predict m --format text --top-k 1 --explain > out
sed 's/:.*//; s/[-+]\{0,1\}[0-9.]\{3,\}/x/g' out | tr '\t' '|'
explain() { sparse-train predict m --format text --explain --answers json "$@"; }
printf 'gills fins wings nothing\n' | explain | python3 -c 'import json, sys
n = json.loads(sys.stdin.read())["labels"][0]["network"]
print(abs(n["total"] - n["bias"] - sum(f["share"] for f in n["features"])) < 1e-5,
      {f["feature"]: f["share"] > 0 for f in n["features"]})'
printf 'gills fins wings\n' | explain --explain-features 1 | grep -o '"feature":' | wc -l
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
zstdcat "$xmc/train.txt.zst" | sed '1s/.*/2000 9825 1930/' | head -n 2001 > x.txt
sparse-train train x.txt -o t --architecture tree -q
printf '0 3:1 10:0.5 400:0.2\n' | sparse-train predict t --explain | sed 's/feature [0-9]*/f/g; s/^[0-9]*:/l:/; s/^  [0-9]*/  l/; s/[-+][0-9.e-]*/x/g; s/[0-9][0-9.e-]*/x/g' | tr '\t' '|'
sparse-train predict m d.csv --threshold 2; echo "exit $?"
sparse-train predict m d.csv --answers xml; echo "exit $?"
