# Later versions read the files of version 1.0.0, and find in them what it found.
gnn-sample eval "$golden/gnn-sample-v1.model" "$golden/gnn-sample-v1.graph" --json -q | grep -E '"(test_)?accuracy"'
printf "0\n1\n2\n" > seeds
gnn-sample sample "$golden/gnn-sample-v1.graph" --seeds seeds --fanouts 2 -o - -q | tensor-file info - | grep hop
