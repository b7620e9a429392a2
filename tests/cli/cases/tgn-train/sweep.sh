# Accuracy and speed over batch sizes and memory modes; what fails does not end the rest; a killed sweep goes on.
tgn-train generate --scale 20 --features 2 -o e.safetensors -q
s() { tgn-train sweep e.safetensors --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 --progress never "$@"; echo "exit $?"; }
s --batch-size 20,100 --precision f32 --refresh touched -o s.jsonl --report s.html --plot s.svg | sed 's/ *0\.[0-9]* .*/ .../; s/threads\{0,1\} with .*/.../; s/: [0-9]* \.\.\./: .../'
s --batch-size 20,100 --precision f32,bf16 --memory window --refresh touched -o s.jsonl --json | grep '"kept"\|"seeds"\|"batch_size"' | sort | uniq -c
# Cut off in the middle of a line.
head -c -9 s.jsonl > cut; mv cut s.jsonl
s --batch-size 20,100 --precision f32,bf16 --memory window --refresh touched -o s.jsonl --json | grep -c '"kept": true'
wc -l < s.jsonl
grep -o 'Accuracy over batch size</h3>\|Events a second over batch size</h3>\|Most accurate\|Failed: [^<]*' s.html | sort -u
grep -c '<svg ' s.svg
s --batch-size 100 --precision f32 --memory window --ranks uniform --eval-negatives 5 --json | grep '"test_mrr\|"kept"' | cut -d: -f1
tgn-train train e.safetensors --memory-dim 8 --time-dim 8 --epochs 2 --report t.html -o t.model -q
grep -o '<dt>[^<]*\|<h3[^<]*' t.html
for wrong in '--precisions bf16' '--batch-size 0' '--memory stale' '--heads 3' '-o -' '-o /dev/full' '-o e.safetensors' '-o no/such' '--seeds 0' '--batches 10' '--ranks some' '--no-eval'; do
  echo "-- $wrong"; s --batch-size 100 --precision f32 -q $wrong
done
printf 'words\n' > words; s --batch-size 100 -o words -q
