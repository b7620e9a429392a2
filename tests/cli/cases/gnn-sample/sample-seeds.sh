# Neighbourhoods of each seed's own, by time; edges as seeds with negatives; nothing depends on threads.
sample() { gnn-sample sample "$@" -o - | tensor-file info - | grep -v history; }
cat_of() { echo "$2:"; gnn-sample sample $1 -o - 2>/dev/null | tensor-file cat - --tensor "$2" | tr '\n' ' '; echo; }
printf '0,1,10\n2,1,20\n3,1,20\n4,1,30\n1,4,5\n5,4,29\n6,4,30\n0,4,31\n' > edges
gnn-sample import edges --columns 3:time --edge-ids -o g.safetensors -q
printf '1\n4\n1\n' > seeds
printf '20\n31\n100\n' > times
tree="g.safetensors --seeds seeds --seed-times times --no-shuffle --fanouts -1,-1 --semantics frontier -q --edge-ids"
sample $tree --temporal uniform
for tensor in nodes roots seed_times hop.1.neighbors hop.1.edge_ids; do cat_of "$tree --temporal uniform" $tensor; done
cat_of "$tree --temporal last --fanouts 1,1" hop.1.edge_ids
cat_of "g.safetensors --seeds seeds --temporal uniform --fanouts 5 --no-shuffle -q" seed_times
cat_of "g.safetensors --seeds seeds --temporal uniform --seed-times end --fanouts 5 --no-shuffle -q" hop.0.neighbors
cat_of "g.safetensors --seeds seeds --disjoint --fanouts 5 --no-shuffle -q" roots

links="g.safetensors --seeds edges --no-shuffle --batch-size 4 --fanouts 2 --negatives 2 --batches 1 -q"
sample $links
for tensor in nodes seeds edge_labels; do cat_of "$links --no-positives" $tensor; done
printf '0 1 15\n6\t4,40\n' > pairs
for tensor in nodes seeds roots seed_times hop.0.neighbors; do
  cat_of "g.safetensors --edges pairs --temporal uniform --no-shuffle --fanouts 9 -q" $tensor
done
cat_of "g.safetensors --edges pairs --exclude-seed-edges --edge-ids --no-shuffle --fanouts 9 -q" hop.0.edge_ids

gnn-sample generate --scale 10 --times -o timed.safetensors -q
gnn-sample generate --scale 10 --weights -o plain.safetensors -q
ways() { gnn-sample sample $1 --batch-size 100 --fanouts 5,5 --level none -o out -q; mv out "$2"; }
for way in "timed.safetensors --temporal uniform" "timed.safetensors --temporal last --seeds edges --batches 10" \
  "plain.safetensors --disjoint --method weighted" "plain.safetensors --method labor" \
  "plain.safetensors --method window --epochs 4" \
  "plain.safetensors --seeds edges --batches 10 --negatives 1 --no-positives --exclude-seed-edges"; do
  FRUGAL_THREADS=1 ways "$way" one
  for threads in 2 8; do FRUGAL_THREADS=$threads ways "$way" two; cmp one two; done
  for level in $simd_levels; do FRUGAL_SIMD=$level ways "$way" two; cmp one two; done
  echo "compared: $way"
done
# Edges whose numbers import did not keep have none.
gnn-sample sample plain.safetensors --edge-ids -o never; echo "exit $?"
