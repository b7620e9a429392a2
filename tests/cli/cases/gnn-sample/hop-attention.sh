# Attention over features of hops: the same model for 1, 2 and 8 threads, in memory and in a file, and after a stop.
gnn-sample generate --scale 10 -o g.safetensors -q
gnn-sample generate --scale 10 --seed 5 -o other.safetensors -q
t() { gnn-sample train "${graph:-g.safetensors}" --hidden 16 --batch-size 64 --learning-rate 0.01 --epochs 8 "$@"; }
# One graph of 300 nodes with sparse features and with dense ones.
awk 'BEGIN { srand(7); for (v = 0; v < 300; ++v) { for (k = 1; k <= 3; ++k) print v "," (v + k * k) % 300 > "e"
  row = v % 3; for (c = 0; c < 20; ++c) if (rand() < (c % 3 == v % 3 ? 0.4 : 0.1)) row = row " " c ":" 1 + c % 4; print row > "f"
  print (v % 5 == 0 ? "valid" : v % 5 == 1 ? "test" : "train") > "p" } }'
for layout in sparse dense; do gnn-sample import e --undirected --features f --feature-layout $layout --split p -o $layout.safetensors -q; done
# Probabilities of all nodes in f32: sparse rows give what dense ones do, and nodes differ.
both() {
  for layout in sparse dense; do gnn-sample predict how $layout.safetensors --precision f32 --probabilities -o $layout.csv -q -f; done
  awk -F, 'FNR == 1 { next } FNR == NR { p[FNR] = $3; if ($3 > high) high = $3; if (!low || $3 < low) low = $3; next }
    { d = p[FNR] - $3; if (d * d > most) most = d * d } END { print (FNR == 301 && most < 1e-10 && high - low > 0.1 ? "sparse as dense" : "rows " FNR - 1 ", differ by " sqrt(most) ", range " high - low) }' sparse.csv dense.csv
}
gnn-sample generate --scale 10 --weights -o weighted.safetensors -q
# A node's number is the mean of its neighbours' features.
awk 'BEGIN { srand(3); for (v = 0; v < 600; ++v) print rand() }' > x.txt
awk 'BEGIN { for (v = 0; v < 600; ++v) for (k = 1; k <= 3; ++k) print v "," (v + k * k) % 600 }' > edges.csv
awk -F, 'NR == FNR { x[NR - 1] = $1; next } { sum[$2] += x[$1] } END { for (v = 0; v < 600; ++v) print 100 + 20 * sum[v] }' x.txt edges.csv > y.txt
gnn-sample import edges.csv --features x.txt --labels y.txt --split 0.5,0.25,0.25 -o numbers.safetensors -q
a() { t --architecture sagn --heads 2 --attention-dropout 0.1 -q -f "$@"; }
for n in 1 2 8; do a --threads $n -o m.$n --json > said; done
awk '/"test_accuracy"/ { print ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) } /"sampled_edges"/' said
tensor-file diff m.1 m.2 && tensor-file diff m.1 m.8 && echo same
a --residence mapped -o mapped; tensor-file diff m.1 mapped && echo same
gnn-sample eval m.1 g.safetensors --nodes test --json -q > evaluated
grep -h '"test_accuracy"' said evaluated | tr -d ' ,' | sort -u | wc -l
# predict and eval see the same outputs of the same nodes.
gnn-sample predict m.1 g.safetensors --nodes test -o test.csv -q
tensor-file cat g.safetensors --tensor labels > labels
awk -F '[,:]' 'FILENAME == "labels" { label[FNR - 1] = $1; next } FILENAME == "test.csv" { if (FNR > 1) right += $2 == label[$1]; n = FNR - 1; next }
  /"test_accuracy"/ { d = $2 - right / n; print (d * d < 1e-12 ? "predict as eval" : "predict has " right / n) }' labels test.csv evaluated
