# What is right by the letter and looks wrong: joined labels, empty lines, examples without labels or features.
t() { sparse-train train "$@" -o m --epochs 1 --min-count 1 2>&1 | grep -e warning -e 'sparse-train: [a-z]*\.'; }
awk 'BEGIN { split("earn acq grain corn oil", l, " "); for (i = 0; i < 60; i++) printf "%s%s,word%d and more\n", l[i % 5 + 1], i % 3 ? ";" l[(i + 1) % 5 + 1] : "", i % 9 }' > joined.csv
t joined.csv; sed 's/;/|/' joined.csv > bar.csv; t bar.csv; echo separated; t joined.csv --label-separator ';'
echo single; sed 's/;[a-z]*//' joined.csv > single.csv; t single.csv
# Names that hold a separator but share no parts are names.
awk 'BEGIN { for (i = 0; i < 60; i++) printf "a%d;b%d,word%d\n", i % 9, i % 9, i % 7 }' | t -
awk '{ print; if (NR % 3 == 0) print "" }' single.csv > empty.csv; t empty.csv
awk '{ if (NR % 4 == 0) sub(/^[a-z]*/, ""); print }' single.csv > unlabelled.csv; t unlabelled.csv
awk '{ if (NR % 4 == 0) sub(/,.*/, ",--"); print }' single.csv > featureless.csv; t featureless.csv
sed 's/^[a-z]*/other/' single.csv > other.csv; sed 's/,.*/,nothing known/' single.csv > unknown.csv
sparse-train train single.csv -o m -q --min-count 1
for f in other unknown featureless; do sparse-train eval m $f.csv | grep -e warning -e model -e exit; done
for f in single unknown featureless; do sparse-train predict m $f.csv 2>&1 > answers.txt | grep warning; wc -l < answers.txt; done
sparse-train eval m other.csv -q; echo "exit $?"
# What is converted has the same gaps.
for i in 1 2 3 4 5 6 7 8 9; do printf 'a,one two\n,two one\nb,\n'; done > gaps.csv
sparse-train convert gaps.csv -o gaps.safetensors 2>&1 | grep warning
# tune says it once, of the file and not of its own parts.
for f in joined empty unlabelled; do sparse-train tune $f.csv -o best.yaml --trials 3 2>&1 | grep warning; done
# A table of many columns without known values has ten warnings and one for the others.
wide() { python3 -c 'import sys; print("label," + ",".join(f"c{i}" for i in range(13))); [print("ab"[r % 2] + "," + ",".join([sys.argv[1] + str(r % 2)] * 13)) for r in range(8)]' "$1"; }
wide x > wide.csv; wide y > others.csv
sparse-train train wide.csv -o w -q --columns 'label:label,*:category'; sparse-train eval w others.csv 2>&1 | grep -c 'values are unknown'; sparse-train eval w others.csv 2>&1 | grep 'so are'
