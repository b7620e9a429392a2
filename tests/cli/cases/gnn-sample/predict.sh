# Classes of all or some nodes, exactly or sampled; what the predictions file has; the same for any number of threads.
# What eval says of the same nodes: exactly what train said, and how often the answers of predict are right.
gnn-sample generate --scale 10 -o g.safetensors -q
gnn-sample train g.safetensors --fanouts 10,5 --hidden 16 --batch-size 64 --learning-rate 0.01 --epochs 6 -o m -q --json > trained
tensor-file info m | grep 'frugal.tool'
i() { gnn-sample predict m g.safetensors -q "$@"; }
e() { gnn-sample eval m g.safetensors -q "$@"; }
keys() { sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' $1 | sort | tr '\n' ' '; echo; }
figure() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" $2; }
i -o all.safetensors --json > predicted; keys predicted
e --json > said; keys said
for name in test_accuracy test_macro_f1 test_log_loss validation_accuracy validation_log_loss; do
  [ "$(figure $name trained)" = "$(figure $name said)" ] && echo "$name as train said"
done
tensor-file cat all.safetensors --tensor classes > classes; tensor-file cat g.safetensors --tensor labels > labels
paste classes labels | awk '{ right += $1 == $2 } END { print right / NR }' > by-hand; figure accuracy said | awk '{ print $1 + 0 }' | cmp - by-hand && echo accuracy counted by hand
gnn-sample eval m g.safetensors --nodes test --progress never 2>&1 | sed 's/in [0-9.]* [mu]*s,/in TIME,/; s/0\.[0-9]*/X/g'
tensor-file info all.safetensors | grep -v 'history\|stored'
for n in 1 2 8; do
  i -o exact.$n --probabilities --threads $n; i -o sampled.$n --fanouts 10,5 --nodes test --threads $n
done
for kind in exact sampled; do tensor-file diff $kind.1 $kind.2 && tensor-file diff $kind.1 $kind.8 && echo same; done
tensor-file info exact.1 | grep '\[[0-9]'; tensor-file info sampled.1 | grep '\[[0-9]'
printf '7\n0\n7\n999\n' > nodes.txt
i --nodes nodes.txt -o few.safetensors; tensor-file cat few.safetensors --tensor nodes
tensor-file convert all.safetensors - | gnn-sample predict - g.safetensors -o never; echo "exit $?"
for nodes in train valid labelled; do e --nodes $nodes --json | grep '"nodes"'; done
e --json | grep -v seconds > default; e --json --nodes all | grep -v seconds | cmp - default && echo all of them are labelled
for n in 1 2; do e --nodes test --fanouts 10,5 --json --threads $n | grep -v 'seconds' > drawn.$n; done; cmp drawn.1 drawn.2 && grep -c test_ drawn.1
printf '7\n' | i --nodes - -o - | tensor-file cat - --tensor classes > seven; [ $(cat seven) = $(sed -n 8p classes) ] && echo a query in a pipe
# All neighbours drawn are all neighbours.
i --fanouts=-1,-1 -o drawn.safetensors --batch-size 100; tensor-file diff all.safetensors drawn.safetensors && echo same
# Nodes that are asked for twice, more than once in a mini-batch.
printf '5\n5\n7\n9\n5\n11\n' > twice.txt
i --nodes twice.txt -o a.safetensors; i --nodes twice.txt --fanouts=-1,-1 --batch-size 4 -o b.safetensors
tensor-file diff a.safetensors b.safetensors && echo same
# Nodes with other numbers than in the input are there with both.
printf '0,1\n1,2\n2,3\n1,3\n1,4\n' > e.csv; printf '0 0:1\n1 1:1\n0 0:1\n1 1:1\n0 0:1\n' > f.txt
gnn-sample import e.csv --undirected --features f.txt --split 0.6,0.2,0.2 --reorder degree -o r.safetensors -q
gnn-sample train r.safetensors --fanouts 2 --epochs 1 -o r.model -q; printf '0\n4\n' > some
gnn-sample predict r.model r.safetensors --nodes some -o p.safetensors -q
tensor-file cat p.safetensors --tensor ids; tensor-file cat r.safetensors --tensor ids
