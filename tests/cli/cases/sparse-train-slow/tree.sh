# Label trees: alone and beside a network, equal models for any number of threads, resumed or not.
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
zstdcat "$xmc/train.txt.zst" | head -n 4001 | sed '1s/^[0-9]*/4000/' > train.txt
zstdcat "$xmc/test.txt.zst" | head -n 501 | sed '1s/^[0-9]*/500/' > test.txt
t() { sparse-train train ../train.txt -q --trees 2 "$@"; }
mkdir one two; cd one; FRUGAL_THREADS=1 t --architecture tree -o m; cd ../two; FRUGAL_THREADS=2 t --architecture tree -o m
cmp m ../one/m && echo same bytes
field() { python3 -c 'import json, sys; d = json.load(sys.stdin)
print(*(d[k] for k in sys.argv[1:]))' "$@"; }
t --architecture tree -o v --validation ../test.txt --report r.html --metrics log.jsonl --json | field architecture plan
grep -c '"type":"metric".*"tree"' log.jsonl; grep -c '<svg' r.html
sparse-train eval m ../test.txt --json | python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["p_at_1"] > 0.75, d["p_at_1"] >= d["p_at_3"] >= d["p_at_5"])'
tail -n 3 ../test.txt | sparse-train predict m --top-k 3 | sed 's/[0-9]*:[0-9.e-]*/label:score/g'
t --architecture hybrid --epochs 2 -o both --json | field architecture epochs
sparse-train eval both ../test.txt --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["p_at_1"] > 0.75)'
# With no time left a run ends after its first tree; one that goes on makes the others.
t --architecture tree --time-budget 1ms --checkpoint c -o short; t --architecture tree --checkpoint c --resume -o long
tensor-file diff m short | tail -n 1; tensor-file diff m long && echo same tensors
t --architecture tree --checkpoint c --resume --leaf-size 50 -o no 2>&1 | sed 's/(.*)/(...)/'
# One label an example, from text.
data=$SOURCE_DIR/examples/data/text-wordnet-lexnames
zstdcat "$data/train.csv.zst" | head -n 3000 > train.csv; zstdcat "$data/test.csv.zst" | head -n 300 > test.csv
sparse-train train train.csv -q --architecture tree -o text
sparse-train eval text test.csv --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["accuracy"] > 0.5)'
sparse-train train train.txt --architecture bush -o no 2>&1 | head -n 2
sparse-train train train.txt --architecture tree --leaf-size 70000 -o no 2>&1 | head -n 2
