# What is doubtful about columns is said, pandas' index is no column, numbers alone are trained, tiny tables fit.
small='--dim 4 --top 8 --batch-size 32 --learning-rate 0.01'
t() { robe-compress train "$@" -o m $small --progress never 2>&1 | grep -E '^(label|numbers|categories|ignored)|robe-compress:|categories, no|of full'; }
e() { robe-compress eval m "$@" --json 2>&1 | grep -E '"samples"|robe-compress:'; }
awk 'BEGIN { print ",click,user_id,age,visit,code"; for (i = 0; i < 200; ++i) print i "," i % 2 "," i % 9 "," 20 + i * 7 % 30 ",v" i "," i % 3 ".0" }' > p.csv
t p.csv; t p.csv --ids hash | head -n 4
robe-compress train p.csv -o m $small --steps 9 --json -q | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["steps"], r["epochs"]); [print(*c.values()) for c in r["columns"]]'
t p.csv > /dev/null; e p.csv; cut -d, -f2- p.csv > bare.csv; e bare.csv
t p.csv --columns 'visit:ignore,age:number,code:category'
awk 'BEGIN { print "click,x,y"; for (i = 0; i < 200; ++i) print (i % 10 > 4) "," i % 10 / 10 "," i % 7 / 7 }' > n.csv
t n.csv --bottom 8; robe-compress eval m n.csv | sed -n '1s/ .*//p'; robe-compress predict m n.csv | wc -l
robe-compress expand m -o t.safetensors; robe-compress compress m -o t.safetensors; echo a | robe-compress lookup m; echo "exit $?"
robe-compress sweep n.csv --held-out every:4; t n.csv --columns '*:ignore'
for method in robe qr; do t bare.csv --columns 'visit:ignore,*:category' --method $method; done
t bare.csv --ids hash --hash-rows 20 | head -n 1
robe-compress train bare.csv -o all $small -q --method full --columns 'visit:ignore,*:category'; robe-compress compress all -o a.safetensors | head -n 1
# Decimal commas between semicolons are read as points; other written numbers are named.
awk 'BEGIN { print "click;x;price"; for (i = 0; i < 200; ++i) print i % 2 ";" i % 7 "," i % 10 ";$" 1 + i % 30 ",000" }' > comma.csv
sed 's/,/./' comma.csv > point.csv; t comma.csv; cp m commas.model; t point.csv > /dev/null; tensor-file diff commas.model m; echo "exit $?"
robe-compress predict m comma.csv > a.txt; robe-compress predict m point.csv | cmp - a.txt; { head -n 1 comma.csv; echo '1;a,5;x'; } | robe-compress predict m -; echo "exit $?"
# Ways to write a missing category are one; a model of version 1.0.0, without that key, has a row for each.
{ echo click,c; for i in $(seq 60); do printf '1,A\n0,B\n1,\n1,NA\n1,null\n0,?\n'; done; } > gaps.csv; t gaps.csv --columns c:category | grep -v rows
printf 'click,c\n1,\n1,nan\n1,  \n' | robe-compress predict m - | uniq | wc -l
