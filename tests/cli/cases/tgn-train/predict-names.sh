# Answers in the owner's words; features by their names; nodes that nobody knows are counted, and kept by no question.
python3 - <<'END'
import datetime, random
draw, time = random.Random(3).random, datetime.datetime(2023, 11, 14)
with open('all.csv', 'w') as out:
    print('when,who,what,b,a', file=out)
    for e in range(300):
        time += datetime.timedelta(seconds=600 + int(7000 * draw()))
        u = int(9 * draw()); v = (u + int(3 * draw())) % 7
        print(f'{time.isoformat()}Z,u{u},"i ""{v}""",{int(5 * draw())},{int(9 * draw())}', file=out)
END
named=when:time,who:source,what:destination,b:feature,a:feature
small='--memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 --threads 1 -q -f'
head -251 all.csv > past.csv; tail -50 all.csv > lines
tgn-train import past.csv --columns $named -o past.events
# shellcheck disable=SC2086
tgn-train train past.events -o m $small
{ head -1 all.csv; cat lines; } > next.csv
tgn-train predict m next.csv --history past.events -q | head -3 | sed 's/0\.[0-9]*$/P/'
# The same columns in another order, and with another one: the model knows their names.
python3 - <<'END'
import csv
rows = list(csv.reader(open('next.csv')))
order = [4, 2, 0, 3, 1]
w = csv.writer(open('turned.csv', 'w'))
for r in rows: w.writerow([r[i] for i in order] + ['junk'])
END
sed -i '1s/junk/note/' turned.csv
tgn-train predict m turned.csv --history past.events -q > turned.txt
tgn-train predict m next.csv --history past.events -q > next.txt
cmp turned.txt next.txt && echo 'the same answers'
cut -d, -f1-3,5 turned.csv | tgn-train predict m --history past.events -q; echo "exit $?"
cut -d, -f1-4 turned.csv | tgn-train predict m --history past.events -q; echo "exit $?"
# Questions about nodes that nobody knows.
last=$(tail -1 lines | cut -d, -f1)
{ echo who,what,when; for k in 1 2 3; do echo "x$k,i,$last"; done; echo "u1,y,$last"; } > questions.csv
question='--history past.events --query --columns who:source,what:destination,when:time'
# shellcheck disable=SC2086
tgn-train predict m questions.csv $question -f -o answers --json | grep 'unknown\|nodes'
cut -d, -f4 answers | sort | uniq -c | awk '{ print $1 }'
# shellcheck disable=SC2086
tgn-train predict m questions.csv $question --top-k 2 --answers json --logits -q | sed 's/"logit":[-0-9.e]*/"logit":x/'
# Lines that are no events, or late: passed over and counted; or the end, behind what was before them.
t() { tgn-train predict m bad.csv --history past.events --columns $named "$@"; echo "exit $?"; }
{ head -1 all.csv; head -20 lines; sed -n 5p all.csv; echo 'oops,u1,i,1,2'; tail -30 lines; } > bad.csv
t --on-error skip -o skipped.txt -f --json | grep 'events"\|skipped'
tgn-train predict m next.csv --history past.events --columns $named -q > next.txt; cmp skipped.txt next.txt && echo 'as without them'
t --save-state s -o answers -f; wc -l < answers
{ head -1 all.csv; tail -30 lines; } | tgn-train predict m --state s --columns $named -q > rest.txt
{ cat answers; tail -30 rest.txt; } | cmp - next.txt && echo 'gone on behind the line'
t --on-error never
# The model says which columns are features: a value that is no number is that line's fault.
awk -F, -v OFS=, 'NR == 1 { for (c = 1; c <= NF; ++c) if ($c == "a") a = c } NR == 3 { $a = "abc" } NR < 5' turned.csv > words.csv
tgn-train predict m words.csv --history past.events --on-error skip -o words.txt -f >/dev/null; wc -l < words.txt
