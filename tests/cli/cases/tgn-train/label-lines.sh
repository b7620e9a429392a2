# Lines and files whose labels are wrong, missing or of other events than the model's.
awk 'BEGIN { x = 7; print "src,dst,time,label"; for (e = 0; e < 800; ++e) { x = x * 16807 % 2147483647; s = x % 12
  print s "," 12 + (s + e) % 5 "," e "," (e % 11 == 0 ? "" : substr("abc", s % 3 + 1, 1)) } }' > c.csv
awk -F, 'NR > 1 { $4 = $4 == "" ? "" : index("abc", $4) / 10 + NR % 4 } { print $1 "," $2 "," $3 "," $4 }' c.csv > n.csv
awk -F, 'NR > 1 { $4 = NR > 500 && $4 == "a" ? 1 : 0 } { print $1 "," $2 "," $3 "," $4 }' c.csv > b.csv
t() { tgn-train train "$@" -q; echo "exit $?"; }
p() { tgn-train predict "$@"; echo "exit $?"; }
i() { tgn-train import "$@" -q; }
i c.csv --label-type class -o c.s; i n.csv --label-type number -o n.s; i b.csv -o b.s
t c.s --memory-dim 16 --time-dim 8 --batch-size 20 --epochs 1 --new-nodes 0 --mix none -o links.model
t c.s --task event-label --from links.model --epochs 2 -o c.model; t n.s --task event-label --from links.model --epochs 2 -o n.model
for kind in c n; do head -561 $kind.csv > $kind-past.csv; { head -1 $kind.csv; tail -n +562 $kind.csv; } > $kind-rest.csv; done
i c-past.csv --label-type class -o c-past.s; i n-past.csv --label-type number -o n-past.s
# A skipped line leaves no trace, wherever it is, and neither does one that stops the run.
for line in 2 100; do
  awk -F, -v line=$line 'NR == line { $0 = $1 "," $2 "," $3 ",pink" } 1' c-rest.csv > wrong.csv; sed "${line}d" c-rest.csv > without.csv
  p c.model wrong.csv --history c-past.s --on-error skip -q -o skipped; tgn-train predict c.model without.csv --history c-past.s -q -o wanted; cmp skipped wanted && echo alike
  rm -f state; p c.model wrong.csv --history c-past.s --save-state state -q -o stopped; [ -e state ] || cp c-past.s state
  { head -1 c.csv; tail -n +$((line + 1)) c-rest.csv; } > after.csv
  if [ $line = 100 ]; then tgn-train predict c.model after.csv --state state -q -o after; { cat stopped; tail -n +2 after; } | cmp - wanted && echo alike; fi
done
# Numbers far beyond those of training.
awk -F, 'NR == 2 { $0 = $1 "," $2 "," $3 ",3e38" } 1' n-rest.csv > far.csv; p n.model far.csv --history n-past.s --save-state far.state -q -o far
awk -F, 'NR == 780 { $0 = $1 "," $2 "," $3 ",3e38" } 1' n.csv > far.csv; i far.csv --label-type number -o far.s; t far.s --task event-label --from links.model -o far.model; tgn-train eval n.model far.s; echo "exit $?"
# A checkpoint resumes on its own labels alone.
sed 's/,a$/,aa/' c.csv > renamed.csv; i renamed.csv --label-type class -o c-other.s; awk -F, 'NR > 1 { $4 = 1 - $4 } { print $1 "," $2 "," $3 "," $4 }' b.csv > flipped.csv; i flipped.csv -o b-other.s
awk -F, 'NR % 9 == 0 { $0 = $1 "," $2 "," $3 ",2" } 1' n.csv > other.csv; i other.csv --label-type number -o n-other.s
awk -F, 'NR > 1 { $4 = NR % 5 == 0 ? 1 : 0 } { print $1 "," $2 "," $3 "," $4 }' b.csv > b.csv.new; i b.csv.new -o b.s; awk -F, 'NR > 1 { $4 = 1 - $4 } { print $1 "," $2 "," $3 "," $4 }' b.csv.new > flipped.csv; i flipped.csv -o b-other.s
for kind in c:event n:event b:node; do
  k=${kind%:*}; rm -f ck ck.prev; r="--task ${kind#*:}-label --from links.model --epochs 3 --checkpoint ck"
  t $k.s $r --checkpoint-every 0s -o whole.model -f; mv ck.prev ck; t $k-other.s $r --resume -o w.model; t $k.s $r --resume -o again.model -f; tensor-file diff whole.model again.model && echo same
