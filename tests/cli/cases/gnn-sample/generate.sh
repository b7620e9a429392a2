# Graphs depend on options and seed, not on threads; shapes scale; what makes no sense is refused.
gnn-sample generate -o small.safetensors
tensor-file info small.safetensors | grep -v 'history\|stored'
gnn-sample generate -o one.safetensors --threads 1 -q
tensor-file diff small.safetensors one.safetensors && echo 'same on one thread'
gnn-sample generate -o other.safetensors --seed 1 -q
tensor-file diff -q small.safetensors other.safetensors; echo "exit $?"
gnn-sample generate --shape products --scale 5000 --feature-type bf16 --edge-ids --weights -o p.safetensors
tensor-file info p.safetensors | grep '\[[0-9]'
gnn-sample generate --shape arxiv --scale 500 --times --features 0 -o a.zst --json
gnn-sample generate --model rmat --nodes 1000 --degree 4 --classes 1 --features 0 --direction directed --duplicates -o r.safetensors
gnn-sample generate -q | tensor-file info - | grep -c features
for wrong in '--shape large' '--scale 0.5' '--nodes 5000000000' '--edges 5 --degree 3' '--classes 20000' '--homophily 2' \
    '--quadrants 1,2 --model rmat' '--quadrants 1,1,1,1 --model rmat' '--exponent 1.5' '--shape arxiv --exponent 3' \
    '--train-share 0.8 --valid-share 0.3' '--features -2' '--feature-type f64' '--separation x' \
    '--separation inf' '--separation nan' '--separation 1e6 --feature-type f16' '--exponent inf' '--quadrants .25,.25,.25,.25'; do
  gnn-sample generate -o x $wrong; echo "exit $?"
done
gnn-sample generate --edges 1000000000000 -o x 2>&1 | sed 's/most.*/most .../'
gnn-sample generate -o /dev/full; echo "exit $?"
gnn-sample generate -o no/where; echo "exit $?"
ls
# A graph that would be the same but for the time is left alone, one of other content is not.
for o in s.safetensors s.safetensors.zst s.tzs; do
  for t in 1 22; do SOURCE_DATE_EPOCH=$t gnn-sample generate --nodes 200 -o $o -q --if-changed; [ $t = 1 ] && touch -d 2001-02-03 $o; done; date -u -r $o +%Y
  gnn-sample generate --nodes 201 -o $o -q --if-changed; [ "$(date -u -r $o +%Y)" != 2001 ] && echo new
done
