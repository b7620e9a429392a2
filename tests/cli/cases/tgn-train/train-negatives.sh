# Negatives that the source met before, the epoch of the best ranks, and what does not go together.
tgn-train generate --scale 40 -o e.safetensors -q
t() { tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --epochs 3 --mix none -q "$@"; echo "exit $?"; }
t -o plain.model; t --train-negatives uniform --select ap -o same.model; tensor-file diff plain.model same.model && echo same
for kind in historical mixed; do
  t --train-negatives $kind --threads 1 -o a.model; t --train-negatives $kind --threads 2 -o b.model; tensor-file diff a.model b.model && echo same
  tensor-file diff plain.model a.model > /dev/null || echo "another for $kind"
done
t --select mrr --select-negatives 20 --metrics m.jsonl --json -o s.model > s.json; grep -o '"validation_mrr"' m.jsonl | sort -u
# The chosen epoch is the one with the best of these, which average precision would not choose here.
python3 - <<'END'
import json
rows = [row for row in map(json.loads, open("m.jsonl")) if "epoch" in row and "validation_mrr" in row]
ranks = [row["validation_mrr"] for row in rows]
precisions = [row["validation_average_precision_batch200"] for row in rows]
result = json.loads(open("s.json").read().rsplit("exit", 1)[0])
best = ranks.index(max(ranks)) + 1
print(len(ranks), "epochs", "the best" if result["best_epoch"] == best else (result["best_epoch"], ranks))
print("validation_mrr is its" if abs(result["validation_mrr"] - max(ranks)) < 1e-6 else result["validation_mrr"])
print("not by average precision" if precisions.index(max(precisions)) + 1 != best else ("the same epoch", ranks, precisions))
END
t --train-negatives mixed --checkpoint c --checkpoint-every 0s -o c.model; mv c.prev c; t --train-negatives mixed --checkpoint c --resume -o d.model; tensor-file diff c.model d.model && echo same
t --checkpoint c --resume -o d.model 2>&1 | sed 's/(.*//'
for wrong in '--train-negatives inductive' '--select-negatives 5' '--select mrr --no-eval' '--select mrr --select-negatives 0'; do echo "-- $wrong"; t $wrong -o w.model; done
tgn-train train e.safetensors --task node-label --from plain.model --train-negatives mixed -o w.model -q; echo "exit $?"
