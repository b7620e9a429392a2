# A log of finished runs that an earlier version wrote: its runs are not repeated, and it stays as it is.
tgn-train generate --scale 20 --features 2 -o e.safetensors -q
sed "s/simd=v2/simd=$plainest_simd/" "$golden/tgn-train-v1.sweep" > s.jsonl; cp s.jsonl old.jsonl
s() {
  tgn-train sweep e.safetensors --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 --batch-size 100 --precision f32 \
    --memory window --mix none --ranks uniform --eval-negatives 5 --threads 1 --simd "$plainest_simd" -q --json -o s.jsonl "$@"
}
s --seeds 2 > all.json; grep -c '"kept": true' all.json; grep '"events_per_second"\|"test_mrr' all.json
cmp s.jsonl old.jsonl && echo 'the log is as it was'
# One more seed is one more run.
s --seeds 3 | grep '"kept"' | sort | uniq -c; wc -l < s.jsonl
# Other settings are other runs.
s --seeds 2 --learning-rate 0.001 | grep -c '"kept": false'; wc -l < s.jsonl
