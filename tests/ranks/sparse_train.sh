#!/bin/sh
# sparse-train train as ranks of MPI: the same model to the byte for 1, 2 and 4 ranks, what ranks must agree on and what
# they refuse, and what a rank's end does to the others. Skipped (77) where no mpirun is.
#   sparse_train.sh BIN_DIR PLUGIN_DIR
. "$(dirname "$0")/ranks.sh"
data=$scratch/train.txt
generate() {  # SEED POINTS: features that tell one or two of 150 labels
  awk -v seed="$1" -v points="$2" 'BEGIN {
    srand(seed); print points, 640, 150
    for (i = 0; i < points; ++i) {
      a = int(150 * rand() * rand()); b = int(150 * rand())
      printf "%s", a; if (b != a && i % 2) printf ",%s", b; else b = a
      printf " %d:%.3f %d:%.3f %d:%.3f\n", 2 * a, 0.2 + rand(), 300 + 2 * b + int(2 * rand()), 0.2 + rand(), 600 + int(40 * rand()), rand()
    } }'
}
generate 1 3000 > "$data"; generate 2 400 > "$scratch/valid.txt"
train() { echo sparse-train train "$data" --threads 1 --calibration none -q -f -o m "$@"; }
# WORDS COMMAND: with 0 ranks without MPI.
same() {
  what=$1; shift
  for n in 0 $([ "$what" != trees ] || echo 1) 2 4; do
    mkdir -p $n; cd $n || exit 1
    if [ $n = 0 ]; then "$@" || wrong "$what"; else ranks $n "$@" > out 2>&1 || wrong "$what, $n ranks: $(cat out)"; fi
    cd ..
    cmp 0/m $n/m || wrong "$what: $n ranks have another model"
  done
}
same trees $(train --architecture tree --trees 3 --leaf-size 20)
network="$(train --hidden 16 --batch-size 64 --epochs 2)"
same dense $network --architecture dense --label-shards 4 --validation ../valid.txt --patience 1
same shared $network --architecture shared --negatives 40 --loss ova --label-shards 4
same hybrid $network --architecture hybrid --trees 1 --leaf-size 20 --layers 12 --label-shards 4
# One shard is the layer of one process, which other shards equal but for the order of sums; by default a rank has one.
$network --architecture dense --label-shards 1 -o undivided; $network --architecture dense -o auto
tensor-file diff undivided auto > /dev/null || wrong 'one label shard is not the default of one process'
tensor-file diff undivided 0/m > /dev/null && wrong 'four label shards are not used'
ranks 2 $network --architecture dense -o auto > out 2>&1; $network --architecture dense --label-shards 2 -o two
tensor-file diff two auto > /dev/null || wrong "two ranks by default have not two label shards: $(cat out)"

# What is the first rank's is there once, and errors say whose they are.
mkdir one; cd one || exit 1
tree=$(train --architecture tree --trees 2 --leaf-size 20)
ranks 2 $tree --validation ../valid.txt --json --metrics log > result 2> out || wrong "json: $(cat out)"
python3 -c 'import json; r = json.load(open("result")); assert r["trees"] == 2 and r["validation_p_at_1"] > 0.5, r' ||
  wrong 'two ranks do not print one result'
[ "$(grep -c '^{"type":"metric"' log)" = 2 ] || wrong "log: $(cat log)"
$tree --calibration held-out -o alone; ranks 2 $tree --calibration held-out > out 2>&1 || wrong "calibration: $(cat out)"
tensor-file diff alone m > difference || wrong "calibration: $(cat difference)"
ranks 2 $(train --hidden 16 --epochs 1000 --architecture dense --time-budget 0.5s) > out 2>&1 || wrong "budget: $(cat out)"
refused 2 "^sparse-train: rank 1 has 'seed: 4.* rank 0 'seed: 3" 1 $tree --seed 3 : -n 1 $tree --seed 4
mkdir a b; generate 1 3000 > a/here.txt; generate 3 3000 > b/here.txt
refused 2 "^sparse-train: rank 1 has 'training data" 2 sh -c \
  'cd $([ $OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec sparse-train train here.txt --architecture tree -q -f -o m'
refused 69 'stdin is the first rank' 2 sparse-train train - -q -f -o m
refused 69 'init goes on in one process' 2 sparse-train train "$data" -q -f -o n --init m
refused 69 'has no engine for several ranks' 2 $(train --device cuda)
refused 69 'hash tables are of one process' 2 $network --architecture lsh
refused 69 'find-learning-rate trains in one process' 2 $network --find-learning-rate
refused 2 '--label-shards 3: expected a multiple of the number of ranks, 2' 2 $network --label-shards 3
awk 'BEGIN { for (i = 0; i < 40; ++i) print "__label__" i % 2, "word" i % 2, "other" i }' > words.txt
refused 69 'use --no-search' 2 sparse-train train words.txt --format fasttext -q -f -o m
all_refused
cd ..

go_on() {  # WHAT COMMAND: without checkpoints, beside one that is stopped, killed and ended by other ranks
  what=$1; shift; goes_on=$*
  rm -rf whole part; mkdir whole part; (cd whole && $goes_on); cd part || exit 1
  run() { ranks "$1" $goes_on --checkpoint c --checkpoint-every 0.05s --resume > out 2>&1; }
  stop_kill_resume "^sparse-train train $data" 4
  cd ..
  tensor-file diff whole/m part/m > difference || wrong "$what: another model after a stop, a kill and four ranks: $(cat difference)"
}
go_on trees $(train --architecture tree --trees 200 --leaf-size 20)
go_on network $network --architecture dense --epochs 100 --label-shards 4 --validation ../valid.txt --patience 30
mkdir a; cp part/c a/c; mkdir b
refused 2 "^sparse-train: rank 1 has 'no checkpoint', rank 0 'a checkpoint of step" 2 sh -c \
  "cd \$([ \$OMPI_COMM_WORLD_RANK = 0 ] && echo a || echo b) && exec $network --architecture dense --epochs 100 --label-shards 4 \
   --validation ../valid.txt --patience 30 --checkpoint c --checkpoint-every 0.05s --resume"
# A run that goes on keeps its label shards.
mkdir kept; cd kept || exit 1
dense="$network --architecture dense --epochs 20 --checkpoint c --checkpoint-every 0.001s"
ranks 4 $dense > out 2>&1; mv m four
ranks 2 $dense --resume > out 2>&1; tensor-file diff four m > /dev/null || wrong "four label shards on two ranks: $(cat out)"
$dense
refused 2 'c has 1 label shards: expected a multiple of the number of ranks, 2' 2 $dense --resume
all_refused
cd ..
exit $failed
