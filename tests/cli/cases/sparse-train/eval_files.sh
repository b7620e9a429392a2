# Tables of an evaluation, thresholds and propensities.
printf 'bird,wings feathers\nfish,fins scales\nbird,feathers beak\nfish,fins gills\n"cat, big",paws claws\n"cat, big",claws tail\n' > d.csv
sparse-train train d.csv -o m --min-count 1 --epochs 60 -q
printf 'bird,wings\nfish,scales\n"cat, big",fins\nbird,beak\nwhale,fins\n' > t.csv
sparse-train eval m t.csv --confusion c.csv --per-label l.csv --report r.html
cat c.csv l.csv; grep -c '<svg' r.html
sparse-train eval m t.csv --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["accuracy"], d["micro_f1"], round(d["macro_f1"], 4))'
sparse-train eval m t.csv --threshold 0.99 | tail -n 2
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
sparse-train train "$xmc/train.txt.zst" -o x --epochs 1 --architecture shared --negatives 200 -q
psp() { sparse-train eval x "$xmc/test.txt.zst" --json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["psp_at_1"])'; }
[ "$(psp)" = "$(psp --propensity 0.55,1.5)" ] && echo same
[ "$(psp)" = "$(psp --propensity 0.6,2.6)" ] || echo other
sparse-train eval x "$xmc/test.txt.zst" --confusion c.csv; echo "exit $?"
sparse-train eval m t.csv --per-label missing/l.csv -q; echo "exit $?"
sparse-train eval m t.csv --propensity=-1,2; echo "exit $?"
echo label,text > empty.csv; sparse-train eval m empty.csv; echo "exit $?"
