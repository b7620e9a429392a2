# Edge types: imported, generated, learnt and tested within types, asked about in pipes, by a history and by a state.
awk 'BEGIN { x = 7; print "src,dst,time,edge_type,f"; for (e = 0; e < 2400; ++e) { x = x * 16807 % 2147483647; s = x % 12; k = int(x / 12) % 3
  d = 12 + (s * 2 + k * 5 + (e % 9 == 0)) % 15; print s "," d "," int(e / 3) "," (k == 0 ? "fork" : k == 1 ? "star, gold" : "issue") "," s % 2 } }' |
  sed 's/star, gold/"star, gold"/' > e.csv
i() { tgn-train import "$@"; echo "exit $?"; }
i e.csv -o e.safetensors; tensor-file info e.safetensors | grep 'types\|type_column'
sed 's/edge_type/kind/' e.csv > kind.csv; i kind.csv --columns src:source,dst:destination,time:time,kind:edge_type,f:feature -o k.safetensors
tensor-file info k.safetensors | grep 'type_column'
printf '{"src":1,"dst":2,"time":3,"relation_type":7}\n{"src":2,"dst":1,"time":4,"relation_type":12}\n' | tgn-train import - -o j.safetensors --json -q | grep edge_types
# The column may be a feature, or left out, and every event has a type.
sed 's/fork/1/; s/"star, gold"/2/; s/issue/3/' e.csv > numbers.csv; i numbers.csv --columns src:source,dst:destination,time:time,edge_type:feature -o x.safetensors
sed '20s/fork\|issue\|"star, gold"//' e.csv > empty.csv; i empty.csv -o x.safetensors
awk 'BEGIN { print "src,dst,time,edge_type"; for (e = 0; e < 65536; ++e) print "0,1," e ",t" e }' > many.csv; i many.csv -o x.safetensors
head -302 many.csv > few.csv; i few.csv -o few.safetensors; tgn-train train few.safetensors -o x.model -q; echo "exit $?"
tgn-train generate --scale 50 --edge-types 4 -o g.safetensors
# A model of them ranks within types as its input does; what cannot use them refuses.
train() { tgn-train train e.safetensors --memory-dim 16 --time-dim 8 --batch-size 20 --new-nodes 0 --learning-rate 0.01 -q "$@"; echo "exit $?"; }
for a in tpnet tncn; do train --architecture $a -o x.model; done
train --epochs 4 --pair-features -o m --json > m.json; grep '"predictor"' m.json; grep -c '"typed_[a-z_]*": {' m.json
tensor-file info m | grep 'tgn.types\|type_column\|tgn.edge_features'
tgn-train eval m e.safetensors --ranks all --predictions p.csv --json -q > t.json; head -2 p.csv | sed 's/,[0-9.]*$//'
awk -F'[:,]' '/"test_mrr"/ { print ($2 > 0.6 ? "ranks by type" : $2) }' t.json
tgn-train eval m k.safetensors -q > /dev/null; echo "exit $?"
tgn-train import numbers.csv -o n.safetensors -q; tgn-train eval m n.safetensors -q; echo "exit $?"
tgn-train import e.csv --columns src:source,dst:destination,time:time,f:feature -o u.safetensors -q; tgn-train eval m u.safetensors -q; echo "exit $?"
tgn-train train u.safetensors --memory-dim 16 --time-dim 8 --epochs 1 -o um -q; tgn-train eval um e.safetensors -q; echo "exit $?"; echo 5,17,999,1 | tgn-train predict um --history u.safetensors -q > /dev/null; echo "exit $?"
# In a pipe the answers are those of eval, in one run and by a state; a stopped training goes on.
head -2041 e.csv > before.csv; (head -1 e.csv; sed -n '2042,2200p' e.csv) > part1.csv; (head -1 e.csv; sed -n '2201,$p' e.csv) > part2.csv; sed -n '2042,$p' e.csv > all.csv
i before.csv -o before.safetensors
p() { tgn-train predict m "$@" -q; }
p part1.csv --history before.safetensors --save-state s > one; p part2.csv --state s > two; head -1 one
p all.csv --history before.safetensors > three; (tail -n +2 one; tail -n +2 two) | cmp - three && echo 'without a header and in two runs: alike'
grep '^test' p.csv | awk 'NR % 2' | sed 's/^test,//; s/,1,\([0-9.e-]*\)$/,\1/' > wanted; tail -n "$(wc -l < wanted)" three | cmp - wanted && echo 'as in eval'
# A fitted mix, and a feature that is scaled: answers are those of eval. A file may have a part of the types, in another order.
awk 'BEGIN { x = 7; print "src,dst,time,edge_type,f"; for (e = 0; e < 4000; ++e) { x = x * 16807 % 2147483647; s = x % 20; k = int(x / 20) % 3; z = int(x / 1000)
  d = 20 + (z % 2 ? s * 2 + k * 5 : int(z / 7)) % 30; print s "," d "," e "," (k == 0 ? "fork" : k == 1 ? "star" : "issue") "," 1000000 + 5 * (z % 1000) } }' > noisy.csv; i noisy.csv -o noisy.ev
