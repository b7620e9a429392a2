# Large features are scaled by what training has of them, and the run says so; a baseline that is better is told of.
awk 'BEGIN {
  srand(6)
  for (e = 0; e < 600; e++) {
    t += 1 + int(9 * rand()); u = int(20 * rand())
    if (!(u in last) || rand() < 0.3) last[u] = 100 + int(15 * rand())
    printf "%d,%d,%d,%.2f,%d,%.3f\n", u, last[u], t, exp(12 + 5 * rand()), e, rand()
  }
}' > e.csv
columns=1:source,2:destination,3:time,4:feature,5:feature,6:feature
tgn-train import e.csv --columns $columns -o e.events
small='--memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 --threads 1 -f'
# shellcheck disable=SC2086
tgn-train train e.events -o m $small --json -q > scaled.json
tensor-file info m | grep 'spread\|center'
# shellcheck disable=SC2086
tgn-train train e.events -o raw $small --scale-features none --json -q > raw.json
tensor-file info raw | grep -c 'spread\|center'
python3 - <<'END'
import json
scaled, raw = json.load(open('scaled.json')), json.load(open('raw.json'))
print('loss below 2:', scaled['loss'] < 2, 'of raw ones:', raw['loss'] < 2)
print(sorted(scaled['baselines']), scaled['baselines']['recency']['average_precision'] > scaled['test_average_precision'])
END
# shellcheck disable=SC2086
tgn-train train e.events -o m $small | grep -o 'the baseline .*is better\|--pair.*'
# Another seed draws other destinations to be told apart from; 0 those of the test above.
for seed in 0 1 2; do tgn-train eval m e.events --seed $seed --predictions $seed.csv --no-baselines --json -q > $seed.json; done
cmp -s 1.csv 2.csv || echo 'others by another seed'
python3 -c "
import json
print(json.load(open('0.json'))['test_average_precision'] == json.load(open('scaled.json'))['test_average_precision'])"
# Few destinations are ranked among once each.
tgn-train eval m e.events --ranks historical --no-baselines | grep -c MRR
# Probabilities near 1 differ as their logits do.
tgn-train eval m e.events --predictions - --logits --no-baselines -q | head -1
