# Wrong command lines: exit 2 before anything is read.
printf 'a,one two\nb,two three\n' > d.csv
t() { sparse-train train d.csv "$@"; echo "exit $?"; }
t
t -o m --epohcs 3
t -o m --output forest
t -o m --hidden -3
t -o m --resume
t -o m --learning-rate 1e30
t -o - --json
t -o missing/m
printf 'epohcs: 3\n' > c.yaml; t -o m --config c.yaml
sparse-train predict d.csv d.csv --top-k 0; echo "exit $?"
ls
