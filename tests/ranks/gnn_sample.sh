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
  for n in 0 $([ $architecture != sage ] || echo 1) 2 4; do
    mkdir -p $n; cd $n || exit 1
    command=$(train --architecture $architecture --batch-size 20 --epochs 2 --accumulate 8)
    if [ $n = 0 ]; then $command; else ranks $n $command > out 2>&1 || wrong "$architecture, $n ranks: $(cat out)"; fi
    cd ..
    cmp 0/m $n/m || wrong "$architecture: $n ranks have another model"
  done
done
# Layers that read weights of edges, too.
gnn-sample generate -o weighted.graph --nodes 2000 --weights -q
for n in 0 2; do
  command="gnn-sample train $scratch/weighted.graph $(train --architecture gcn --edge-weights --epochs 1 --accumulate 2 | cut -d' ' -f4-)"
  (cd $n && if [ $n = 0 ]; then $command; else ranks $n $command > out 2>&1; fi) || wrong "weights, $n ranks: $(cat $n/out)"
done
cmp 0/m 2/m || wrong 'two ranks have another model of weighted edges'
# By default a step is one mini-batch, of which each rank has a part: four learn as much as one, at the same rate.
(cd 0 && $(train --epochs 1 --accumulate 2 --batch-size 25)); (cd 2 && ranks 2 $(train --epochs 1) > out 2>&1)
tensor-file diff 0/m 2/m > /dev/null || wrong 'two ranks by default do not share a mini-batch'
(cd 0 && $(train --epochs 2) --json > result); (cd 4 && ranks 4 $(train --epochs 2) --json > result 2> out)
python3 -c 'import json; one, four = (json.load(open(f"{n}/result")) for n in (0, 4))
assert one["steps"] == four["steps"] and four["test_accuracy"] > one["test_accuracy"] - 0.02, (one, four)' || wrong 'four ranks learn less'
(cd 2 && ranks 2 gnn-sample train "$graph" --fanouts 4,4 --batch-size 50 --epochs 1 --accumulate 4 -f -o m > out 2>&1)
grep -q 'steps of 200 nodes, in 4 mini-batches: fewer steps' 2/out || wrong "larger steps are not explained: $(cat 2/out)"
# Three ranks have other bits, and learn as well.
(cd 4 && ranks 3 $(train --epochs 8) --json > result 2> out)
python3 -c 'import json; r = json.load(open("4/result")); assert r["test_accuracy"] > 0.6, r' || wrong 'three ranks do not learn'

# Ranks that keep parts of the features have the same model, whatever is in their caches.
tensor-file convert "$graph" plain.safetensors; plain=$scratch/plain.safetensors
gnn-sample partition "$plain" --parts 4 -o parts -q
mkdir whole; (cd whole && $(train --epochs 2 --accumulate 4 --eval-fanouts 4,4) --json > result)
for options in "--feature-parts $scratch/parts" "--feature-parts $scratch/parts --feature-cache 0" '--feature-parts even --feature-cache 9'; do
  for n in 1 2 4; do
    case $options$n in *04) continue ;; *92) continue ;; esac  # for time's sake
    (cd $n && ranks $n gnn-sample train "$plain" $(train --epochs 2 --accumulate 4 --eval-fanouts 4,4 | cut -d' ' -f4-) $options --json > result 2> out < /dev/null) ||
      wrong "$options: $(cat $n/out)"
    cmp 1/m $n/m || wrong "$n ranks, $options: another model"
    python3 - $n "$options" << 'END' || wrong "$n ranks, $options: $(cat $n/result)"
import json, sys
ranks, options = int(sys.argv[1]), sys.argv[2]
whole, r = (json.load(open(folder + "/result")) for folder in ("whole", sys.argv[1]))
assert all(whole[key] == r[key] for key in whole if "test_" in key or "validation_" in key or "sampled_" in key)
own, cached, fetched = (r.get(key, 0) for key in ("own_rows", "cached_rows", "fetched_rows"))
assert ranks == 1 or abs((own + cached + fetched) / (r["sampled_nodes"] / ranks) - 1) < 0.05
assert (cached > 0) == (ranks > 1 and "cache 0" not in options) and (fetched > 0) == (ranks > 1 and "cache 9" not in options)
assert ranks == 1 or abs(r["cache_hit_share"] - r["expected_cache_hit_share"]) < 0.1
assert r.get("fetched_bytes", 0) == fetched * (32 * 4 + 4)
END
  done
  tensor-file diff whole/m 1/m > /dev/null || wrong "$options: another model"
done

# What is the first rank's is there once, and errors say whose they are.
mkdir one; cd one || exit 1
ranks 2 $(train --epochs 1) --json --metrics log --report r.html > result 2> out || wrong "json: $(cat out)"
python3 -c 'import json; json.load(open("result"))' || wrong 'two ranks print more than one result'
[ "$(grep -c '"epoch":' log)" = "$(python3 -c 'import json; print(json.load(open("result"))["epochs"])')" ] || wrong "log: $(cat log)"
refused 2 "^gnn-sample: rank 1 has 'seed: 4.* rank 0 'seed: 3" 1 $(train --seed 3) : -n 1 $(train --seed 4)
gnn-sample generate -o other.graph --nodes 2000 --seed 9 -q; cp other.graph here.graph
mkdir -p a b; cp "$graph" a/g.graph; cp other.graph b/g.graph
refused 2 "^gnn-sample: rank 1 has 'a graph of hash" 2 \
  sh -c 'cd $([ $OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec gnn-sample train g.graph -o m -q -f --epochs 1'
gnn-sample partition other.graph --parts 2 -o other.parts -q; gnn-sample partition "$graph" --parts 3 -o three.parts -q
parted="gnn-sample train $plain -o m -q -f --feature-parts"
refused 65 'other.parts: has the parts of a graph with other edges' 2 $parted other.parts
refused 2 'three.parts: has 3 parts, expected as many as ranks, 2, or a multiple' 2 $parted three.parts
cp ../parts a/parts; gnn-sample partition "$graph" --parts 2 -o b/parts -q
refused 2 "^gnn-sample: rank 1 has 'feature parts of hash" 2 \
  sh -c "cd \$([ \$OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec $parted parts"
refused 69 'need MPI to train together: no libfrugal_mpi.so in .*FRUGAL_PLUGIN_DIR may name its folder; build it' 2 env FRUGAL_PLUGIN_DIR="$scratch" $(train)
refused 69 'has no engine for several ranks' 2 $(train) --device cuda
all_refused
cd ..

# A kill, and three ranks that go on, are in faults.sh.
mkdir part; (cd whole && $(train --epochs 150 --accumulate 2))
cd part || exit 1
run() { ranks "$1" $(train --epochs 150 --accumulate 2 --checkpoint c --checkpoint-every 0.05s --resume) > out 2>&1; }
stop "^gnn-sample train $graph"
run 2 || wrong "two ranks do not go on: $(cat out)"
tensor-file diff ../whole/m m > difference || wrong "another model after a stop: $(cat difference)"
exit $failed
