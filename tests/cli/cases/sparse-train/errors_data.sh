# Bad training data: one line with place, finding and expectation; no model appears.
t() { sparse-train train "$@" -o model; echo "exit $?"; }
t missing.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo "a,word$i"; done > text.csv
printf 'b\n' >> text.csv; t text.csv
printf '3 4 2\n0 0:1\n1 1:nan\n0 2:1\n' > nan.txt; t nan.txt
printf '3 4 2\n0 0:1\n5 1:1\n0 2:1\n' > label.txt; t label.txt
printf '3 4 2\n0 0:1\n1 9:1\n0 2:1\n' > feature.txt; t feature.txt
printf '4 4 2\n0 0:1\n1 1:1\n0 2:1\n' > header.txt; t header.txt
: > empty.csv; t empty.csv
head -c 2000 "$SOURCE_DIR/examples/data/text-wordnet-lexnames/train.csv.zst" > cut.csv.zst; t cut.csv.zst
printf 'a,one\nb,two\n' > rare.csv; t rare.csv
printf 'a,one one\nb,one\n' | sparse-train train - -o model -q --min-count 2; echo "exit $?"
ls
