# What a stream lacks for training, and what a command line promises in vain, is said in one line.
tgn-train generate --scale 10 --features 2 -o e.safetensors -q
t() { tgn-train train "$@" -o m -q; echo "exit $?"; }
printf '0,1,5\n' > one.csv; tgn-train import one.csv -o one.safetensors -q; t one.safetensors
t nowhere.safetensors
printf 'not events' > text; t text
for wrong in '--batch-size -1' '--architecture tgn' '--preset jodie' '--arch pyg' '--architecture dyrep' '--architecture dyrep --memory exact --updater none' '--memory stale' '--refresh touched --memory exact' '--aggregator mean' '--updater none --message mlp' '--architecture tgn-id --layers 2' '--architecture tgn-id --dropout 0.2' '--architecture tgn-no-mem --ties order' '--architecture tgn-no-mem --memory-dtype bf16' '--architecture tgn-no-mem --memory-tier disk' '--architecture jodie --neighbors 5' '--heads 3' '--architecture jodie --neighbor-sampling uniform' '--neighbor-sampling all' '--architecture pyg --memory-dim 9' '--resume' '--learning-rate 1e30' '--resume --checkpoint none --epochs 1 --steps 1' '--config nowhere.yaml' '--split-seed 1 --new-nodes 0' '--dropout 1' '--window 20' '--memory exact --batch-size 20 --window 50' '--architecture dyrep --memory exact --batch-size 20 --window 40' '--memory-file f' '--memory-tier disk --memory-file text' '--memory-tier disk --memory-file no/such/f' '--skip-events 100000' '--time-ranges 0' '--time-ranges 50' '--time-ranges 2 --memory-tier disk' '--time-ranges 2 --device cuda' '--memory-shards 0' '--memory-shards 2 --time-ranges 2' '--memory-shards 2 --device cuda' '--architecture tgn-no-mem --memory-shards 2' '--architecture dyrep --memory exact --memory-shards 2' '--architecture tpnet --memory exact' '--architecture tpnet --updater gru' '--architecture tpnet --aggregator mean' '--architecture tpnet --heads 4' '--architecture tpnet --pair-features' '--architecture tpnet --refresh none' '--architecture tpnet --memory-shards 2' '--architecture tpnet --device cuda' '--embedding walks' '--decoder ncn' '--architecture tncn --pair-features' '--architecture tncn --memory-shards 2' '--architecture tncn --device cuda' '--architecture tpnet --decoder common' '--architecture dyrep --memory exact --decoder common' '--architecture jodie --decoder common --neighbor-sampling uniform'; do
  echo "-- $wrong"; t e.safetensors --memory-dim 8 --time-dim 8 $wrong
done
printf '0,1,5\n1,2,6\n2,3,7\n3,4,8\n4,5,9\n5,6,10\n6,7,11\n' > few.csv
printf 'words\n' > words.txt; tgn-train import few.csv --node-features words.txt -o few.safetensors -q; echo "exit $?"
for i in 0 1 2 3 4 5 6 7; do echo "$i 0.5"; done | sed 's/^[0-9] //' > nodes.txt
tgn-train import few.csv --node-features nodes.txt -o few.safetensors -q && t few.safetensors
tgn-train train e.safetensors -o e.safetensors -q; echo "exit $?"
tgn-train train e.safetensors -o m --checkpoint e.safetensors -q; echo "exit $?"
tgn-train train e.safetensors -o no/such/m -q; echo "exit $?"
ls
# A training whose model nobody would have, and one of which the held out nodes have most of the events.
tgn-train train e.safetensors -q; echo "exit $?"
awk 'BEGIN { for (e = 0; e < 300; ++e) print e % 3 "," 3 + e % 4 "," e }' > busy.csv; tgn-train import busy.csv -o busy.safetensors -q
tgn-train train busy.safetensors --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0.2 -o m 2>&1 | grep warning; tgn-train train busy.safetensors --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 -o m 2>&1 | grep -c warning || true
tgn-train sweep busy.safetensors --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0.2 --batch-size 50,100 --precision f32 --memory window --seeds 2 2>&1 | grep -c 'warning: --new-nodes'
# What would do nothing is said, not ignored.
for useless in '--no-eval --patience 2' '--no-eval --eval-batch-size 5' '--checkpoint-every 1s'; do tgn-train train e.safetensors $useless -o m -q; echo "exit $?"; done
tgn-train eval m e.safetensors --ranks none --eval-negatives 5; echo "exit $?"
# What other tools and programs call it is known.
for wrong in 'train e --batch 3' 'train e --lr 1' 'score m'; do tgn-train $wrong; echo "exit $?"; done
printf 'batch: 3\n' > old.yaml; tgn-train train e.safetensors --config old.yaml -o m; echo "exit $?"
