# Odd sizes, wrong options, damaged lists, consumers that die, full disks.
gnn-sample generate --scale 10 -o g.safetensors -q
count() { gnn-sample sample g.safetensors -q "$@" -o - | tensor-file info - | head -1; }
count --batch-size 100000 --seeds all
count --seeds all --batch-size 7 --from 140
count --seeds all --batch-size 7 --from 143
count --seeds all --batch-size 300 --drop-last --epochs 2
printf '0,1\n2,3\n' > edges; printf '5\n6\n' > alone
gnn-sample import edges --nodes 8 -o bare.safetensors -q
gnn-sample sample bare.safetensors --seeds alone --fanouts 3,3 --json -o x.tzs | grep '"seeds\|"nodes\|edges":'
gnn-sample sample bare.safetensors --seeds alone -o x.tzs --temporal last; echo "exit $?"
gnn-sample sample bare.safetensors --seeds alone -o x.tzs --method weighted; echo "exit $?"
gnn-sample sample bare.safetensors -o x; echo "exit $?"
gnn-sample bench bare.safetensors; echo "exit $?"
printf '1\n\n' > empty-line; printf '8\n' > beyond; printf 'a b\n' > words; : > nothing; printf '1\n2' > two
printf '0 1\n1\n' > half; printf '0 1 nan\n' > nan; printf '3\n' > one-time; printf '0 8\n' > beyond-edge
try() { gnn-sample sample "$@" -o x; echo "exit $?"; }
for seeds in empty-line beyond words nothing nowhere two.gz; do try bare.safetensors --seeds $seeds; done
for links in half beyond-edge nothing nowhere; do try bare.safetensors --edges $links; done
printf '0,1,5\n' > timed; gnn-sample import timed --columns 3:time -o timed.safetensors -q
try timed.safetensors --edges nan --temporal last
try timed.safetensors --edges half --temporal last
try timed.safetensors --seeds all --seed-times one-time --temporal last
try timed.safetensors --seeds all --temporal last --replace
try timed.safetensors --seeds all --temporal last --method labor
try timed.safetensors --seeds edges --seed-times end --temporal last
for wrong in "--fanouts 0" "--fanouts 5,,5" "--fanouts 5,x" "--batch-size 0" "--epochs 0" "--temporal newest" \
  "--method labor --replace" "--method window --replace" "--method window --edge-ids" "--method labor --exclude-seed-edges" \
  "--negatives 3" "--level 99" "--table wide" "--shard 2/2" "--epochs 9223372036854775808" \
  "--from 18446744073709551615 --shard 0/2" "--split 7" "--seed-times end" "--exclude-seed-edges" \
  "--corrupt-both" "--no-positives"; do
  # shellcheck disable=SC2086
  try g.safetensors --seeds all $wrong
done
try g.safetensors --seeds edges --method labor --exclude-seed-edges
# What would do nothing is said, not ignored.
for useless in "--p 2" "--restart 0.1" "--walks-per-node 2" "--pinsage 3" "--walks 2 --fanouts 3" "--walks 2 --method labor" \
  "--walks 2 --table hash" "--walks 2 --edge-ids" "--walks 2 --layout coo" "--walks 2 --labels" "--walks 2 --features" "--edges pairs" \
  "--seed-times end" "--negatives 2" "--corrupt-both" "--uneven-shards drop" "--from 4" "--drop-last --batch-size 2000"; do
  # shellcheck disable=SC2086
  try g.safetensors --seeds all $useless
done
for useless in "--labels" "--split 1"; do try g.safetensors --seeds edges $useless; done
for command in eval "predict -o p"; do gnn-sample $command m g.safetensors --batch-size 5; echo "exit $?"; done
for useless in "--scale 2 --nodes 5" "--features 0 --separation 1" "--classes 1 --label-noise 0.1"; do
  gnn-sample generate -o x $useless; echo "exit $?"