for where in memory mapped; do gnn-sample predict m.1 other.safetensors --residence $where -o $where.csv -q; done; cmp memory.csv mapped.csv && echo same
a --checkpoint k --checkpoint-every 0s -o whole; a --checkpoint k --resume -o resumed; tensor-file diff whole resumed && echo same
# Options change what is learnt.
gnn-sample predict m.1 g.safetensors --probabilities -o first.csv -q
for how in '--attention-dropout 0.5' '--heads 3' '--propagation symmetric' '--propagation ppr' '--hops 2' '--no-bias'; do
  a $how -o how && gnn-sample predict how g.safetensors --probabilities -o how.csv -q -f; cmp -s first.csv how.csv && echo "$how changes nothing"
done
for how in '--propagation symmetric' '--propagation ppr --hops 4' '--hops 1' '--hops 5 --norm layer --head-layers 2' '--no-bias'; do
  graph=sparse.safetensors a $how -o how && both
done
graph=sparse.safetensors t --architecture sagn --head-layers 0 --output-heads 2 -o how -q -f && both
weights() { gnn-sample predict $1 weighted.safetensors --probabilities -o $1.csv -q -f; }
graph=weighted.safetensors a -o plain && weights plain
graph=weighted.safetensors a --edge-weights -o how && weights how; cmp -s plain.csv how.csv && echo '--edge-weights changes nothing'
graph=numbers.safetensors a --hops 1 --epochs 60 --dropout 0 -o how --json | awk '/"test_r2"/ { print ($2 + 0 > 0.9 ? "learns numbers" : "does not: " $2) }'
for wrong in '--residual' '--fanouts 5,5' '--aggregate max' '--device cuda' '--output-heads 2' '--head-layers 0' '--hops 0'; do
  echo "-- $wrong"; a $wrong -o x 2>&1; echo "exit $?"
done
echo '-- gat'; t --architecture gat --head-layers 1 --output-heads 2 -o x 2>&1; echo "exit $?"
# HOGA relates the hops to each other before it weighs them.
echo '-- hoga'
h() { t --architecture hoga --heads 2 --attention-dropout 0.1 -q -f "$@"; }
for n in 1 2 8; do h --threads $n -o h.$n --json > said; done
awk '/"test_accuracy"/ { print ($2 + 0 > 0.6 ? "learns" : "does not learn: " $2) } /"sampled_edges"/' said
tensor-file diff h.1 h.2 && tensor-file diff h.1 h.8 && echo same
h --residence mapped -o mapped; tensor-file diff h.1 mapped && echo same
gnn-sample eval h.1 g.safetensors --nodes test --json -q > evaluated
grep -h '"test_accuracy"' said evaluated | tr -d ' ,' | sort -u | wc -l
for where in memory mapped; do gnn-sample predict h.1 other.safetensors --residence $where -o $where.csv -q; done; cmp memory.csv mapped.csv && echo same
h --checkpoint kh --checkpoint-every 0s -o whole; h --checkpoint kh --resume -o resumed; tensor-file diff whole resumed && echo same
gnn-sample predict h.1 g.safetensors --probabilities -o first.csv -q
for how in '--attention-dropout 0.5' '--dropout 0' '--activation elu' '--heads 3' '--propagation symmetric' '--hops 2' '--no-bias' '--head-layers 2 --norm layer'; do
  h $how -o how && gnn-sample predict how g.safetensors --probabilities -o how.csv -q -f; cmp -s first.csv how.csv && echo "$how changes nothing"
done
for how in '--propagation symmetric' '--hops 1' '--hops 16 --norm layer --head-layers 2' '--no-bias' '--input-dropout 0.2'; do
  graph=sparse.safetensors h $how -o how && both
done
graph=weighted.safetensors h -o plain && weights plain
graph=weighted.safetensors h --edge-weights -o how && weights how; cmp -s plain.csv how.csv && echo '--edge-weights changes nothing'
graph=numbers.safetensors h --hops 1 --epochs 60 --dropout 0 -o how --json | awk '/"test_r2"/ { print ($2 + 0 > 0.9 ? "learns numbers" : "does not: " $2) }'
for wrong in '--residual' '--fanouts 5,5' '--device cuda' '--output-heads 2' '--norm batch' '--norm layer --head-layers 1' '--hops 0'; do
  echo "-- $wrong"; h $wrong -o x 2>&1; echo "exit $?"
done
echo '-- no dense layer'; t --architecture hoga --head-layers 0 -o x 2>&1; echo "exit $?"
