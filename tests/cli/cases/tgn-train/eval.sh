# What train says of its test is what eval says of the model; baselines stand beside it.
tgn-train generate --scale 10 --features 2 -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 2 -o m --json > trained
tgn-train eval m e.safetensors --json > said
value() { grep -m1 "^  \"$1\":" $2; }
for key in test_average_precision test_auc test_average_precision_batch200 inductive_average_precision validation_average_precision; do
  [ "$(value $key trained)" = "$(value $key said)" ] && echo "$key: same"
done
sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{} ]/d' said | tr '\n' ' '; echo
# Without the memory that training left, and on other streams, it is made anew.
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 2 --weights-only -o wm --json > trained
tgn-train eval wm e.safetensors --no-baselines --json > said; grep '"memory"' said
for key in test_average_precision inductive_average_precision validation_average_precision; do [ "$(value $key trained)" = "$(value $key said)" ] && echo "$key of weights: same"; done
tgn-train generate --scale 10 --features 2 --seed 1 -o new.safetensors -q; tgn-train eval m new.safetensors --no-baselines --json -q | grep '"memory"'
for at in 5 5000000; do tgn-train embed m e.safetensors --at $at -o at --json | grep '"memory"'; done
among() { echo "--ranks $1"; case $1 in none|all) ;; *) echo "--eval-negatives $2" ;; esac; }
for ranks in none uniform historical all; do echo "$ranks $(tgn-train eval m e.safetensors $(among $ranks 10) --no-baselines --json | grep -c mrr)"; done
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 2 --pair-features -o pm --json > trained
tgn-train eval pm e.safetensors --ranks all --no-baselines --json > said
for key in test_average_precision inductive_average_precision validation_average_precision; do [ "$(value $key trained)" = "$(value $key said)" ] && echo "$key with pairs: same"; done
tgn-train embed pm e.safetensors -o all.safetensors | sed 's/, in .*//'
# Memory answers for DyRep, and goes on by batches while many are ranked.
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 1 --architecture dyrep --memory exact -o dm --json > trained
tgn-train eval dm e.safetensors --ranks all --no-baselines --json > said
for key in test_average_precision inductive_average_precision; do [ "$(value $key trained)" = "$(value $key said)" ] && echo "$key of dyrep: same"; done
# With products in bf16, too, where there are any.
tgn-train train e.safetensors -q --memory-dim 32 --time-dim 16 --epochs 2 --learning-rate 0.01 --precision bf16 -o hm --json > trained
tgn-train eval hm e.safetensors --ranks none --precision bf16 --no-baselines --json > said
for key in test_average_precision inductive_average_precision validation_average_precision; do [ "$(value $key trained)" = "$(value $key said)" ] && echo "$key in bf16: same"; done
tgn-train embed dm e.safetensors -o all.safetensors | sed 's/, in .*//'
tgn-train eval m e.safetensors --no-baselines --ranks none --json | grep average_precision > in.ram; tgn-train eval m e.safetensors --no-baselines --ranks none --memory-tier disk --json | grep average_precision > on.disk; cmp in.ram on.disk && echo same
# However many are ranked, batches are the same, and so is what their events know of each other.
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --epochs 2 --learning-rate 0.01 --architecture pyg --memory exact -o xm
for ranks in none uniform; do tgn-train eval xm e.safetensors --no-baselines $(among $ranks 100) --json | grep '_average_precision"' > ap.$ranks; done; test -s ap.none && cmp ap.none ap.uniform && echo same
tgn-train eval m e.safetensors --ranks none | sed 's/  *[0-9.-]*/ ./g'
tgn-train generate --scale 10 --features 3 -o other.safetensors -q; tgn-train eval m other.safetensors -q; echo "exit $?"
tgn-train eval e.safetensors e.safetensors -q; echo "exit $?"
tgn-train eval m m -q; echo "exit $?"
head -c 900 m > cut; tgn-train eval cut e.safetensors -q; echo "exit $?"
for model in wm m; do
  tensor-file convert $model m.safetensors -q
  python3 -c 'import sys; b = open("m.safetensors", "rb").read(); sys.stdout.buffer.write(b[:-4] + b"\0\0\xc0\x7f")' > damaged; tgn-train eval damaged e.safetensors -q; echo "exit $?"
done
python3 - <<'EOF'
import json, struct
b = open("m.safetensors", "rb").read(); n = struct.unpack("<Q", b[:8])[0]; h = json.loads(b[8:8 + n])
h["__metadata__"]["tgn.trained_events"] = "500"
h = json.dumps(h).encode(); open("damaged", "wb").write(struct.pack("<Q", len(h)) + h + b[8 + n:])
EOF
tgn-train eval damaged e.safetensors --no-baselines --ranks none --json 2>&1 | grep 'other events\|"memory"'
# Embeddings of nodes as of a time: the future changes none, and order is that of the question.
tgn-train embed m e.safetensors -o all.safetensors | sed 's/, in .*//'
tgn-train embed m e.safetensors -o from.disk --memory-tier disk -q; tensor-file diff all.safetensors from.disk && echo same
printf '3,5\n0\n3,5\n' | tgn-train embed m e.safetensors --nodes - -o some.safetensors -q; tensor-file info some.safetensors | grep '\[3'
tensor-file cat some.safetensors --tensor nodes | tr '\n' ' '; echo
printf '3,5\n' | tgn-train embed m e.safetensors --nodes - -o one.safetensors -q
tensor-file cat some.safetensors --tensor embeddings --rows 0:1 > a; tensor-file cat one.safetensors --tensor embeddings > b; cmp a b && echo same
for wrong in 'x' '999999' '1,x' '1,1.5'; do echo "$wrong" | tgn-train embed m e.safetensors --nodes - -o w.safetensors -q; echo "exit $?"; done
tgn-train embed m e.safetensors --at noon -o w.safetensors -q; echo "exit $?"
# Of one time no event knows another, unless it is asked for; without ties that is no difference.
awk 'BEGIN { srand(3); for (e = 0; e < 900; ++e) { u = int(rand() * 9); printf "%d,%d,%d,0,%.2f,%.2f\n", u, 9 + (u + int(rand() * 2)) % 9, int(e / 5), rand(), u / 9 } }' > ties.csv; awk -F, -v OFS=, '{ $3 = NR; print }' ties.csv > none.csv
for s in ties none; do
  tgn-train import $s.csv -o $s.safetensors -q; tgn-train train $s.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 4 --batch-size 20 -o t
  for how in strict order; do tgn-train eval t $s.safetensors --ties $how --ranks none --no-baselines --json | grep '"test_average_precision"' > ap.$how; done; cmp -s ap.strict ap.order && echo "$s: same" || echo "$s: differ"
done
tgn-train eval xm e.safetensors --ties order -q; echo "exit $?"
