# What a graph lacks for training, and what a command line promises in vain, is said in one line.
gnn-sample generate --scale 50 -o g.safetensors -q
gnn-sample generate --scale 50 --features 0 -o bare.safetensors -q
gnn-sample generate --scale 50 --classes 1 -o unlabelled.safetensors -q
printf '0,1\n1,2\n' > e.csv; printf '0 0:1\n1 1:nan\n0 0:2\n' > f.libsvm; printf '0 0:1\n1 1:3\n0 0:2\n' > fine.libsvm
printf 'train\nvalid\ntest\n' > s.txt; printf 'test\nvalid\ntest\n' > t.txt
gnn-sample import e.csv --features fine.libsvm --split none -o unsplit.safetensors -q
gnn-sample import e.csv --features fine.libsvm --split t.txt -o untrained.safetensors -q
gnn-sample import e.csv --features f.libsvm --split s.txt -o nan.safetensors -q; echo "exit $?"
gnn-sample import e.csv --features fine.libsvm --split s.txt -o tiny.safetensors -q
gnn-sample train tiny.safetensors -o tiny.model -q && echo trained
python3 -c 'import sys; sys.stdout.buffer.write(open("tiny.safetensors", "rb").read().replace(b"\0\0\x40\x40", b"\0\0\xc0\x7f"))' > nan.safetensors
t() { gnn-sample train "$@" -o m -q; echo "exit $?"; }
for graph in bare unlabelled unsplit untrained nan nowhere; do t $graph.safetensors; done
gnn-sample sample nan.safetensors --seeds all -o - -q | wc -c; gnn-sample sample nan.safetensors --seeds all -o b -q; echo "exit $?"
gnn-sample sample nan.safetensors --seeds all --no-features -o /dev/null -q; echo "exit $?"
t g.safetensors --split 1
for wrong in '--fanouts 0' '--fanouts 5,,5' '--fanouts x' '--fanouts=-2,5' '--architecture mlp' '--hidden 0' '--dropout 1' '--eval-fanouts 5,5' '--resume' '--method weighted' '--learning-rate 1e38 --optimizer sgd --epochs 20' '--resume --checkpoint none --epochs 1' '--time-budget 1ms' '--config nowhere.yaml' '--heads 8' '--architecture gat --train-epsilon' '--architecture sage-ri --head-layers 2' '--decay-first-only' '--negatives 9' '--task links --split 1' '--eval-fanouts x' '--metric auc' '--norm group' '--norm layer --batch-norm' '--norm none --batch-norm' '--jumping sum' '--architecture sage-ri --residual'; do
  echo "-- $wrong"; t g.safetensors $wrong 2>&1 | sed 's/after [0-9.]* .*s went/after ... went/; s/: [0-9.]* m\{0,1\}s went/: ... went/'
done
# A validation part of one class has no area under the curve.
printf '0 0:1\n1 0:2\n0 0:3\n0 0:4\n' > one.libsvm; printf 'train\ntrain\nvalid\nvalid\n' > one.txt
gnn-sample import e.csv --features one.libsvm --split one.txt -o one.safetensors -q; t one.safetensors --metric auc
gnn-sample train g.safetensors -o g.safetensors -q; echo "exit $?"
gnn-sample train g.safetensors -o m --checkpoint g.safetensors -q; echo "exit $?"
gnn-sample train g.safetensors -o m --checkpoint m -q; echo "exit $?"
gnn-sample train tiny.model -o m -q; echo "exit $?"
gnn-sample train g.safetensors -o no/such/m -q; echo "exit $?"
printf 'not a graph' > text; t text
ls
# Its name in older versions is known.
gnn-sample train g --model gat -o m; echo "exit $?"
# Features far too large: no model is written that no command would read.
python3 -c 'for v in range(40): print(v % 2, f"0:{(v % 2 + 1) * 1e25}", f"1:{(v % 5) * 1e25}")' > large.libsvm
python3 -c 'for v in range(40): print(v, (v + 2) % 40)' > ring.txt
gnn-sample import ring.txt --features large.libsvm --split 0.6,0.2,0.2 -o large.safetensors -q
gnn-sample import ring.txt --features large.libsvm --split 0.8,0,0.2 -o unvalidated.safetensors -q
for graph in large unvalidated; do t $graph.safetensors --architecture sage --fanouts 5,5 --norm batch --hidden 8 --epochs 3; done
