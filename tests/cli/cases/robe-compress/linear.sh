# A linear model of the columns, and the choice among it, a network and the mean of both.
awk 'BEGIN { srand(7); print "click,user,item,x"; for (i = 0; i < 4000; ++i) {
  u = int(rand() * 60); v = int(rand() * 40); x = rand()
  print (rand() < 1 / (1 + exp(-(u % 7 - 3) / 2 - (v % 5 - 2) / 2 - 2 * x + 1))) "," u "," v "," x } }' > all.csv
head -n 3001 all.csv > train.csv; { head -n 1 all.csv; tail -n 1000 all.csv; } > test.csv
above() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" | awk -v least="$2" '{ print ($1 > least ? "above " : "not above ") least }'; }
c='--columns user:category,item:category,x:number'
linear() { robe-compress train train.csv $c --architecture linear "$@"; }
linear -o m | sed 's/[0-9.]* ms/T/g; s/AUC.*/.../; s/loss.*/.../'
robe-compress eval m test.csv --json | above auc 0.75
linear -o m1 -q --threads 1; linear -o m2 -q --threads 2; tensor-file diff m1 m2 && echo 'any number of threads'
tensor-file info m | grep -E 'network.architecture|embedding.dim|embedding.method|network.top.*F32'
cut -d, -f2- test.csv | robe-compress predict m | wc -l
printf '5\n12\n' | robe-compress lookup m --table user | tensor-file cat - | awk '{ print NF }'
# The penalty shrinks weights; 0 has none.
weights() { tensor-file cat $1 --tensor embedding.array | grep -v '#' | awk '{ s += $1 * $1 } END { print s }'; }
for l2 in 0 1 1000; do linear -o l2.$l2 -q --embedding-l2 $l2; weights l2.$l2; done | awk '{ print (NR == 1 || $1 < last / 1.01 ? "less" : "not less than " last); last = $1 }'
# It goes on from a model and from a checkpoint, is stored in int8, and ends with the best of validation.
linear -o half -q --embedding-l2 4 --epochs 3
robe-compress train train.csv --init half -o more -q --embedding-l2 4 --epochs 3; linear -o six -q --embedding-l2 4 --epochs 6
tensor-file diff more six && echo 'as six sweeps'
linear -o ck -q --embedding-l2 4 --epochs 3 --checkpoint c --checkpoint-every 0s; linear -o ck -f -q --embedding-l2 4 --epochs 3 --checkpoint c --resume
tensor-file diff ck half && echo resumed
linear -o int8 -q --storage int8 --json | grep '"storage"'; robe-compress eval int8 test.csv --json | above auc 0.75
linear -o v -q --validation test.csv --json | above validation_auc 0.75
# What it cannot do.
linear -o x --dim 4; linear -o x --method robe; linear -o x --learning-rate 1; linear -o x --accumulate 2
linear -o x --stream --ids hash
robe-compress sweep train.csv $c --architecture linear --held-out every:5
robe-compress train train.csv $c -o x --embedding-l2 1 --ids hash -q --epochs 1
# Without an option that says what the model is, the best of three on samples held back, or for validation, is the model.
robe-compress train train.csv $c -o chosen --json > said; grep -cE '"(network|linear|mean)": {' said
# Which epoch is the best of such little data depends on the precision that suits the machine.
robe-compress train train.csv $c -o held --held-out every:5 2>&1 | grep -E '^(network|linear|mean)|validates best' |
  sed 's/: AUC.*, log-loss [0-9.]*/: .../; s/, L2 [0-9.]*//; s/epoch [0-9]* of [0-9]*/epoch E of N/'
robe-compress eval chosen test.csv --json | above auc 0.75
# If validation chooses the linear model after the network was trained, the figures are those of its 12 sweeps.
head -n 1001 all.csv > few.csv
robe-compress train few.csv $c -o few --validation test.csv --json --report few.html 2>/dev/null | grep -E '"(architecture|epochs|best_epoch|steps)"'
grep -o '12 sweeps over all samples' few.html
# A run goes on as what it chose: with these seeds a mean and a linear model.
again() { robe-compress train train.csv $c -f -q --seed $seed "$@"; }
for seed in 1 3; do
  rm -f d; again -o whole; again -o parts --checkpoint d --checkpoint-every 0s
  again -o parts --checkpoint d --resume --json | sed -n 's/"resumed_from_step": [1-9].*/from a checkpoint/p'
  tensor-file diff parts whole && echo 'as without'
done
robe-compress train train.csv $c -o t1 -q --threads 1; robe-compress train train.csv $c -o t2 -q --threads 2; tensor-file diff t1 t2 && echo 'any number of threads'
robe-compress train train.csv $c -o given -q --architecture dlrm --json | grep -c '"candidates"'
# Architecture wide-dlrm has a linear model in its logit; it is trained as others are.
robe-compress train train.csv $c -o wide -q --architecture wide-dlrm --top 16 && robe-compress eval wide test.csv --json | above auc 0.7
