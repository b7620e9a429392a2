# Answers know events strictly before them, those of their own nodes and their neighbours, with the features of these events.
small='--memory-dim 16 --time-dim 8 --new-nodes 0 --epochs 1 --batch-size 20 --threads 1 -q -f'
# The lines of one time in any order have the same answers; those of times before and after are the same lines.
awk 'BEGIN { srand(6); for (e = 0; e < 500; e++) { t += rand() < 0.2; print int(15 * rand()) "," 20 + int(9 * rand()) "," t } }' > ties.csv
last=$(sed -n 300p ties.csv | cut -d, -f3)
awk -F, -v t="$last" '$3 <= t' ties.csv > past.csv
awk -F, -v t="$last" '$3 > t' ties.csv > next.csv
tgn-train import past.csv -o past.events -q
turned=$(sed -n 60p next.csv | cut -d, -f3)
{ awk -F, -v t="$turned" '$3 < t' next.csv; awk -F, -v t="$turned" '$3 == t' next.csv | tac; awk -F, -v t="$turned" '$3 > t' next.csv; } > turned.csv
awk -F, -v t="$turned" '$3 == t' next.csv | wc -l
for how in '' '--pair-features' '--layers 2' '--architecture pyg'; do
  # shellcheck disable=SC2086
  tgn-train train past.events -o m $small $how
  for f in next turned; do tgn-train predict m $f.csv --history past.events -q | awk -F, -v t="$turned" '$3 <= t' | sort > $f.answers; done
  cmp next.answers turned.answers && echo "in any order: '$how'"
done
for f in next turned; do tgn-train predict m $f.csv --history past.events --ties order -q | awk -F, -v t="$turned" '$3 <= t' | sort > $f.answers; done
cmp -s next.answers turned.answers || echo 'by --ties order each knows the lines before it'
# Two parts of a graph that never meet. Features of an event of one change later answers of that part alone.
awk 'BEGIN {
  srand(3)
  for (e = 0; e < 600; e++) {
    part = e % 2; t += 1 + int(3 * rand())
    print 20 * part + int(12 * rand()) "," 100 + 20 * part + int(9 * rand()) "," t "," int(100 * rand()) / 100
  }
}' > a.csv
awk -F, -v OFS=, 'NR == 402 { $4 = 9 } { print }' a.csv > b.csv
columns='1:source,2:destination,3:time,4:feature'
for f in a b; do tgn-train import $f.csv --columns $columns -o $f.events -q; tail -n +301 $f.csv > $f.next; done
head -300 a.csv > h.csv; tgn-train import h.csv --columns $columns -o h.events -q
for how in '' '--pair-features' '--layers 2' '--architecture pyg' '--neighbor-sampling uniform' '--memory exact'; do
  # shellcheck disable=SC2086
  tgn-train train a.events -o m $small $how
  for f in a b; do tgn-train predict m $f.next --columns $columns --history h.events -q -f -o $f.answers; done
  paste -d, a.answers b.answers | awk -F, -v how="$how" '
    $4 == $8 { next } NR <= 102 { early++ } NR % 2 { other++ } { later++ }
    END { print "changed: " early + 0 " before, " other + 0 " elsewhere, " (later > 9 ? "later ones" : later + 0 " later") ": \x27" how "\x27" }'
done
# An event that comes twice or thrice is scored once: alike, with negatives of each row of a file.
awk '{ print } NR % 3 == 0 { print } NR % 9 == 0 { print }' past.csv > twice.csv
tgn-train import twice.csv -o twice.events
tgn-train train twice.events -o m $small
tgn-train eval m twice.events --ranks none --no-baselines --predictions - -q |
  awk -F, '$5 == 1 { k = $2 "," $3 "," $4; n[k]++; if (k in score && score[k] != $6) bad++; score[k] = $6 }
    END { for (k in n) more += n[k] > 1; print (more > 5 ? "events that repeat" : more), "with other scores:", bad + 0 }'
