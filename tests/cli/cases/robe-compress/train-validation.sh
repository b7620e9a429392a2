# Of several epochs the best is written; patience ends early; the share of hot rows is tried and said.
robe-compress generate --shape small --samples 3000 -o d.tsv -q
small='--dim 4 --bottom 16 --top 32 --batch-size 64'
robe-compress train d.tsv -o m $small --held-out every:5 --epochs 20 --patience 2 --learning-rate 0.2 --json -q > result
grep -c '"validation_auc"' result
awk -F'[:,]' '/"epochs"/ { e = $2 } /"best_epoch"/ { b = $2 } END { print (e == b + 2 && e < 20 ? "two epochs after the best" : e " " b) }' result
robe-compress train d.tsv -o m $small --method robe-hot --compression 20 2>/dev/null | grep '^hot share' | sed 's/: .*/:/' | sed 's/, chosen//'
robe-compress train d.tsv -o m $small --epochs 2 --report r.html -q --metrics m.jsonl && grep -c '"type":"metric".*"loss"' m.jsonl && grep -o '<h[23][^<]*<\|<summary>[^<]*\|<figcaption>[^<]*' r.html | head -n 9
# The weights of layers decay, embeddings do not; not below 0.
for decay in 0 0.1; do robe-compress train d.tsv -o m$decay $small --epochs 1 -q --weight-decay $decay; done
tensor-file diff m0 m0.1 > /dev/null || echo another model
robe-compress train d.tsv -o m $small --weight-decay -1
