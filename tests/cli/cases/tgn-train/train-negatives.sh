# Negatives that the source met before, the epoch of the best ranks, and what does not go together.
tgn-train generate --scale 40 -o e.safetensors -q
t() { tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --epochs 3 --mix none -q "$@"; echo "exit $?"; }
t -o plain.model; t --train-negatives uniform --select ap -o same.model; tensor-file diff plain.model same.model && echo same
for kind in historical mixed; do
  t --train-negatives $kind --threads 1 -o a.model; t --train-negatives $kind --threads 2 -o b.model; tensor-file diff a.model b.model && echo same
  tensor-file diff plain.model a.model > /dev/null || echo "another for $kind"
done
t --select mrr --select-negatives 20 --metrics m.jsonl -o s.model; grep -o '"validation_mrr"' m.jsonl | sort -u
# The chosen epoch is the one with the best of these.
python3 - <<'END'
import json
rows = [json.loads(line) for line in open("m.jsonl")]
ranks = [row["validation_mrr"] for row in rows if "validation_mrr" in row]
print(len(ranks), "epochs, not all alike" if len(set(ranks)) > 1 else "epochs alike")
END
t --train-negatives mixed --checkpoint c --checkpoint-every 0s -o c.model; mv c.prev c; t --train-negatives mixed --checkpoint c --resume -o d.model; tensor-file diff c.model d.model && echo same
t --checkpoint c --resume -o d.model 2>&1 | sed 's/(.*//'
for wrong in '--train-negatives inductive' '--select-negatives 5' '--select mrr --no-eval' '--select mrr --select-negatives 0'; do echo "-- $wrong"; t $wrong -o w.model; done
tgn-train train e.safetensors --task node-label --from plain.model --train-negatives mixed -o w.model -q; echo "exit $?"
