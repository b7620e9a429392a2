# A search writes a configuration that train takes; the same seed tries the same.
TMPDIR=$PWD/tmp; export TMPDIR; mkdir tmp
data=$SOURCE_DIR/examples/data/text-wordnet-lexnames
zstdcat "$data/train.csv.zst" | head -n 600 > train.csv; zstdcat "$data/test.csv.zst" | head -n 100 > test.csv
tune() { sparse-train tune train.csv --budget 60s --trials 2 "$@"; }
tune -o a.yaml --report r.html --metrics m.jsonl | sed 's/: p_at_1.*(/: (/' > one
tune -o b.yaml | sed 's/: p_at_1.*(/: (/' | cmp - one && cmp a.yaml b.yaml && echo same
cat one | cut -c 1-40; grep -c '<svg' r.html; grep -c '"type":"metric".*"p_at_1"' m.jsonl
sparse-train train train.csv --config a.yaml -o m -q; sparse-train eval m test.csv -q; echo "exit $?"
tune -o c.yaml --metric macro_f1 --model n --learning-rate 0.25 --json | grep -E '"(metric|trials)"'
grep -o '^learning-rate: [0-9.]*' c.yaml; sparse-train eval n test.csv -q; echo "exit $?"
# stopped: the best so far is there
sparse-train tune train.csv --budget 1h -o d.yaml > log 2> err & pid=$!
i=0; while ! [ -s log ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
kill -TERM $pid; wait $pid; echo "exit $?"; sed 's/after [0-9]* trials/after n trials/' err; grep -c '^seed' d.yaml
ls tmp | grep -c frugal-tune-
tune -o e.yaml --metric f2; echo "exit $?"
sparse-train tune - -o e.yaml < train.csv; echo "exit $?"
sparse-train tune missing.csv -o e.yaml; echo "exit $?"
printf 'a,b\n' > tiny.csv; sparse-train tune tiny.csv -o e.yaml; echo "exit $?"
# Errors about a part of the examples name the user's file.
printf '__label__1 foo\n__label__2 bar\n__label__3 baz\n' > three.txt; sparse-train tune three.txt -o e.yaml; echo "exit $?"
tune -o missing/e.yaml; echo "exit $?"; ls
