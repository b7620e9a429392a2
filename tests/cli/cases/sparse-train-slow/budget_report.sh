# A run that its time budget ends says what it did, not what it had planned; one that ends by itself says so, too.
# Not emulated: an emulator spends its milliseconds before the first step.
xmc=$SOURCE_DIR/examples/data/xmc-wordnet-hypernyms
zstdcat "$xmc/train.txt.zst" | head -n 4001 | sed '1s/^[0-9]*/4000/' > train.txt
t() { sparse-train train "$@" -q -o m --json > out.json; }
show() { python3 -c 'import json; d = json.load(open("out.json"))
for test in __import__("sys").argv[1:]: print(test, eval(test, d))' "$@"; }
# Part of the first epoch: the loss is that of its batches, and they are validated.
awk 'NR == 1 { print 16000, $2, $3; next } { print; print; print; print }' train.txt > long.txt
for budget in 400ms 1600ms 6400ms; do  # a busy machine may take the first for reading alone
  t long.txt --architecture dense --hidden 1024 --epochs 7 --batch-size 20 --time-budget $budget --validation train.txt
  [ "$(show steps)" = 'steps 0' ] || break
done
show 'cut_short' '0 < epochs < 7' 'abs(epochs - steps / 800) < 1e-9' 'loss > 0' 'validation_examples'
sparse-train info m | sed -n 's/^training \(cut_short: .*\)/\1/p'
t train.txt --architecture tree --trees 3 --time-budget 1ms; show cut_short trees
t train.txt --architecture hybrid --epochs 2 --time-budget 1ms; show cut_short trees architecture '"epochs" in globals()'
t train.txt --architecture dense --hidden 16 --epochs 2 --time-budget 1ms; show cut_short epochs steps loss
t train.txt --architecture hybrid --hidden 16 --trees 2 --epochs 2; show cut_short trees epochs
t train.txt --architecture dense --hidden 16 --epochs 2 --time-budget 1h; show cut_short epochs 'loss > 0'
sparse-train train train.txt -o m --architecture dense --hidden 16 --epochs 2 --time-budget 1ms | tail -n 2 | sed 's/trained in .*(/trained (/; s/reading .*)/reading)/'
# A search that the budget leaves no time for is said to be cut short, too.
for i in 1 2 3 4 5 6 7 8 9; do for w in a b c d; do printf '%s,one two w%s%s\n' $w $w $i; done; done > text.csv
t text.csv --time-budget 1ms; show cut_short search
sparse-train train text.csv -o m --time-budget 1ms 2>&1 | grep -o 'the search for settings ([0-9]* candidates)'
