# Every method cuts less than chance, parts keep their bounds, the file says the part of each node.
gnn-sample generate --scale 8 -o g.safetensors -q  # partitioning is slow under the sanitizers
within() { sed 's/[",:]//g' said | awk -v balance="$1" -v most="$2" '$1 == balance { print $1, ($2 <= most ? "within" : "above"), most }'; }
for method in random ldg multilevel; do
  gnn-sample partition g.safetensors --parts 8 --method $method --json -o $method.safetensors > said
  sed -n 's/^ *"cut": 0\.\(.\).*/0.\1/p' said | sed "s/^/$method cuts /"; within node_balance 1.0501
done
tensor-file info multilevel.safetensors | grep -v 'history\|cut\|stored'
for balance in nodes edges train; do
  gnn-sample partition g.safetensors --parts 4 --balance $balance --imbalance 1.1 -o $balance.safetensors --json > said
  within ${balance%s}_balance 1.1101
done
gnn-sample partition g.safetensors --parts 1 | tensor-file info - | grep '\[[0-9]'
gnn-sample generate --shape arxiv --scale 100 --classes 1 --features 0 -o directed.safetensors -q
gnn-sample partition directed.safetensors --parts 3 -o d.safetensors --threads 1 | sed 's/[0-9.]* %/C %/; s/[0-9.]* \(times\|in edges\)/X \1/g'
gnn-sample partition directed.safetensors --parts 3 -o e.safetensors -q; tensor-file diff d.safetensors e.safetensors && echo same
# METIS remarks that a half has fewer nodes than parts, but not on the stdout that the file goes to.
{ echo 0,1; seq 99 | sed 's/^/0,/'; } > star.csv; gnn-sample import star.csv --undirected -o star.safetensors -q
gnn-sample partition star.safetensors --parts 60 --imbalance 2 2>/dev/null | tensor-file info - | grep '\[[0-9]'
gnn-sample partition directed.safetensors --parts 3 --balance train -o x; echo "exit $?"
for wrong in '--parts 0' '--parts 20000' '--parts 2 --method best' '--parts 2 --imbalance 0.5' '--parts 2 --passes 0' '--parts 2 --passes 3' ''; do
  gnn-sample partition g.safetensors $wrong -o x; echo "exit $?"
done
gnn-sample generate --scale 20 -o tiny.safetensors -q # no parts of equal size
gnn-sample partition tiny.safetensors --parts 3 --imbalance 1 -o tiny.parts >/dev/null; echo "exit $?"
gnn-sample partition nowhere --parts 2; echo "exit $?"
gnn-sample partition multilevel.safetensors --parts 2; echo "exit $?"
gnn-sample partition g.safetensors --parts 2 -o g.safetensors; echo "exit $?"
# Training refuses other graphs' parts, and features without rows of one size.
for wrong in '--feature-parts d.safetensors' '--feature-parts g.safetensors' '--feature-cache 2'; do
  gnn-sample train g.safetensors $wrong -o m -q; echo "exit $?"
done
gnn-sample generate --scale 8 --seed 1 -o other.safetensors -q
gnn-sample train other.safetensors --feature-parts multilevel.safetensors -o m -q; echo "exit $?"
printf '0,1\n1,2\n' > e.csv; printf '0 9000:1\n1 1:3\n0 7:2\n' > f.libsvm; printf 'train\nvalid\ntest\n' > s.txt
gnn-sample import e.csv --features f.libsvm --split s.txt -o sparse.safetensors -q
gnn-sample train sparse.safetensors --feature-parts even -o m -q; echo "exit $?"
ls
