# Walks, with the weights of node2vec and restarts, and what PinSAGE makes of them.
printf '0,1\n1,2\n2,0\n1,3\n3,2\n4,3\n5,6\n' > edges
gnn-sample import edges --undirected -o g.safetensors -q
printf '0\n4\n7\n0\n' > seeds
gnn-sample import edges --nodes 8 -o directed.safetensors -q
walk() { gnn-sample sample "$@" --no-shuffle -q -o - | tensor-file cat - --tensor walks; echo; }
walk directed.safetensors --seeds seeds --walks 4
walk g.safetensors --seeds all --walks 3 --walks-per-node 2 --wide-ids
walk g.safetensors --seeds all --walks 6 --p 0.01 --q 10
walk g.safetensors --seeds all --walks 6 --restart 0.9
gnn-sample sample directed.safetensors --seeds seeds --no-shuffle --walks 8 --walks-per-node 20 --restart 0.2 --pinsage 2 -q -o p.tzs
tensor-file info p.tzs | grep -v 'history\|stored'
for tensor in nodes seeds hop.0.offsets hop.0.neighbors hop.0.weights; do
  tensor-file cat p.tzs --tensor $tensor | tr '\n' ' '; echo
done
gnn-sample generate --scale 10 -o plain.safetensors -q
for way in "--walks 10 --p 0.5 --q 2" "--walks 10 --restart 0.2 --walks-per-node 5 --pinsage 3"; do
  same() { gnn-sample sample plain.safetensors $way --batch-size 100 --level none -o out -q; mv out "$1"; }
  FRUGAL_THREADS=1 same one
  for threads in 2 8; do FRUGAL_THREADS=$threads same two; cmp one two; done
  for level in $simd_levels; do FRUGAL_SIMD=$level same two; cmp one two; done
  echo "compared: $way"
done
gnn-sample bench plain.safetensors --walks 5 --rounds 1 --ladder --json | grep '"name\|"nodes'
gnn-sample bench plain.safetensors --walks 5 --features; echo "exit $?"
gnn-sample bench plain.safetensors --fanouts=-1 --seeds all --batch-size 10000 --rounds 1 --ladder --features --json | grep '"name\|_batch"'
gnn-sample bench g.safetensors --seeds all --features; echo "exit $?"
for wrong in "--p 0" "--q -1" "--restart 1" "--walks -1" "--walks 2000000" "--walks 5 --seeds edges" \
  "--walks 5 --temporal last" "--walks 100000 --walks-per-node 100000"; do
  gnn-sample sample g.safetensors --seeds all $wrong -o x; echo "exit $?"
done
ls
# A mini-batch of --pinsage has the features of its nodes, in their order.
printf '0,1\n1,2\n2,3\n3,0\n2,0\n' > ring; printf 'x,y\n0,7\n10,7\n20,7\n30,7\n' > rows
gnn-sample import ring --features rows -o ring.safetensors -q
gnn-sample sample ring.safetensors --seeds all --walks 4 --walks-per-node 9 --pinsage 2 --batch-size 3 -o visited -q
for tensor in nodes features; do tensor-file cat visited --tensor $tensor > $tensor.txt; done
paste nodes.txt features.txt | awk '$2 == 10 * $1 && $3 == 7 { n++ } END { print n, "of", NR, "rows are those of their nodes" }'
