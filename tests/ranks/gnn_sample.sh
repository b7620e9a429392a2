#!/bin/sh
# gnn-sample train as ranks of MPI: the same model to the byte for 1, 2 and 4 ranks, what ranks must agree on, and what a
# rank's end does to the others. Skipped (77) where no mpirun is.
#   gnn_sample.sh BIN_DIR PLUGIN_DIR
. "$(dirname "$0")/ranks.sh"
graph=$scratch/g.graph
gnn-sample generate -o "$graph" --nodes 2000 -q
train() { echo gnn-sample train "$graph" --fanouts 4,4 --hidden 16 --batch-size 50 --threads 1 -q -f -o m "$@"; }

# 50 mini-batches of 20 seeds do not divide by 8: the last step of an epoch has fewer.
for architecture in sage sage-ri; do
  for n in 0 1 2 4; do
    mkdir -p $n; cd $n || exit 1
    command=$(train --architecture $architecture --batch-size 20 --epochs 2 --accumulate 8)
    if [ $n = 0 ]; then $command; else ranks $n $command > out 2>&1 || wrong "$architecture, $n ranks: $(cat out)"; fi
    cd ..
    cmp 0/m $n/m || wrong "$architecture: $n ranks have another model"
  done
done
# By default a step has a mini-batch of each rank.
(cd 0 && $(train --epochs 1 --accumulate 2)); (cd 2 && ranks 2 $(train --epochs 1) > out 2>&1)
tensor-file diff 0/m 2/m > /dev/null || wrong 'two ranks by default are not --accumulate 2'
# Three ranks have other bits, and learn as well.
(cd 4 && ranks 3 $(train --epochs 8) --json > result 2> out)
python3 -c 'import json; r = json.load(open("4/result")); assert r["test_accuracy"] > 0.6, r' || wrong 'three ranks do not learn'

# What is the first rank's is there once, and errors say whose they are.
mkdir one; cd one || exit 1
ranks 2 $(train --epochs 1) --json --metrics log --report r.html > result 2> out || wrong "json: $(cat out)"
python3 -c 'import json; json.load(open("result"))' || wrong 'two ranks print more than one result'
[ "$(grep -c '"step"' log)" = "$(python3 -c 'import json; print(json.load(open("result"))["epochs"])')" ] || wrong "log: $(cat log)"
ranks 1 $(train --seed 3) : -n 1 $(train --seed 4) > out 2>&1
[ $? = 2 ] && grep -q "^gnn-sample: rank 1 has 'seed: 4.* rank 0 'seed: 3" out || wrong "other options: $(cat out)"
gnn-sample generate -o other.graph --nodes 2000 --seed 9 -q; cp other.graph here.graph
mkdir -p a b; cp "$graph" a/g.graph; cp other.graph b/g.graph
ranks 2 sh -c 'cd $([ $OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec gnn-sample train g.graph -o m -q -f --epochs 1' > out 2>&1
[ $? = 2 ] && grep -q "^gnn-sample: rank 1 has 'a graph of hash" out || wrong "other graphs: $(cat out)"
FRUGAL_PLUGIN_DIR=$scratch ranks 2 $(train) > out 2>&1
[ $? = 69 ] && grep -q 'need MPI to train together: no libfrugal_mpi.so in' out || wrong "no plug-in: $(cat out)"
ranks 2 gnn-sample eval "$graph" m > out 2>&1
ranks 2 $(train) --device cuda > out 2>&1
[ $? = 69 ] && grep -q 'has no engine for several ranks' out || wrong "--device cuda: $(cat out)"
cd ..

mkdir whole part; (cd whole && $(train --epochs 150 --accumulate 2))
cd part || exit 1
run() { ranks "$1" $(train --epochs 150 --accumulate 2 --checkpoint c --checkpoint-every 0.05s --resume) > out 2>&1; }
stop_kill_resume "^gnn-sample train $graph" 3
tensor-file diff ../whole/m m > difference || wrong "another model after a stop, a kill and three ranks: $(cat difference)"
exit $failed
