# A text model in bytes: under 30 % of the size, as good, learns on, and makes its own cache.
data=$SOURCE_DIR/examples/data/text-wordnet-lexnames
sparse-train train "$data/train.csv.zst" -o m -q --epochs 3; sparse-train export m --int8 -o s
p() { sparse-train eval "$1" "$2" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["p_at_1"])'; }
python3 -c 'import os, sys; print(os.path.getsize("s") < 0.3 * os.path.getsize("m"), abs(float(sys.argv[1]) - float(sys.argv[2])) < 0.003)' \
  "$(p m "$data/test.csv.zst")" "$(p s "$data/test.csv.zst")"
sparse-train convert "$data/test.csv.zst" --model s -o test.safetensors -q
[ "$(p s "$data/test.csv.zst")" = "$(p s test.safetensors)" ] && echo same
sparse-train eval m test.safetensors; echo "exit $?"
sparse-train train "$data/test.csv.zst" --init s -o t -q --epochs 1; echo "exit $?"
# Trees in bytes: smaller, as good, and the same wherever they are read.
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
zstdcat "$xmc/train.txt.zst" | head -n 4001 | sed '1s/^[0-9]*/4000/' > train.txt
zstdcat "$xmc/test.txt.zst" | head -n 501 | sed '1s/^[0-9]*/500/' > test.txt
sparse-train train train.txt -o tree -q --architecture tree --trees 2; sparse-train export tree --int8 -o small
python3 -c 'import os, sys; print(os.path.getsize("small") < 0.7 * os.path.getsize("tree"), abs(float(sys.argv[1]) - float(sys.argv[2])) <= 0.004)' \
  "$(p tree test.txt)" "$(p small test.txt)"
sparse-train train test.txt --init small -o t -q; echo "exit $?"
sparse-train export tree --embeddings labels -o l.npy; echo "exit $?"
