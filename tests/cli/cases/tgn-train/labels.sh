# What becomes of sources: trained from a model of links, with memory in RAM and on disk, tested alike, and what is missing for it.
awk 'BEGIN { x = 7; for (e = 0; e < 800; ++e) { x = x * 16807 % 2147483647; s = x % 12
  print s "," 12 + (s + e) % 5 "," 3 * e "," ((last[s] > 0) != (e % 10 == 0)) "," s % 2; last[s] = s % 2 } }' > events.csv
tgn-train import events.csv -o e.safetensors
tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --batch-size 20 --epochs 1 --new-nodes 0 --memory exact -o links.model -q
t() { tgn-train train e.safetensors --task node-label --progress never "$@"; echo "exit $?"; }
t --from links.model --learning-rate 0.01 --epochs 8 -o labels.model --report r.html | sed 's/: loss .*//; s/epochs is .*/epochs .../'
grep -o '<dt>[^<]*\|<h3[^<]*' r.html
t --from links.model --learning-rate 0.01 --epochs 8 --threads 1 --memory-tier disk -o again.model --json > trained
tensor-file diff labels.model again.model && echo same
for model in links labels; do tensor-file info $model.model | grep 'frugal.tool'; done
tgn-train eval labels.model e.safetensors --json > tested
for key in validation_auc validation_average_precision test_auc test_average_precision test_labelled; do
  [ "$(grep "\"$key\"" trained)" = "$(grep "\"$key\"" tested)" ] && echo "$key alike"
done
awk '/"test_auc"/ { print ($2 + 0 > 0.65 ? "learns" : $2) }' tested
sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' trained | sort | tr '\n' ' '; echo
sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' tested | sort | tr '\n' ' '; echo
# The network is beside the decoder, as it was.
tgn-train eval labels.model e.safetensors --task link --json --no-baselines | grep '"test_average_precision"' > a
tgn-train eval links.model e.safetensors --json --no-baselines | grep '"test_average_precision"' > b; cmp a b && echo alike
tensor-file info labels.model | grep 'node_label\|tgn.label'
for wrong in '--from links.model --memory exact' '--from labels.csv' '--from links.model --dropout 1' '--from links.model --pair-features' '--from links.model --weights-only' '--from links.model --no-eval' '--from links.model --checkpoint wrong.model'; do
  echo "-- $wrong"; t -q $wrong -o wrong.model
done
tgn-train train e.safetensors --from links.model -o wrong.model -q; echo "exit $?"
# A run that goes on from its checkpoint gives the same model; one of another model of links does not.
t --from links.model --learning-rate 0.01 --epochs 8 --checkpoint c --checkpoint-every 0s -o whole.model -q
mv c.prev c; t --from links.model --learning-rate 0.01 --epochs 8 --checkpoint c --resume --json -o resumed.model -q | grep 'steps"\|resumed'
tensor-file diff whole.model resumed.model && tensor-file diff whole.model labels.model && echo same
tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --batch-size 20 --epochs 1 --new-nodes 0 --seed 1 -o other.model -q
t --from other.model --learning-rate 0.01 --epochs 8 --checkpoint c --resume -o wrong.model -q 2>&1 | sed 's/(.*)/(...)/'
tgn-train eval links.model e.safetensors --task node-label; echo "exit $?"
# No labels, labels of one kind only.
for kind in 0 1 'NR > 700'; do
  awk -F, -v OFS=, "{ \$4 = ($kind) ? 1 : 0; print }" events.csv > o.csv
  tgn-train import o.csv -o o.safetensors -q; tgn-train train o.safetensors --task node-label --from links.model -o wrong.model -q; echo "exit $?"
done
