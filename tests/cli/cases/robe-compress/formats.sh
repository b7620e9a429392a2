# Formats, columns, labels and categories: what is made of them is said before training, or refused.
tiny='--method full --compression 1 --dim 2 --top 4 --epochs 1 --batch-size 16'
t() { robe-compress train "$@" -o m $tiny 2>&1 | grep -E '^(label|numbers|categories|ignored)|robe-compress: [^w]'; }
e() { robe-compress eval m "$@" --json 2>&1 | grep -E '"samples"|robe-compress: [^w]'; }
awk 'BEGIN { for (i = 0; i < 60; ++i) print (i % 3 ? -1 : 1), i % 7 + 1 ":1", i % 5 + 90 ":1" }' > a.libfm
t a.libfm; e a.libfm; printf '1 2:1 3:0.5\n' > bad.libfm; e bad.libfm
robe-compress predict m a.libfm > told; cut -d' ' -f2- a.libfm | robe-compress predict m | cmp - told && echo 'no labels, same answers'
echo 1:1 | robe-compress predict m
# Pairs of libffm go by their field: lines in another order are the same samples. Models of 1.0.0 go by place.
awk 'BEGIN { for (i = 0; i < 60; ++i) print (i % 3 ? -1 : 1), "0:" i % 7 ":1", "4:" i % 5 + 90 ":1" }' > a.ffm
awk '{ print (NR % 2 ? $1 " " $3 " " $2 : $0) }' a.ffm > turned.ffm
t a.ffm; e turned.ffm; robe-compress predict m a.ffm > told; cut -d' ' -f2- turned.ffm | robe-compress predict m | cmp - told && echo 'same answers'
printf '1 0:2:1 0:90:1\n' | robe-compress predict m; printf '0:2:1 3:90:1\n' | robe-compress predict m; printf '2:1 90:1\n' | robe-compress predict m
echo 3 | robe-compress lookup m --table 4 | tensor-file cat - | wc -l
awk 'BEGIN { print "user,item,when,rating"; for (i = 0; i < 60; ++i) print i % 7 "," i % 5 "," i * 1.5 "," i % 5 + 1 }' > r.csv
t r.csv; t r.csv --positive 'rating>=4'; e r.csv; t r.csv --positive '>=4' --columns 'when:ignore,*:category'
sed 's/,/\t/g' r.csv > r.tsv; t r.tsv --positive 'rating>=4'; e r.csv; e r.csv --format tsv
awk -F, '{ print $2 "," $1 "," $4 "," $3 }' r.csv > turned.csv; e turned.csv
tail -n +2 r.csv > bare.csv; e bare.csv; cut -d, -f1-2 r.csv > few.csv; e few.csv
awk 'BEGIN { print "age,work,income"; for (i = 0; i < 60; ++i) print i ",\"a, \"\"b" i % 4 "\"\"\"," (i % 3 ? "<=50K" : ">50K") }' > i.csv
t i.csv; t i.csv --positive 'income=>50K' --columns age:log
awk 'BEGIN { for (i = 0; i < 60; ++i) print 1000 + i "," i % 2 ",1410" 21 + i % 7 "0" i % 9 ",1005,0,1f,f3,28,ec,78,07,a9,dd,44,1,2,15706,320,50,1722,0,35,-1,79" }' > v.csv
t v.csv; e v.csv
t i.csv --label-column sex; t i.csv --columns age:years; t i.csv --columns 'age:number,age:log'; t i.csv --positive ''
t r.csv --positive 'rating>=4' --format criteo; t r.csv --positive 'rating>=4' --ids number --rows 2
t r.csv --positive 'rating>=4' --ids number --columns when:ignore && echo 'numbers are rows'
robe-compress train r.csv --positive 'rating>=4' -o m $tiny --min-count 9 --json -q | sed -n '/"unknown": {/,/}/p'
# pandas' header of an array is no sample; files that are no tables, and names of rows, are refused with the way out
l() { robe-compress train "$@" -o m --architecture linear --epochs 1 2>&1 | grep -E '^(label|numbers|ignored)|robe-compress: [^w]'; }
(echo ,0,1,2; for i in $(seq 60); do echo "$i,0.$i,0.$((i % 7)),$((i % 2))"; done) > array.csv
l array.csv; e array.csv; sed '1s/2$/label/' array.csv > named.csv; l named.csv
for i in $(seq 30); do printf '1 |f x:0.5\n0 |f y:0.25\n'; done > vw.txt; l vw.txt
(printf 'label\tx\n'; for i in $(seq 60); do printf "$i\t$((i % 2))\t0.5\n"; done) > r.txt; l r.txt
