# No output takes the place of an input or of another output; one that cannot be made costs no training.
robe-compress generate --shape small --samples 300 -o d.tsv -q; cp d.tsv v.tsv; cp d.tsv saved.tsv
t() { robe-compress train d.tsv --bottom 4 --top 4 --dim 4 -q "$@"; echo "exit $?"; }
t -o m
t -o d.tsv
t --validation v.tsv -o v.tsv
robe-compress train d.tsv --init m -o m -q; echo "exit $?"
t -o x --checkpoint d.tsv
t -o x --checkpoint x
t -o x --report x
t -o x --metrics ./x
t -o x --report r --metrics r
t -o x --depfile x
robe-compress predict m d.tsv -o m -q; echo "exit $?"
robe-compress predict m d.tsv -o d.tsv -q; echo "exit $?"
robe-compress sweep d.tsv -o d.tsv --held-out every:5 -q; echo "exit $?"
mkdir folder
t -o folder
robe-compress sweep d.tsv -o folder --held-out every:5 -q; echo "exit $?"
robe-compress sweep d.tsv -o s.csv --report folder --held-out every:5 -q; echo "exit $?"
cmp d.tsv saved.tsv && cmp v.tsv saved.tsv; ls
