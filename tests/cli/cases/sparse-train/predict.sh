# One line of label:score a line of input, whatever form the lines have.
printf 'label,text\nbird,"wings, feathers"\nfish,"fins, scales"\nbird,feathers and beak\nfish,fins\n' > d.csv
sparse-train train d.csv -o m --min-count 1 -q
names() { sed 's/:[0-9.e-]*//g'; }
sparse-train predict m d.csv | names
printf 'bird,a beak\n\nx,scales\n' | sparse-train predict m --top-k 2 2>&1 | names
echo 'the fins of a fish' | sparse-train predict m --format text | names
printf 'no line end: wings' | sparse-train predict m - --format text | names
sparse-train predict m /dev/null; echo "exit $?"
# scores of all labels add up to 1
sparse-train predict m d.csv --top-k 9 | tr ' ' '\n' | sed 's/.*://' | awk '{s += $1} END {printf "%.4f\n", s}'
sparse-train predict m d.csv -o out --json | grep examples; wc -l < out
# each line is answered before the next one comes
mkfifo in; sparse-train predict m in --format text > answers & exec 3> in
echo fins >&3; i=0; while [ ! -s answers ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done
names < answers; echo beak >&3; exec 3>&-; wait; names < answers
# a tensor file of convert is answered as the table that it was made of
sparse-train convert d.csv --model m -o d.safetensors -q; sparse-train convert d.csv --model m -o d.tzs -q
sparse-train predict m d.csv --top-k 2 > table
for f in d.safetensors d.tzs; do sparse-train predict m $f --top-k 2 > tensors; echo "exit $?"; cmp table tensors; done
sparse-train predict m d.safetensors --format tensors --top-k 2 | cmp table -
sparse-train predict m d.tzs --explain; echo "exit $?"
