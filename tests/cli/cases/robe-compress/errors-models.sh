# Files that are no models, damaged ones, and data of another shape.
robe-compress generate --shape small --samples 300 -o d.tsv -q
robe-compress train d.tsv -o m -q --dim 4 --bottom 8 --top 8 --compression 4
printf 'click,a\n1,x\n' > other.csv
e() { robe-compress eval "$@" 2>&1 >/dev/null | head -n 2; }
e d.tsv d.tsv; e missing d.tsv; e m other.csv; e m missing.tsv
head -c 3000 m > cut; e cut d.tsv
robe-compress eval m d.tsv --unknown error > /dev/null; echo "exit $?"
sed 's/68fd1e64/never-seen/; 1s/\t[^\t]*$/\tnew/' d.tsv > new.tsv; robe-compress eval m new.tsv --unknown error 2>&1; echo "exit $?"
cut -f2- d.tsv > unlabelled.tsv; robe-compress eval m unlabelled.tsv 2>&1; echo "exit $?"
robe-compress predict m unlabelled.tsv | wc -l
