# Wrong command lines: exit 2 before anything is read.
printf 'a,one two\nb,two three\n' > d.csv
t() { sparse-train train d.csv "$@"; echo "exit $?"; }
t
t -o m --epohcs 3
t -o m --architecture forest
t -o m --hidden -3
t -o m --resume
t -o m --learning-rate 1e30
t -o - --json
t -o missing/m
printf 'epohcs: 3\n' > c.yaml; t -o m --config c.yaml
sparse-train predict d.csv d.csv --top-k 0; echo "exit $?"
# What would do nothing is said, not ignored.
for useless in '--lsh-k 3' '--architecture dense --leaf-size 9' '--architecture tree --optimizer adam' '--architecture lsh --negatives 9' '--architecture tree --hidden 3' '--architecture tree --epochs 9' '--architecture tree --learning-rate 1' '--architecture tree --batch-size 9' '--architecture tree --loss ova' '--architecture tree --precision bf16' '--architecture dense --trees 2' '--architecture dense --tree-cost 2' '--architecture shared --tree-prune 0' '--architecture lsh --lsh-threshold 3' '--architecture lsh --lsh-mode threshold --lsh-active 7'; do t -o m $useless; done
printf '__label__a one two\n__label__b two three\n' > d.txt; printf '2 3 2\n0 0:1\n1 2:1\n' > d.xmc
for useless in '--word-ngrams 2' '--char-ngrams 3:4' '--min-count 1' '--max-features 9' --no-text-start --no-lower-case; do sparse-train train d.xmc $useless -o m; echo "exit $?"; done
for c in eval predict; do sparse-train $c m d.csv --thresholds labels --threshold 0.3; echo "exit $?"; done
for useless in 'd.txt --label-column 2' 'd.txt --columns 1:text' 'd.txt --label-separator ;' 'd.txt --header yes' 'd.xmc --tokenizer spaces' 'd.csv --label-prefix #' \
  'd.csv --format csv --label-prefix #' 'd.txt --format fasttext --header yes' 'd.xmc --format xmc --char-ngrams 3:4' 'd.csv --init m --label-column 1' 'd.csv --init m --calibration held-out' 'd.csv --init m --calibration none'; do
  sparse-train train $useless -o m; echo "exit $?"
done
sparse-train convert d.xmc --label-column 1 -o c.safetensors; echo "exit $?"
sparse-train convert d.csv --model m --min-count 3 -o c.safetensors; echo "exit $?"
sparse-train convert d.csv -o d.safetensors -q; sparse-train train d.safetensors --text-columns 2 -o m; echo "exit $?"
sparse-train predict m d.csv --explain-features 3; echo "exit $?"
sparse-train tune d.csv -o best --validation d.csv --held-out 0.5; echo "exit $?"
ls
