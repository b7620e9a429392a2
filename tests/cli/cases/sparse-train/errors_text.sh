# Text that is none, and records that break rules: one line with place, finding and expectation.
t() { sparse-train train "$@" -o model; echo "exit $?"; }
printf 'x,good text\ny,caf\351 here\n' > latin.csv; t latin.csv
# A line of separators alone is a table of as many columns: no time is lost over them.
commas() { head -c "$1" /dev/zero | tr '\0' ','; printf '\n1,2\n'; }
for n in 50000 70000; do commas $n > commas.csv; t commas.csv -q; done
t latin.csv --encoding bytes --min-count 1 -q
printf 'x,good text\ny,nul \0 here\nz,good again\n' > nul.csv; t nul.csv
t nul.csv --skip-bad 1 --min-count 1 --quiet
printf 'x,good text\r\n\r\ny,other "text" here' > crlf.csv; t crlf.csv -q --min-count 1
printf 'x,good text\ny,"open\nand more\n' > open.csv; t open.csv
sparse-train predict model open.csv; echo "exit $?"
printf '2 3 2\n0 0:1\n-1 1:1\n' > label.txt; t label.txt
printf '2 3 2\n0 -1:1\n1 1:1\n' > feature.txt; t feature.txt
printf '2 3 2\n0 99999999999:1\n1 1:1\n' > large.txt; t large.txt; printf '1 99999999999:1\n' > large.svm; t large.svm --format svmlight
printf '1 5000000000:1\n2 3:1\n' > large.any; t large.any; printf '2 4294967297 3\n0 1:1\n1 2:1\n' > large.header; t large.header
printf '3 3 2\n0 0:1\n1 1:1\n' > fewer.txt; t fewer.txt
printf '1 3 2\n0 0:1\n\n1 1:1\n' > more.txt; t more.txt
printf '2 3 2\n0 0:1e999\n1 1:1\n' > inf.txt; t inf.txt
printf '2 3 2\n0 0:1 0:2\n1 1:1\n' > twice.txt; t twice.txt
t crlf.csv --char-ngrams 6:3
t crlf.csv --word-ngrams 0
t crlf.csv --max-memory lots
awk 'BEGIN { for (i = 0; i < 2; i++) { printf "%d,", i; for (j = 0; j < 1000000; j++) printf "w%d ", i * 500 + j % 997; print "" } }' > long.csv
t long.csv -q --min-count 1
# Tables put together by cat, Excel's first line, and texts without blanks between words.
printf 'label,text\nx,good one\ny,bad one\n' > a.csv; cat a.csv a.csv > two.csv; t two.csv --no-search
sparse-train train a.csv -o model -q --min-count 1 --no-search; sparse-train predict model two.csv -q; echo "exit $?"
{ printf 'sep=,\r\n'; cat a.csv; } > excel.csv; t excel.csv; sparse-train predict model excel.csv; echo "exit $?"
printf 'a,今天天气很好\nb,我喜欢吃饭\n' > zh.csv; t zh.csv --no-search
