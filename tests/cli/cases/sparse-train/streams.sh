# Pipes as input and output, consumers that leave early, closed descriptors, and a limit on the size of files: nothing
# half-written and no temporary files stay.
awk 'BEGIN { print "400 60 30"; for (i = 0; i < 400; ++i) { l = i % 30; printf "%d %d:1 %d:1\n", l, 2 * l, 2 * l + 1 } }' > d.txt
mkdir spill; TMPDIR=$PWD/spill; export TMPDIR
sparse-train train d.txt -o m -q --architecture dense; echo "exit $?"
cat d.txt | sparse-train train - --format xmc -o piped -q --architecture dense; tensor-file diff m piped && echo same
sparse-train train d.txt -o - -q --architecture dense | sparse-train eval - d.txt | head -n 1
awk 'NR > 1 { for (i = 0; i < 40; ++i) print }' d.txt > lines.txt
{ sparse-train predict m lines.txt 2> said; echo "exit $?" >> said; } | head -n 1 | cut -d: -f1; cat said
head -c 1000 d.txt | sparse-train train - --format xmc -o cut -q; echo "exit $?"
sparse-train train - -o none <&-; echo "exit $?"
sparse-train eval m d.txt >&-; echo "exit $?"
sparse-train train d.txt -o quiet -q --architecture dense --epochs 1 2>&-; echo "exit $?"
t() { (ulimit -f 2; sparse-train train d.txt -q -o big $network "$@" 2>&1; echo "exit $?") | sed 's/after [0-9]* bytes/after .../; s#/[^:]*/spill#spill#'; }
network="--hidden 64 --epochs 1"; for output in dense shared lsh hybrid; do t --architecture $output; done
t --architecture dense --checkpoint c --checkpoint-every 0s
network=; t --architecture tree --max-memory 1K --threads 1  # two may read the one piece to its end before it counts
t --architecture tree --cache cache
ls . spill
# Text from a pipe is read once: its settings are not searched for, and this is said. A file's are, from 30 examples on.
awk 'BEGIN { print "label,text"; for (i = 0; i < 600; ++i) printf "l%d,w%d u%d\n", i % 3, i % 3, i }' > text.csv
cat text.csv | sparse-train train - -o piped | grep searched
search() { sparse-train train "$@" -o piped --json | python3 -c 'import json, sys; d = json.load(sys.stdin).get("search"); print(d if d is None or "skipped" in d else sorted(d))'; }
cat text.csv | search -; search text.csv; head -n 31 text.csv > enough.csv; search enough.csv; head -n 30 text.csv > few.csv; search few.csv; cat few.csv | search -; cat text.csv | search - --no-search
search text.csv --time-budget 1ms; sparse-train train few.csv -o piped | grep searched
cat d.txt d.txt | sed '1s/400/800/; 402d' | search - --format xmc --architecture dense
