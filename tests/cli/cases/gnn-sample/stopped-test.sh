# A signal ends the test that follows a training: the model is written.
gnn-sample generate --nodes 100000 --features 16 --classes 4 --train-share 0.01 --valid-share 0.001 -o g -q
rm -f log; gnn-sample train g --architecture sage --fanouts 5,5 --hidden 64 --epochs 1 --eval-fanouts 200,200 -o m > log 2> err &
until grep -q '^epoch 1' log; do sleep 0.02; done
kill -TERM $!; began=$(date +%s); wait $!; echo "exit $?"
[ $(($(date +%s) - began)) -le 5 ] || echo late
cat err; tensor-file verify m
