# Dates that are numbers, decimal marks, and files for text that are none.
awk 'BEGIN { print "click,when"; for (i = 0; i < 400; ++i) { h = i % 24; printf "%d,202403%02d%02d00\n", (h >= 12), i % 28 + 1, h } }' > minutes.csv
awk 'BEGIN { print "click,year"; for (i = 0; i < 100; ++i) printf "%d,%d\n", i % 2, 2000 + i % 20 }' > years.csv
awk 'BEGIN { print "click;x"; for (i = 0; i < 60; ++i) print i % 2 ? "1;9" i % 9 ",5" : "0;1.2" i % 9 "4" }' > marks.csv
awk 'BEGIN { print "click;x"; for (i = 0; i < 60; ++i) print i % 2 ? "1;9" i % 9 ",5" : "0;12" i % 9 "4" }' > commas.csv
fit() { sparse-train train "$@" --no-search -o m.model 2>&1 | grep -E '^sparse-train|^hidden'; }
fit minutes.csv --columns click:label,when:date; sparse-train eval m.model minutes.csv --json | grep '"accuracy'
fit years.csv --columns click:label,year:date; sed 's/year/when/' years.csv > others.csv
fit minutes.csv --columns click:label,when:date; sparse-train eval m.model others.csv --json 2>&1 | grep warning
fit marks.csv --columns click:label,x:number
fit commas.csv --columns click:label,x:number; printf 'x;click\n95,5;1\n1.234;0\n' | sparse-train predict m.model - > answers; echo "exit $?"
fit commas.csv --columns click:label,x:number; printf 'x;click\n95,5;1\n1234;0\n' | sparse-train predict m.model - | cut -d : -f 1
tr '\n' '\r' < commas.csv > cr.csv; sparse-train predict m.model cr.csv; echo "exit $?"; sparse-train eval m.model - < cr.csv; echo "exit $?"
