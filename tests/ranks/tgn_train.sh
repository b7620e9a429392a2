#!/bin/sh
# tgn-train train as ranks of MPI: the same model to the byte for 1, 2 and 4 ranks, what ranks must agree on, and what a
# rank's end does to the others. Skipped (77) where no mpirun is.
#   tgn_train.sh BIN_DIR PLUGIN_DIR
. "$(dirname "$0")/ranks.sh"
events=$scratch/g.events
tgn-train generate -o "$events" --scale 10 --features 2 -q
train() { echo tgn-train train "$events" --memory-dim 16 --time-dim 8 --neighbors 4 --batch-size 20 --threads 1 -q -f -o m "$@"; }

# The training events make 53 batches, which do not divide by 4: the last step of an epoch has fewer. Two epochs are
# fewer than ranges: the memory is made anew then.
for way in '--epochs 2' '--epochs 6 --patience 2' '--epochs 5 --memory exact --no-eval' '--epochs 5 --pair-features --weights-only'; do
  for n in 0 $([ "$way" != '--epochs 2' ] || echo 1) 2 4; do
    mkdir -p $n; cd $n || exit 1
    command=$(train $way --time-ranges 4)
    if [ $n = 0 ]; then $command; else ranks $n $command > out 2>&1 || wrong "$way, $n ranks: $(cat out)"; fi
    cd ..
    cmp 0/m $n/m || wrong "$way: $n ranks have another model"
  done
done
# By default there is a range a rank, and without ranks one.
(cd 0 && $(train --epochs 3 --time-ranges 2)); (cd 2 && ranks 2 $(train --epochs 3) > out 2>&1)
tensor-file diff 0/m 2/m > /dev/null || wrong 'two ranks by default are not --time-ranges 2'
(cd 0 && $(train --epochs 3 --time-ranges 1)); (cd 1 && $(train --epochs 3))
tensor-file diff 0/m 1/m > /dev/null || wrong 'one process by default is not --time-ranges 1'
# Three ranks have other bits.
(cd 4 && ranks 3 $(train --epochs 4) > out 2>&1) || wrong "three ranks: $(cat 4/out)"

# One memory that ranks share by nodes, each with its part: a last batch has fewer events than there are shards, and
# resumed runs read the whole memory of a file.
for way in '--epochs 4 --batch-size 26' '--epochs 3 --memory exact --no-eval --memory-dtype bf16' '--epochs 2 --weights-only --memory-tier disk'; do
  for n in 0 1 2 4; do
    cd $n || exit 1
    command="$(train --memory-shards 4) $way --json"
    if [ $n = 0 ]; then $command > json; else ranks $n $command > json 2> out || wrong "$way, $n ranks: $(cat out)"; fi
    cd ..
    cmp 0/m $n/m || wrong "$way: $n ranks that share a memory have another model"
    for figure in loss validation_average_precision test_average_precision; do
      [ "$(grep "\"$figure\"" 0/json)" = "$(grep "\"$figure\"" $n/json)" ] || wrong "$way, $n ranks: another $figure"
    done
  done
done
python3 - <<'PY' || wrong 'ranks do not share the memory'
import json
one, two, four = (json.load(open(f"{n}/json")) for n in (1, 2, 4))
assert one["step_sent_bytes"] == 0 < two["step_sent_bytes"] < four["step_sent_bytes"], (one, two, four)
assert one["memory_bytes"] / 2 <= two["memory_bytes"] < one["memory_bytes"] * 0.7, (one, two)
assert one["memory_bytes"] / 4 <= four["memory_bytes"] < one["memory_bytes"] * 0.4, (one, four)
PY

# What is the first rank's is there once, and errors say whose they are.
mkdir one; cd one || exit 1
ranks 2 $(train --epochs 2) --json --metrics log --report r.html > result 2> out || wrong "json: $(cat out)"
python3 -c 'import json; r = json.load(open("result")); assert r["sent_bytes"] > 0 and "test_auc" in r, r' ||
  wrong 'two ranks print more than one result'
[ "$(grep -c '"step"' log)" = 2 ] || wrong "log: $(cat log)"
refused 2 "^tgn-train: rank 1 has 'seed: 4.* rank 0 'seed: 3" 1 $(train --seed 3) : -n 1 $(train --seed 4)
tgn-train generate -o other.events --scale 10 --features 2 --seed 9 -q
mkdir -p a b; cp "$events" a/g.events; cp other.events b/g.events
refused 2 "^tgn-train: rank 1 has 'events of hash" 2 \
  sh -c 'cd $([ $OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec tgn-train train g.events -o m -q -f --epochs 1'
refused 2 '^tgn-train: .*--time-ranges 3 cannot be shared by 2 ranks' 2 $(train --time-ranges 3)
refused 2 '^tgn-train: .*--time-ranges 1 cannot be shared by 2 ranks' 2 $(train --time-ranges 1)
refused 2 '^tgn-train: .*training has 53 batches, expected no more ranges' 2 $(train --time-ranges 64)
refused 69 '^tgn-train: .*--device cuda has no engine for --time-ranges 2' 2 $(train --device cuda)
refused 69 '^tgn-train: .*--memory-tier disk has no room for --time-ranges 2' 2 $(train --memory-tier disk)
refused 2 '^tgn-train: .*--memory-shards 3 cannot be shared by 2 ranks' 2 $(train --memory-shards 3)
refused 2 '^tgn-train: .*--memory-file is one file, and 2 ranks each need one' 2 \
  $(train --memory-shards 2 --memory-tier disk --memory-file f)
refused 69 '^tgn-train: .*--task node-label trains in one process, 2 were started' 2 \
  tgn-train train "$events" --task node-label --from m -o labels
all_refused
cd ..

# A signal, a killed rank and another number of ranks change nothing.
for way in '--epochs 60 --time-ranges 4' '--epochs 15 --memory-shards 4'; do
  rm -rf whole part; mkdir whole part; (cd whole && $(train --patience 0 $way))
  cd part || exit 1
  run() { ranks "$1" $(train --patience 0 $way --checkpoint c --checkpoint-every 0.05s --resume) > out 2>&1; }
  stop_kill_resume "^tgn-train train $events" 4
  tensor-file diff ../whole/m m > difference || wrong "$way: another model after a stop, a kill and four ranks: $(cat difference)"
  cd ..
done
exit $failed
