# Of ids alone the default trains until samples held back are answered no better; a model of no use says so.
awk 'BEGIN { srand(3); print "click,user,item"; for (i = 0; i < 3000; ++i) {
  u = int(rand() * 40); v = int(rand() * 40); print (rand() < ((u * 7 + v * 3) % 10 < 5 ? 0.9 : 0.1)) "," u "," v } }' > ids.csv
small='--dim 4 --top 16 --compression 2'
robe-compress train ids.csv -o m $small > said; sed -n 's/, so many.*/ .../p' said | cut -c1-13
chosen=$(sed -n 's/^trial, epoch \([0-9]*\):.*so many are trained on all samples/\1/p' said)
robe-compress train ids.csv -o same $small --epochs $chosen --schedule constant -q
tensor-file diff m same && echo "as --epochs of what was found"
robe-compress eval m ids.csv --json | awk -F'[:,]' '/"auc":/ { print ($2 > 0.8 ? "learnt" : "AUC " $2) }'
# Labels of chance: whatever validates says so, and the trial ends where validation gets no better.
awk 'BEGIN { srand(5); print "click,user,item"; for (i = 0; i < 2000; ++i) print int(rand() * 2) ",u" int(rand() * 900) ",i" int(rand() * 500) }' > coin.csv
coin() { robe-compress "$@" -o coin.model $small 2> warnings > said; grep -E 'warning' warnings | sed 's/+- [0-9.]*/+- Y/; s/log-loss [0-9.]*/log-loss X/g; s/AUC [0-9.]* on/AUC X on/'; }
{ head -n 1 coin.csv; tail -n 300 coin.csv; } > part.csv
coin train coin.csv; grep -c '^trial' said | awk '{ print ($1 < 20 ? "ended soon" : $1) }'
for way in '--held-out every:5' '--validation part.csv'; do coin train coin.csv --lines 0:1700 $way; grep -c '^epoch' said | awk '{ print ($1 < 20 ? "ended soon" : $1) }'; done
coin train coin.csv --held-out every:3 --epochs 3; coin train coin.csv --epochs 1 --batch-size 2000
robe-compress eval coin.model coin.csv 2>&1 >/dev/null | sed 's/+- [0-9.]*/+- Y/; s/log-loss [0-9.]*/log-loss X/g; s/AUC [0-9.]* on/AUC X on/'
robe-compress train coin.csv -o coin.model $small --held-out every:50 -q # too few say nothing
robe-compress sweep coin.csv $small --held-out every:3 --method robe --compression 2 --epochs 1 2>&1 | grep warning | sed 's/+- [0-9.]*/+- Y/; s/log-loss [0-9.]*/log-loss X/g; s/AUC [0-9.]* on/AUC X on/'
