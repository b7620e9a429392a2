# Parts of the data: ranges, days, held-out samples, streams, and gzip, zstd and pipes for all of it.
robe-compress generate --shape small --samples 700 -o d.tsv -q
tiny='--method full --compression 1 --dim 2 --bottom 4 --top 4 --epochs 1 --batch-size 64'
t() { robe-compress train "$@" $tiny --json 2>&1 | grep -E '"(validation_)?samples"|robe-compress: [^w]'; }
t d.tsv -o m --lines 0:6/7; t d.tsv -o half --lines 100:200; t d.tsv -o n --lines 6/7:; t d.tsv -o n --lines 900:; t d.tsv -o n --lines 5:3
for p in 0:6/7 6/7:13/14 13/14:1; do robe-compress eval m d.tsv --lines $p --json -q | grep '"samples"'; done
head -n 600 d.tsv > first.tsv; t first.tsv -o same; tensor-file cat m --tensor data.counts > a; tensor-file cat same --tensor data.counts > b; cmp a b && echo 'the vocabulary of the part'
gzip -kn d.tsv; zstd -q d.tsv -o d.tsv.zst
t d.tsv.gz -o gz --held-out every:10; t d.tsv.zst -o zst --held-out every:10; cat d.tsv.gz | robe-compress train - -o piped $tiny -q --held-out every:10; echo "exit $?"
tensor-file diff gz zst && tensor-file diff gz piped && echo same
head -c 20000 d.tsv.gz > cut.gz; t cut.gz -o n; cat d.tsv | robe-compress train - -o n $tiny -q --lines 0:1/2; echo "exit $?"
t d.tsv -o n --held-out every:1; t d.tsv -o n --held-out last:0.5
t d.tsv -o file --max-memory 1K --held-out every:10; tensor-file diff gz file && echo 'from a file without a name'
awk 'BEGIN { print "day,click,a,b"; for (i = 0; i < 100; ++i) print int(i / 10) "," i % 2 "," i % 7 "," i % 3 + 0.5 }' > days.csv
t days.csv -o n --days day=2..4 --columns day:ignore; t days.csv -o n --days day=20..; t days.csv -o n --days day; t days.csv -o n --days dya=1..2
t d.tsv -o n --stream; cat d.tsv | robe-compress train - -o n $tiny -q --stream --ids hash --hash-rows 100; echo "exit $?"
cat d.tsv | robe-compress train - -o n $tiny -q --stream --ids number --rows small; echo "exit $?"; t d.tsv -o n --ids number --rows 5
t d.tsv -o n --stream --ids hash --held-out every:5