done
gnn-sample partition g.safetensors --parts 2 --passes 2 -o x; echo "exit $?"
gnn-sample bench g.safetensors --batches 2 --round-time 1s; echo "exit $?"
# A round of bench ends with its time, not with the epoch.
b() { gnn-sample bench g.safetensors --seeds all --batch-size 1 --rounds 1 --json -q "$@" | sed -n 's/^  "batches[a-z_]*": \([0-9]*\),*/\1/p' | paste -sd' '; }
b --round-time 1ms | awk '{ print ($1 < $2 ? "some of" : "all of"), $2 }'; b --round-time 0s; b --batches 3
# What --print-config writes is not refused for the defaults in it.
gnn-sample sample g.safetensors --seeds all --walks 2 -o w1 --level none --print-config > c.yaml
gnn-sample sample --config c.yaml -q && tensor-file info w1 | head -1 | sed "s/,.*//"
try g.safetensors --split 3
try g.safetensors --seeds edges --negatives 100000 --batch-size 100000
printf '0,1\n0,0\n' > full; gnn-sample import full -o full.safetensors -q
try full.safetensors --seeds edges --negatives 1 --no-positives -q
printf '0,1\n1,2\n' > w.csv; gnn-sample import --edges a:r:b=w.csv -o types.safetensors -q
for command in "sample types.safetensors -o x" "bench types.safetensors" "bench g.safetensors --seeds all --exclude-seed-edges"; do gnn-sample $command; echo "exit $?"; done

echo "shards"
gnn-sample sample g.safetensors --seeds all --batch-size 50 --level none -o whole -q
for i in 0 1 2; do gnn-sample sample g.safetensors --seeds all --batch-size 50 --shard $i/3 --level none -o s$i -q; done
for i in 0 1 2; do tensor-file info s$i | head -1; done
gnn-sample sample g.safetensors --seeds all --batch-size 50 --from 19 --level none -o last -q
tensor-file cat whole --document 19 --tensor nodes > nodes
tensor-file cat s1 --document 6 --tensor nodes | cmp - nodes
tensor-file cat last --document 0 --tensor nodes | cmp - nodes
for way in drop repeat; do
  for i in 0 1 2; do gnn-sample sample g.safetensors --seeds all --batch-size 50 --shard $i/3 --uneven-shards $way --epochs 2 -o even$i -q; done
  for i in 0 1 2; do tensor-file info even$i | head -1; done
done
rm even?
for out in one 'part-{shard}'; do
  SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 gnn-sample sample g.safetensors --seeds all --shard auto -o "$out" -q; echo "exit $?"
done

echo "a consumer that dies"
{ gnn-sample sample g.safetensors --seeds all --epochs 1000 --batch-size 20 -o - -q; echo "exit $?" >&2; } | head -c 100000 > part
wc -c < part
# Sparse features with their zeros: 6 TiB.
awk 'BEGIN { for (i = 0; i < 100000; ++i) print 1, i % 9 ":1" }' > wide.txt
gnn-sample import edges --features wide.txt --num-features 16777216 -o wide.safetensors -q
for way in "" "--walks 1 --pinsage 1"; do gnn-sample sample wide.safetensors --seeds all --batch-size 100000 --dense-features $way -o x 2>&1 | sed 's/,* expected.*//'; done; rm -f wide.*
echo "shared memory"
for way in "--shared 99" "--shared nowhere.socket" "--shared g.safetensors" "--shared 99 -o y" "--slots 3" "--shared 99 --level 3"; do
  gnn-sample sample g.safetensors --seeds all $way -q; echo "exit $?"
done
gnn-sample sample g.safetensors --shared '' -q; echo "exit $?"
echo "full disk"
gnn-sample sample g.safetensors --seeds all -o /dev/full -q; echo "exit $?"
(ulimit -f 16; gnn-sample sample g.safetensors --seeds all -o big.tzs -q; echo "exit $?")
ls | tr '\n' ' '
