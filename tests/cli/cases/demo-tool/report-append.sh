# Runs that end at one time wait for each other with --report-append: the page has each of them.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do demo-tool show --name run-$i --report r.html --report-append > /dev/null & done
wait
grep -c '^<article id=' r.html
grep -o -- '--name run-[0-9]*' r.html | sort -u | grep -c .
ls -A
