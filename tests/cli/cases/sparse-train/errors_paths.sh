# An output that is an input too is refused, by any of its names; one that cannot be created costs no training.
printf 'x,one two\ny,two one\n' > d.csv; cp d.csv saved.csv; ln d.csv link.csv; ln -s d.csv soft.csv
t() { sparse-train train d.csv --min-count 1 -q "$@"; echo "exit $?"; }
t -o m --report m.html --depfile m.d
for same in d.csv ./d.csv link.csv soft.csv; do t -o $same; done
t -o x --checkpoint d.csv
t -o x --validation saved.csv --checkpoint saved.csv
sparse-train predict m d.csv -o d.csv; echo "exit $?"
sparse-train predict m d.csv -o m; echo "exit $?"
sparse-train convert d.csv -o d.csv; echo "exit $?"
sparse-train eval m d.csv --per-label d.csv; echo "exit $?"
sparse-train tune d.csv -o d.csv; echo "exit $?"
t -o x --report none/r.html
t -o x --depfile none/d
t -o x --metrics none/log
t -o x --checkpoint none/c
t -o d.csv/x
# The least memory: all examples go through a temporary file.
t -o spilled --max-memory 0; sparse-train eval spilled d.csv | head -n 1
cmp d.csv saved.csv; ls
# Standard input is one input, whatever reads it.
printf 'a,one two\nb,two three two\na,one\n' > d.csv; sparse-train train d.csv -o m --min-count 1 -q; for data in - ''; do sparse-train predict - $data < m; echo "exit $?"; done
# A checkpoint that is missing is replaced by the one before, with a word.
sparse-train train d.csv -o m --min-count 1 -q --architecture dense --epochs 400 --checkpoint c --checkpoint-every 1ms; rm c
sparse-train train d.csv -o m --min-count 1 --architecture dense --epochs 400 --checkpoint c --resume 2>&1 | grep -c 'c is missing: going on from c.prev'
