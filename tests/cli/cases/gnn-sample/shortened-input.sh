# A mapped graph that becomes shorter while its batches are written: what was lost is said, with 74, not SIGBUS.
gnn-sample generate --nodes 20000 --degree 8 --features 64 -o g.safetensors -q
mkfifo batches
gnn-sample sample g.safetensors --residence mapped --fanouts 3 --batch-size 100 --features -o - -q > batches & tool=$!
exec 3< batches; head -c 1 <&3 > first; truncate -s 8192 g.safetensors
cat <&3 > rest; exec 3<&-
wait $tool; echo "exit $?"
tensor-file verify - < rest > verified 2>&1; echo "the stream: $?"
