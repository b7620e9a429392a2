# Of ids alone the default trains until samples held back are answered no better; a model of no use says so.
awk 'BEGIN { srand(3); print "click,user,item"; for (i = 0; i < 3000; ++i) {
  u = int(rand() * 40); v = int(rand() * 40); print (rand() < ((u * 7 + v * 3) % 10 < 5 ? 0.9 : 0.1)) "," u "," v } }' > ids.csv
small='--dim 4 --bottom 8 --top 16 --compression 2'
robe-compress train ids.csv -o m $small > said; sed -n 's/, so many.*/ .../p' said | cut -c1-13
chosen=$(sed -n 's/^trial, epoch \([0-9]*\):.*so many are trained on all samples/\1/p' said)
robe-compress train ids.csv -o same $small --epochs $chosen --schedule constant -q
tensor-file diff m same && echo "as --epochs of what was found"
robe-compress eval m ids.csv --json | awk -F'[:,]' '/"auc":/ { print ($2 > 0.8 ? "learnt" : "AUC " $2) }'
awk -F, 'NR == 1 { print; next } { print (NR % 2) "," $2 "," $3 }' ids.csv > coin.csv
robe-compress train coin.csv -o coin.model $small --held-out every:5 2>&1 >/dev/null | grep -c warning # too few
robe-compress train coin.csv -o coin.model $small --held-out every:3 --epochs 3 2>&1 >/dev/null | grep warning | sed 's/[0-9.]\{4,\}/X/g'
robe-compress train coin.csv -o coin.model $small --epochs 1 2>&1 >/dev/null | grep warning | sed 's/[0-9.]\{4,\}/X/g'
robe-compress train coin.csv -o coin.model $small 2>&1 >/dev/null | grep warning | sed 's/[0-9.]\{4,\}/X/g'
robe-compress eval coin.model coin.csv 2>&1 >/dev/null | sed 's/[0-9.]\{4,\}/X/g'
robe-compress sweep coin.csv $small --held-out every:3 --methods robe --compressions 2 --epochs 1 2>&1 | grep warning | sed 's/[0-9.]\{4,\}/X/g'
