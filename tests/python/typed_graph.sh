# For the scripts beside it: makes types.safetensors, a graph of two types of nodes, of the edges in ab and ba, and
# typed(), which samples it to stdout.
awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 7919 % 400 "," int(i * 0.7) % 300 }' > ab
awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 31 % 300 "," int(i * 0.3) % 400 }' > ba
gnn-sample import --edges a:r:b=ab --edges b:s:a=ba -o types.safetensors -q
typed() { gnn-sample sample types.safetensors --seed-type b --seeds all --fanouts 5,3 --batch-size 70 -q "$@" -o -; }
