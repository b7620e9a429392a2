# One stream in seconds, nanoseconds, days and weeks of today gives one model; --time-unit 1 takes times as they are.
awk 'BEGIN {
  srand(7)
  for (e = 0; e < 400; e++) {
    t += 60 * int(1 + 9 * rand()); u = int(12 * rand()); v = 20 + (u + int(3 * rand())) % 9
    printf "%d,%d,%d\n", u, v, 1700000000 + t > "s.csv"
    printf "%d,%d,%d000000000\n", u, v, 1700000000 + t > "ns.csv"
    printf "%d,%d,%.12f\n", u, v, (1700000000 + t) / 86400 > "day.csv"
    printf "%d,%d,%.13f\n", u, v, (1700000000 + t) / 604800 > "week.csv"
  }
}'
small='--memory-dim 8 --time-dim 8 --epochs 2 --learning-rate 1e-3 --new-nodes 0 --threads 1 -q -f'
for unit in s ns day week; do tgn-train import $unit.csv -o $unit.events -q; done
weights() { tensor-file cat "$1" --tensor time_encoder.w.weight; }
for network in 'tgn-attn' 'tgn-attn --memory exact' 'jodie' 'pyg --memory read' 'tgn-attn --pair-features'; do
  for unit in s ns day week; do
    # shellcheck disable=SC2086
    tgn-train train $unit.events -o $unit.model --architecture $network $small --json > $unit.json
    weights $unit.model > $unit.weights
  done
  for unit in ns day week; do cmp s.weights $unit.weights || continue 2; done
  echo "$network: the same weights"
done
for unit in s ns day; do tgn-train train $unit.events -o $unit.model $small --time-unit 1; weights $unit.model > $unit.weights; done
cmp -s s.weights ns.weights || echo 'by --time-unit 1 other weights'
for wrong in 0 -1 nan inf; do tgn-train train s.events -o m --time-unit $wrong; echo "exit $?"; done
