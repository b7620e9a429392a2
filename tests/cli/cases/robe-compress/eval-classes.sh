# No samples, or samples of one class, are no result: the status says so, and what is defined is told.
robe-compress generate --shape small --samples 200 -o d.tsv -q
robe-compress train d.tsv -o m --dim 2 --bottom 4 --top 4 --epochs 2 -q
e() { robe-compress eval m "$@"; echo "exit $?"; }
grep '^0' d.tsv > none.tsv; e none.tsv --json 2>&1 | sed 's/log-loss .*/log-loss .../'
grep '^1' d.tsv > all.tsv; e all.tsv 2>&1 | sed 's/log-loss .*/log-loss .../'
e d.tsv --lines 500:; printf '' | e -
robe-compress train d.tsv -o n --dim 2 --bottom 4 --top 4 --epochs 2 --validation none.tsv | grep -o 'validation AUC [a-z]*'
robe-compress train d.tsv -o n --dim 2 --bottom 4 --top 4 --epochs 2 --validation none.tsv --json -q | grep '"validation_auc"'