tgn-train train noisy.ev --memory-dim 16 --time-dim 8 --batch-size 50 --new-nodes 0 --epochs 1 -o mixed --json -q | grep '"predictor"'; tensor-file info mixed | grep 'edge_features.spread'
tgn-train eval mixed noisy.ev --predictions q.csv -q > /dev/null; echo "exit $?"; grep '^test' q.csv | awk 'NR % 2' | sed 's/^test,//; s/,1,\([0-9.e-]*\)$/,\1/' > wanted; wc -l < wanted
head -3001 noisy.csv > before.csv; (head -1 noisy.csv; sed -n '3002,3700p' noisy.csv) > part3.csv; (head -1 noisy.csv; sed -n '3701,$p' noisy.csv) > part4.csv; tgn-train import before.csv -o before.ev -q
(tgn-train predict mixed part3.csv --history before.ev --save-state s2 -q; tgn-train predict mixed part4.csv --state s2 -q) | grep -v score | tail -n "$(wc -l < wanted)" | cmp - wanted && echo 'a mix as in eval'
tgn-train predict mixed part4.csv --state s2 -q --query --rank | tail -n +2 | awk -F, '{ n += 1 / $6 } END { print (n / NR > 0.3 ? "ranks by type" : n / NR) }'
awk -F, 'NR == 1 || NR > 3000 { if ($4 != "fork") print }' noisy.csv > some.csv; i some.csv -o some.ev; tgn-train eval mixed some.ev --json -q | grep -c '"test_auc"'
awk -F, 'NR == 1 || $4 != "fork"' before.csv > less.csv; tgn-train import less.csv -o less.ev -q
(cat less.csv; sed 1d some.csv) > both.csv; tgn-train predict mixed both.csv -q | tail -n 658 > one; tgn-train predict mixed some.csv --history less.ev -q | tail -n 658 | cmp - one && echo 'a history of some types'
awk -F, 'NR == 1 { print $0 ",label"; next } { print $0 "," (/fork/ ? 1 : 0) }' noisy.csv > nl.csv; tgn-train import nl.csv -o nl.ev -q
tgn-train train nl.ev --task event-label --event-features --from mixed --epochs 8 --patience 0 -o nlm --json -q | awk -F'[:,]' '/"test_auc"/ { print ($2 > 0.99 ? "labels by type" : $2) }'
(echo 1,20,4000,star,1000500; echo 1,20,4000,fork,1000500) | tgn-train predict nlm --history noisy.ev -q | awk -F, '{ print $4, ($5 > 0.5) }'; echo 1,20,4000,star | tgn-train predict nlm --history noisy.ev --query -q; echo "exit $?"
cut -d, -f1-4,6 nl.csv > plain.csv; tgn-train import plain.csv -o plain.ev -q; tgn-train train plain.ev --memory-dim 8 --time-dim 4 --epochs 1 --mix none -o pm -q > /dev/null
tgn-train train plain.ev --task event-label --event-features --from pm --epochs 20 --learning-rate 0.01 --patience 0 -o plm -q > /dev/null; (echo 1,20,4000,star; echo 1,20,4000,fork) | tgn-train predict plm --history plain.ev --query -q | awk -F, '{ print $4, ($5 > 0.5) }'
printf 'src,dst,time,edge_type\n1,2,3,caf\351\n' > latin.csv; i latin.csv -o x.ev
for k in fork issue '"star, gold"'; do echo "3,12,900,$k"; done > ask; p ask --query --history before.safetensors --top-k 1 | sed 's/,0\.[0-9e-]*,1$//'
p ask --query --history before.safetensors --rank --answers json | sed 's/"score":[0-9.e-]*,"rank":[0-9.]*/S/'
echo 3,12,900,clone | p --query --history before.safetensors; echo "exit $?"; echo 3,12,900,clone,1 | p --history before.safetensors; echo "exit $?"
(echo src,dst,time,f; echo 3,12,900,1) | p --history before.safetensors; echo "exit $?"
(echo 3,12,900,clone,1; echo 3,12,900,fork,1) | p --history before.safetensors --on-error skip | wc -l
c() { train --epochs 2 --pair-features --checkpoint c "$@" > /dev/null; }
c --checkpoint-every 0s -o whole; rm -f c; c --steps 9 --checkpoint-every 0s -o part; c --resume --steps 9 -o part; rm -f c; c --steps 9 -o parts; tensor-file diff part parts && echo same
c --epochs 1 --memory-shards 2 -o sharded; tgn-train eval sharded e.safetensors --json -q | grep -c '"test_auc"'
# Labels of events, embeddings, and the memories in batches; Graphcore's modules know no types.
for mode in exact read; do train --memory $mode --epochs 1 -o $mode.model; tgn-train eval $mode.model e.safetensors --json -q | grep -c '"test_auc"'; done
tgn-train embed m e.safetensors -o emb.npz -q; echo "exit $?"; train --architecture pyg --memory exact --epochs 1 -o pyg.model; tgn-train export pyg.model --ipu e.safetensors -o x; echo "exit $?"
awk -F, 'NR == 1 { print $0 ",label"; next } { print $0 "," (/fork/ ? 1 : 0) }' e.csv > l.csv; i l.csv -o l.safetensors
tgn-train train l.safetensors --task event-label --event-features --from m --epochs 10 --patience 0 -o lm --json -q | awk -F'[:,]' '/"test_auc"/ { print ($2 > 0.99 ? "labels by type" : $2) }'
(head -1 l.csv | cut -d, -f1-5; tail -2 l.csv | sed 's/,[01]$//') | tgn-train predict lm --history e.safetensors -q | sed 's/,[0-9.e-]*$//'
tgn-train train-affinity e.safetensors --every 20 -o aff.model -q > /dev/null; echo "exit $?"
