# A model with full tables is made small, weighted by what it counted, and trained further.
robe-compress generate --shape small --samples 4000 -o all.tsv -q
head -n 3000 all.tsv > train.tsv; tail -n 1000 all.tsv > test.tsv
small="--dim 4 --bottom 16 --top 32 --epochs 2"
robe-compress train train.tsv -o full.model --method full $small -q
auc() { robe-compress eval "$1" test.tsv --json -q | sed -n 's/^ *"auc": \([0-9.]*\),*$/\1/p'; }
robe-compress compress full.model -o small.model --compression 4 --json -q | grep -o '"weighted": true'
robe-compress compress full.model -o tuned.model --compression 4 --fine-tune train.tsv --validation test.tsv --json -q | grep -c '"best_epoch"\|"validation_log_loss"'
echo "$(auc full.model) $(auc small.model) $(auc tuned.model)" | awk '{ print ($3 >= $2 ? "not worse trained further" : $3) }'
robe-compress compress full.model -o int8.model --method int8 -q && echo "$(auc full.model) $(auc int8.model)" | awk '{ print ($1 - $2 < 0.003 ? "as good" : $2) }'
robe-compress train train.tsv --init small.model --epochs 1 -o more.model -q && robe-compress expand small.model -o tables.npz -q && ls
robe-compress expand full.model -o t.safetensors -q; robe-compress compress t.safetensors -o x --compression 4 --fine-tune train.tsv; echo "exit $?"
robe-compress compress full.model -o x --compression 4 --validation test.tsv; echo "exit $?"
robe-compress compress full.model -o x --method int8 --fine-tune missing.tsv; echo "exit $?"
robe-compress compress full.model -o x --block 5 --fine-tune missing.tsv; echo "exit $?"
robe-compress compress full.model -o x --select C1; echo "exit $?"
# Shares of hot rows that leave no block to share are not tried.
robe-compress compress full.model -o tiny.model --compression 1700 --fine-tune train.tsv -q; echo "exit $?"
robe-compress train train.tsv -o tiny.model --method robe-hot --bytes 40 $small -q; echo "exit $?"
