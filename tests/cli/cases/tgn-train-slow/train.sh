# Training: what it says and writes, memory on disk, windows, streams of every kind.
tgn-train generate --scale 4 --features 4 --recurrence 0.95 -o e.safetensors -q
t() { tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --learning-rate 0.003 --batch-size 20 --epochs 4 --new-nodes 0 -q "$@"; }
t --pair-features --epochs 1 -o pairs.model; tensor-file info pairs.model | grep pair_
t --architecture pyg --threads 2 --weights-only --mix none -o m.2 --json > said
python3 -c 'import json; print(*sorted(json.load(open("said"))))'
tensor-file info m.2 | grep -v 'history\|config\|kB\|m.2'
# Memory on disk is that in RAM; windows of one batch are batches, larger ones are told apart; a part of the stream.
for mode in window exact; do
  t --memory $mode --steps 9 --no-eval --memory-dtype bf16 -o ram; t --memory $mode --steps 9 --no-eval --memory-dtype bf16 -o disk --memory-tier disk --memory-file nodes
  tensor-file diff ram disk && echo "$mode: same"; ls nodes 2>&1 | grep -c cannot
done
t --memory exact --steps 9 --no-eval -o w.0; t --memory exact --steps 9 --no-eval --window 20 -o w.1; t --memory exact --steps 9 --no-eval --window 80 -o w.4
tensor-file diff w.0 w.1 && echo same; tensor-file diff w.0 w.4 > /dev/null || echo differ
t --memory exact --steps 9 --no-eval --window 80 -o w.8 --threads 8; tensor-file diff w.4 w.8 && echo same
t --skip-events 2000 --no-eval --epochs 1 --json -o later | grep '"steps"\|"test_average_precision"'
# One epoch or ten steps, whichever is first; the best epoch is the one that is written.
t -o s.model --steps 10 --json | grep '"steps"\|"epochs"'
t -o p.model --epochs 200 --patience 2 --steps 400 --json > said; awk '/"epochs"/ { e = $2 } /"best_epoch"/ { b = $2 } END { print (e - b <= 2 ? "patient" : e - b) }' said
# The best epoch's model is validated again before its test, with the memory that it had, or that its weights make: to the same figure.
# Which epoch is best depends on the set of instructions.
for memory in '' --weights-only; do
  echo "-- $memory"; t --simd "$plainest_simd" -o b.model $memory --mix none --learning-rate 0.03 --metrics epochs --json > said; tensor-file info b.model | grep trained | sed 's/stream: .*/stream/'
  awk -F '[:,]' '/"best_epoch"/ { print $2 + 0; exit }' said > best; test "$(cat best)" -lt 4 && echo not the last
  grep -o "\"epoch\":$(cat best)[.0]*,.*" epochs | grep -o '"validation_average_precision":[0-9.]*' | cut -c 1-26 > first
  grep '"validation_average_precision":' said | tr -d ' ' | cut -c 1-26 | diff - first && test -s first && echo as validated
done
# Streams with features of nodes, without any features, of one kind of nodes.
tgn-train generate --scale 20 --features 0 --sources 0 -o bare.safetensors -q
tgn-train train bare.safetensors --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 -o bare.model --progress never | sed 's/: loss .*//; s/\(epochs*\), .*/\1/'
