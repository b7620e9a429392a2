# What a model is, and its parts in other forms.
printf 'bird,wings feathers\nfish,fins scales\nbird,feathers beak\nfish,fins gills\n' > d.csv
sparse-train train d.csv -o m --min-count 1 --word-ngrams 1 --hidden 3 -q
sparse-train info m | grep -E '^(version|network|labels|features:|examples|training steps|made by)'
sparse-train info m --json | python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["network"], [t["name"] for t in d["tensors"]], d["history"][0]["argv"][:2], "hidden: 3" in d["configuration"])'
sparse-train export m --label-names; sparse-train export m --embeddings labels -o l.npy
python3 -c 'print(open("l.npy", "rb").read()[:10], len(open("l.npy", "rb").read()))'
sparse-train export m --embeddings labels -o l.tsv; cut -f 1 l.tsv; awk '{print NF}' l.tsv
sparse-train export m --embeddings features -o f.st; tensor-file info f.st --json | grep '"name"'
sparse-train export m --int8 -o s; sparse-train info s | grep -E '^network weights|made by'
sparse-train predict m d.csv --no-scores > a; sparse-train predict s d.csv --no-scores | cmp - a && echo same labels
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
sparse-train train "$xmc/train.txt.zst" -o x --epochs 2 -q --architecture shared; sparse-train export x --int8 -o y
p() { sparse-train eval "$1" "$xmc/test.txt.zst" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["p_at_1"])'; }
python3 -c 'import os, sys; print(os.path.getsize("y") < 0.3 * os.path.getsize("x"), abs(float(sys.argv[1]) - float(sys.argv[2])) < 0.003)' "$(p x)" "$(p y)"
sparse-train info d.csv; echo "exit $?"
sparse-train export m; echo "exit $?"
sparse-train export m --int8 --label-names; echo "exit $?"
sparse-train export m --embeddings rows; echo "exit $?"
zstdcat "$xmc/train.txt.zst" | sed '1s/.*/500 9825 1930/' | head -n 501 > x.txt
sparse-train train x.txt -o t --architecture tree -q; sparse-train export t --int8 -o u; echo "exit $?"
sparse-train info t | grep -c '^forest'; ls
for a in tree dense; do
  sparse-train train d.csv -o k -q -f --keep-names --min-count 1 --word-ngrams 1 --architecture $a --no-search
  sparse-train export k --label-features 1; done
