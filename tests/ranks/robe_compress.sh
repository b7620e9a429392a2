#!/bin/sh
# robe-compress train as ranks of MPI: the same model to the byte for 1, 2 and 4 ranks, what ranks must agree on, and what
# a rank's end does to the others. Skipped (77) where no mpirun is.
#   robe_compress.sh BIN_DIR PLUGIN_DIR
. "$(dirname "$0")/ranks.sh"
samples=$scratch/clicks.tsv
robe-compress generate -o "$samples" --shape small --samples 1500 -q
train() { echo robe-compress train "$samples" --threads 1 --batch-size 100 -q -f -o m "$@"; }

# The last step of an epoch has 2 mini-batches of 4. Without --epochs a trial finds them, on ranks, too.
for way in '--epochs 2 --exchange owner' '--epochs 1 --exchange reduce --optimizer adagrad --wire bf16' '--wire bf16' \
    '--epochs 1 --held-out last:0.1 --method robe-hot --storage int4'; do
  for n in 0 2 4; do
    mkdir -p $n; cd $n || exit 1
    command=$(train $way --accumulate 4)
    if [ $n = 0 ]; then $command 2> /dev/null; else ranks $n $command > out 2>&1 || wrong "$way, $n ranks: $(cat out)"; fi
    cd ..
    cmp 0/m $n/m || wrong "$way: $n ranks have another model"
  done
done
mkdir 1; (cd 1 && ranks 1 $(train --epochs 1 --accumulate 4) > out 2>&1 || wrong "one rank: $(cat out)")
(cd 0 && $(train --epochs 1 --accumulate 4) 2> /dev/null)
cmp 0/m 1/m || wrong 'one rank has another model'
# By default a step is one mini-batch, of which each rank has a part.
(cd 0 && $(train --epochs 1 --accumulate 2 --batch-size 50) 2> /dev/null); (cd 2 && ranks 2 $(train --epochs 1) > out 2>&1)
tensor-file diff 0/m 2/m > /dev/null || wrong 'two ranks by default do not share a mini-batch'
# Three ranks have other bits.
(cd 4 && ranks 3 $(train --epochs 1) > out 2>&1) || wrong "three ranks: $(cat 4/out)"

# What is the first rank's is there once, and errors say whose they are.
mkdir one; cd one || exit 1
ranks 2 robe-compress train "$samples" --threads 1 --epochs 1 -f -o m --json --metrics log --report r.html > result 2> out ||
  wrong "json: $(cat out)"
python3 -c 'import json; r = json.load(open("result")); assert r["ranks"] == 2 and r["sent_bytes"] > 0, r' ||
  wrong "two ranks print more than one result: $(cat result)"
[ "$(grep -c 'ranks exchange embeddings by .* by owner .* by reduce' out)" = 1 ] || wrong "no choice: $(cat out)"
refused 2 "^robe-compress: rank 1 has 'seed: 4.* rank 0 'seed: 3" 1 $(train --seed 3) : -n 1 $(train --seed 4)
mkdir -p a b; cp "$samples" a/c.tsv; robe-compress generate -o b/c.tsv --shape small --samples 1500 --seed 9 -q
refused 2 "^robe-compress: rank 1 has 'samples of hash" 2 \
  sh -c 'cd $([ $OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec robe-compress train c.tsv -o m -q -f --epochs 1'
refused 69 '^robe-compress: --device cuda has no engine for several ranks' 2 $(train --epochs 1 --device cuda)
refused 2 '^robe-compress: --update each goes with one mini-batch a step, found 2' 2 $(train --epochs 1 --update each)
ranks 2 robe-compress train - -o m -f -q < "$samples" > out 2>&1
[ $? = 2 ] && grep -q '^robe-compress: .*stdin goes to one rank' out || wrong "stdin: $(cat out)"
mkdir -p d/a; head -9 b/c.tsv > d/a/c.tsv
stream='robe-compress train a/c.tsv -o m -q -f --stream --ids hash --hash-rows 99'
refused 2 "^robe-compress: rank 1 has 'a stream of" 1 $stream : -n 1 sh -c "cd d && exec $stream"
all_refused
cd ..

mkdir whole part; (cd whole && $(train --epochs 20 --accumulate 2 --exchange owner) 2> /dev/null)
cd part || exit 1
run() {
  ranks "$1" $(train --epochs 20 --accumulate 2 --exchange owner --checkpoint c --checkpoint-every 0.05s --resume) > out 2>&1
}
stop_kill_resume "^robe-compress train $samples" 1
tensor-file diff ../whole/m m > difference || wrong "another model after a stop, a kill and one rank: $(cat difference)"
exit $failed
