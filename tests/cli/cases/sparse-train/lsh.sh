# Sparse outputs: signatures, SLIDE's tables, candidates for shared ones, and values that make no sense.
awk 'BEGIN { print "400 60 30"; for (i = 0; i < 400; ++i) { l = i % 30; printf "%d %d:1 %d:1\n", l, 2 * l, 2 * l + 1 } }' > d.txt
t() { sparse-train train d.txt "$@" -q; echo "exit $?"; }
names() { tr ',{}' '\n\n\n' | sed -n 's/ *"\(lsh_[a-z_]*\)":.*/\1/p' | sort; }
signs='--architecture lsh --hidden 16 --epochs 2'
sparse-train train d.txt -o a $signs --threads 1 2>&1 | grep '%'
sparse-train train d.txt -o a $signs --lsh-active 25 -q
share() { sparse-train train d.txt -o b $signs "$@" -q --json | tr ',{' '\n\n' | grep lsh_active_fraction | tr -d ' '; }
share --lsh-active 6
share --lsh-min-active 6
share --lsh-active 6 --lsh-min-active 20
share --lsh-active 6 --no-lsh-share-random --lsh-random 0.2
lsh='--architecture lsh --hidden 16 --epochs 2 --lsh-mode vanilla --lsh-tables 8 --lsh-active 0 --lsh-min-active 10'
same() { for m in a b; do sparse-train predict $m d.txt --top-k 3 -o $m.txt; done; cmp a.txt b.txt && echo same; }
sparse-train train d.txt -o a $lsh --threads 1 -q --json | names
sparse-train train d.txt -o b $lsh --threads 2 -q --metrics log
same
sparse-train train d.txt -o a $signs --threads 1 -q; sparse-train train d.txt -o b $signs --threads 2 -q; same; grep -c '"type":"metric".*lsh_recall' log
sparse-train train d.txt -o b $lsh --epochs 3 --lsh-rebuild 3 --lsh-new-hashes 2 -q
# 30 steps and a period of 4: the tables are made anew before steps 4, 8, ... 28.
sparse-train train d.txt -o r $lsh --epochs 3 --batch-size 40 --lsh-rebuild 4 --lsh-rebuild-growth 1 -q --json | tr ',' '\n' | grep '"lsh_rebuilds"' | tr -d ' '
sparse-train train d.txt -o r $lsh --epochs 3 --batch-size 40 --lsh-rebuild 0 -q --json | tr ',' '\n' | grep '"lsh_rebuilds"' | tr -d ' '
# At the published rate Adam cannot get anywhere in so few steps.
sparse-train train d.txt -o r $lsh --lsh-hash dwta --optimizer adam --learning-rate 0.0001 2>&1 | grep warning
rm -f a; kept='--checkpoint c --checkpoint-every 0s --lsh-rebuild 3 --lsh-new-hashes 2'
sparse-train train d.txt -o a $lsh --epochs 3 $kept -q
sparse-train train d.txt -o a $lsh --epochs 3 $kept -q --resume; same
rm -f b; sparse-train train d.txt -o a $signs --epochs 3 --checkpoint s --checkpoint-every 0s --lsh-rebuild 3 -q
sparse-train train d.txt -o b $signs --epochs 3 --checkpoint s --checkpoint-every 0s --lsh-rebuild 3 -q --resume; same
sparse-train train d.txt -o a $lsh --epochs 3 --checkpoint c --lsh-rebuild 4 -q --resume 2>&1 | cut -c 1-60
for hash in simhash simhash-dense wta dwta minhash; do
  for mode in vanilla top-k threshold; do t -o b $lsh --lsh-hash $hash --lsh-mode $mode --lsh-bucket 2 --lsh-bucket-policy reservoir $(test $mode = threshold || echo --lsh-active 3); done
done | sort | uniq -c | sed 's/^ *//'
t -o b $lsh --lsh-rebuild 2 --lsh-rebuild-steps 2 --lsh-freeze-after 1 --lsh-correct-sampling
t -o b --architecture shared --hidden 16 --epochs 2 --lsh-hard 3
t -o b $lsh --lsh-k 32 --lsh-range 20 --lsh-tables 1 --lsh-rebuild 0
t -o b --architecture lsh --lsh-hash md5
t -o b --architecture lsh --lsh-k 33
t -o b --architecture lsh --lsh-tables 0
t -o b --architecture lsh --lsh-range 25
t -o b --architecture lsh --lsh-bucket 0
t -o b --architecture lsh --lsh-mode best
t -o b --architecture lsh --lsh-rebuild-growth 0.5
t -o b --architecture lsh --lsh-rebuild 5 --lsh-rebuild-steps 6
t -o b --architecture lsh --lsh-min-active -1
t -o b --architecture lsh --lsh-active 0 --lsh-mode agreement
t -o b --architecture lsh --lsh-tables 8 --lsh-mode agreement
t -o b $signs --lsh-tables 8
t -o b --architecture lsh --lsh-hash wta --lsh-bits 64
t -o b --architecture lsh --lsh-hash wta --lsh-mode agreement
t -o b --architecture shared --lsh-hard 3 --lsh-random 0.5
sparse-train train d.txt -o b --architecture shared --epochs 1 --lsh-min-active 4 2>&1 | grep nothing
t -o b --architecture lsh --lsh-bits 2000
