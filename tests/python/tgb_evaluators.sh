#!/bin/sh
# Ranks and NDCG@10 of tgn-train are those of py-tgb's evaluators (Temporal Graph Benchmark) on the same scores.
#   tgb_evaluators.sh BIN_DIR SOURCE_DIR
. "$(dirname "$0")/needs.sh"
needs numpy sklearn tgb.linkproppred.evaluate tgb.nodeproppred.evaluate
PATH=$(cd "$1" && pwd):$PATH; script=$(cd "$2" && pwd)/tests/python/tgb_evaluators.py
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
status=0
tgn-train generate --scale 5 --features 0 -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --architecture tgn-id --epochs 1 -o model || status=1
# A network without steps scores many nodes the same, so that its ranks have ties.
tgn-train train e.safetensors -q --memory-dim 8 --architecture tgn-no-mem --time-dim 8 --neighbors 1 --steps 1 --mix none -o ties || status=1
for case in "model --ranks historical --eval-negatives 20" "ties --ranks all"; do
  echo "-- eval ${case}"
  # shellcheck disable=SC2086
  tgn-train eval ${case%% *} e.safetensors ${case#* } --shortlist 1000 --no-baselines --rank-scores r.safetensors --json > eval.json 2> error ||
    tgn-train eval ${case%% *} e.safetensors ${case#* } --no-baselines --rank-scores r.safetensors --json > eval.json || status=1
  python3 "$script" link r.safetensors eval.json || status=1
  # The exported nodes are read again.
  tgn-train eval ${case%% *} e.safetensors --ranks r.safetensors --no-baselines --json > again.json || status=1
  [ "$(grep '"test_mrr"' eval.json)" = "$(grep '"test_mrr"' again.json)" ] || { echo "FAILED: ranks among the exported nodes"; status=1; }
done
# Negatives as the benchmark's programs store them: a pickle for each part.
tgn-train eval model e.safetensors --ranks historical --eval-negatives 20 --shortlist 1000 --no-baselines --rank-scores r.safetensors -q
for tensor in sources destinations times; do tensor-file cat e.safetensors --tensor $tensor > $tensor; done
python3 "$script" pickle r.safetensors sources destinations times || status=1
tgn-train eval model e.safetensors --ranks tgbl-own_test_ns.pkl --no-baselines --json > pickled.json || status=1
tgn-train eval model e.safetensors --ranks r.safetensors --no-baselines --json > again.json
for key in test_mrr validation_mrr; do
  [ "$(grep "\"$key\"" pickled.json)" = "$(grep "\"$key\"" again.json)" ] || { echo "FAILED: $key among the nodes of pickles"; status=1; }
done
for mix in auto none; do
  echo "-- eval-affinity, --mix $mix"
  tgn-train train-affinity e.safetensors --every 1d --mix $mix -o affinity -q || status=1
  tgn-train eval-affinity affinity e.safetensors --forecasts f.safetensors --json > eval.json || status=1
  python3 "$script" affinity f.safetensors eval.json || status=1
done
exit $status
