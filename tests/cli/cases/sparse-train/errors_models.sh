# Files that are not a model of this program.
printf 'a,one two\nb,two three two\n' > d.csv
e() { sparse-train eval "$@"; echo "exit $?"; }
e d.csv d.csv
e missing d.csv
sparse-train train d.csv -o m --min-count 1 -q --checkpoint c --checkpoint-every 0s; echo "exit $?"
e c d.csv
e m missing.csv
e m /dev/null
head -c 500 m > cut; e cut d.csv
printf '1 4 2\n0 0:1\n' > sparse.txt; e m sparse.txt
