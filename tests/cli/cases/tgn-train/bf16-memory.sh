# With a memory in bf16, too, answers do not depend on how many lines come at once, nor on restarts.
awk 'BEGIN { srand(5); for (e = 0; e < 400; e++) { t += int(9 * rand()); print int(9 * rand()) "," 20 + int(7 * rand()) "," t } }' > all.csv
head -300 all.csv > past.csv; tail -100 all.csv > next.csv
tgn-train import past.csv -o past.events -q
tgn-train train past.events -o m --memory-dtype bf16 --memory-dim 16 --time-dim 8 --epochs 1 --new-nodes 0 --threads 1 -q
for batch in 1 7 200; do tgn-train predict m next.csv --history past.events --batch-size $batch -q > answers.$batch; done
cmp answers.1 answers.7 && cmp answers.1 answers.200 && echo 'by one, seven or all'
head -37 next.csv | tgn-train predict m --history past.events --save-state s -q > begun
tail -63 next.csv | tgn-train predict m --state s -q | cat begun - | cmp - answers.200 && echo 'and restarted'