done
# Checkpoints of earlier versions do not name their labels.
rm -f ck ck.prev; t b.s $r --checkpoint-every 0s -o whole.model -f; LC_ALL=C sed 's/checkpoint\.labels/checkpoint.unused/' ck.prev > ck; cmp -s ck ck.prev || echo changed; t b.s $r --resume -o again.model -f; tensor-file diff whole.model again.model && echo same
# Logits of numbers, and a label as it was read.
p n.model n-rest.csv --history n-past.s --logits -q; tgn-train eval n.model n.s --predictions e.csv --logits; echo "exit $?"
tgn-train eval n.model n.s --predictions e.csv -q; grep -c '^[a-z]*,[0-9]*,[0-9]*,[0-9]*,[0-9.]\{0,3\},' e.csv; wc -l < e.csv
# A history whose labels are all 0 counts if its column was named.
t b.s --task event-label --from links.model --epochs 2 -o b.model; awk -F, 'NR > 1 && NR <= 561 { $4 = 0 } { print $1 "," $2 "," $3 "," $4 }' b.csv.new > zero.csv
head -561 zero.csv > zero-past.csv; { head -1 zero.csv; tail -n +562 zero.csv; } > zero-rest.csv; tgn-train predict b.model zero.csv -o all -q; tail -240 all > wanted
for columns in '' '--columns src:source,dst:destination,time:time,label:label'; do
  i zero-past.csv $columns -o zero.s; tgn-train predict b.model zero-rest.csv --history zero.s -o rest 2>&1 | grep warning; tail -240 rest | cmp -s - wanted && echo alike
done
# Words for missing values are no classes; a column of 0 and 1 has a label for each line.
sed 's/,a$/,None/' c.csv > none.csv; tgn-train import none.csv --label-type class -o none.s
sed '3s/,[01]$/,/' zero-rest.csv | p b.model --history zero.s -q -o none
# The memory that learns of batches learns of those of the labels.
t n.s --memory exact --memory-dim 16 --time-dim 8 --epochs 1 --new-nodes 0 --mix none -o exact.links; t n.s --task event-label --from exact.links --batch-size 30 --epochs 2 -o exact.model
tgn-train eval exact.model n.s --predictions e.csv -q; n=$(grep -c ^validation e.csv); past=$((801 - 2 * n)); grep ^validation e.csv | cut -d, -f2-4,6 > wanted
head -"$past" n.csv > past.csv; i past.csv --label-type number -o past.s; { head -1 n.csv; tail -n +$((past + 1)) n.csv; } | tgn-train predict exact.model --history past.s -q | sed 1d | head -"$n" | cmp - wanted && echo alike
# A state without labels; many classes; other streams, whose training part only the comparisons read.
tgn-train predict c.model c-rest.csv --history c-past.s --task link --save-state link.state -q -o none; p c.model after.csv --state link.state -q -o none
awk -F, 'NR > 1 { $4 = "k" NR % 30 } { print $1 "," $2 "," $3 "," $4 }' c.csv > many.csv; i many.csv --label-type class -o many.s; t many.s --task event-label --from links.model --epochs 1 -o many.model; p many.model c-rest.csv -q
awk -F, 'NR > 1 && NR < 600 { $4 = "" } { print $1 "," $2 "," $3 "," $4 }' c.csv > late.csv; i late.csv --label-type class -o late.s; tgn-train eval c.model late.s -q; echo "exit $?"
tgn-train eval c.model late.s --no-baselines --json -q | grep -c 'test_accuracy\|constant'
