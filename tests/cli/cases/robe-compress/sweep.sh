# Methods and sizes side by side; a method that cannot be so small says so.
robe-compress generate --shape small --samples 2000 -o d.tsv -q
s() { robe-compress sweep d.tsv --dim 4 --bottom 8 --top 8 --batch-size 64 "$@"; echo "exit $?"; }
s -q
s --held-out every:4 --methods robe,qr,full --compressions 2,500 --seeds 2 -o t.csv --report r.html 2>/dev/null | sed 's/AUC.*//'
cut -d, -f1-2,8 t.csv
grep -c 'Accuracy against size' r.html
