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
# What would do nothing is said, not ignored.
for useless in '--lsh-k 3' '--output dense --leaf-size 9' '--output tree --optimizer adam' '--output lsh --negatives 9'; do t -o m $useless; done
sparse-train predict m d.csv --explain-features 3; echo "exit $?"
sparse-train tune d.csv -o best --validation d.csv --held-out 0.5; echo "exit $?"
ls
