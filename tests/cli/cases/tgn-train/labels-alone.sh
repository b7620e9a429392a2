# Labels without a network: trained on past labels and features alone, tested, predicted in a pipe, resumed, and what they are not.
awk 'BEGIN { x = 7; print "src,dst,time,label,f"; for (e = 0; e < 800; ++e) { x = x * 16807 % 2147483647; s = x % 12; d = 12 + (s + e) % 5
  k = s % 3; print s "," d "," int(e / 3) "," (e % 11 == 0 ? "" : substr("abc", k + 1, 1)) "," s % 2 + e % 7 * 100 } }' > c.csv
awk -F, 'NR > 1 { $4 = $4 == "" ? "" : index("abc", $4) / 10 + NR % 4 } { print $1 "," $2 "," $3 "," $4 "," $5 }' c.csv > n.csv
awk -F, 'NR > 1 { $4 = $4 == "a" && NR % 5 != 0 ? 1 : 0 } { print $1 "," $2 "," $3 "," $4 }' c.csv > b.csv
awk 'BEGIN { for (v = 0; v < 17; ++v) print v % 3 "," v % 2 }' > nodes.csv
i() { tgn-train import "$@" -q; }
i c.csv --label-type class -o c.s; i n.csv --label-type number -o n.s; i b.csv -o b.s; i b.csv --node-features nodes.csv -o v.s
t() { tgn-train train "$@" --progress never; echo "exit $?"; }
t c.s --task event-label --event-features --epochs 4 -o c.model --json --report r.html > c.json; grep '"label_' c.json; grep -o '<dt>[^<]*' r.html | tr '\n' ' '; echo
t n.s --task event-label --event-features --epochs 20 -o n.model -q --json > n.json; t b.s --task node-label --epochs 8 -o b.model -q --json > b.json
t v.s --task event-label --epochs 8 -o v.model -q --json > v.json; grep '"label_' v.json; t n.s --task event-label --epochs 1 -o x.model | grep 'feature\|from'
awk -F'[:,]' '/"test_accuracy"/ { a = $2 } /"test_constant_accuracy"/ { print (a > $2 + 0.3 ? "learns classes" : a) }' c.json
for k in c n b v; do
  tgn-train eval $k.model $k.s --predictions $k.scores --json -q > tested
  for key in $(sed 's/^ *"\(test_[a-z_0-9]*\|validation_[a-z_0-9]*\|label_[a-z_0-9]*\)":.*/\1/; /test\|valid\|label/!d' tested); do
    grep -q "\"$key\"" $k.json && { [ "$(grep "\"$key\"" $k.json)" = "$(grep "\"$key\"" tested)" ] || echo "$k: $key differs"; }; done
done
# In a pipe the answers are those of eval, in one run, event by event, and by a state.
cp b.csv v.csv
for kind in c:class n:number b:binary 'v:binary --node-features nodes.csv'; do
  k=${kind%%:*}; head -681 $k.csv > past.csv; i past.csv --label-type ${kind#*:} -o past.s
  { head -1 $k.csv; sed -n '682,735p' $k.csv; } > part1.csv; { head -1 $k.csv; sed -n '736,$p' $k.csv; } > part2.csv; { cat part1.csv; sed 1d part2.csv; } > rest.csv
  rm -f state; tgn-train predict $k.model part1.csv --history past.s --save-state state -o one -q; tgn-train predict $k.model part2.csv --state state -o two -q
  tgn-train predict $k.model rest.csv --history past.s -q -o whole; tgn-train predict $k.model --history past.s --batch-size 1 -q < rest.csv > single
  { cat one; sed 1d two; } | cmp - whole && cmp single whole && head -1 whole
  grep '^test' $k.scores | cut -d, -f2-4,6- > wanted; tail -"$(wc -l < wanted)" whole | cmp - wanted && echo alike
done
printf '1,13,300\n99,98,300\n' | tgn-train predict b.model --history b.s --query -q | sed 's/[0-9.]*$/.../'; printf '1,13,300\n' | tgn-train predict v.model -q; echo "exit $?"
# A run that is killed goes on; it needs the same events and no network.
r='c.s --task event-label --epochs 3 --checkpoint ck'; t $r --checkpoint-every 0s -o whole.model -q; mv ck.prev ck; t $r --resume -o again.model -q; tensor-file diff whole.model again.model && echo same
t c.s --memory-dim 16 --time-dim 8 --epochs 1 --new-nodes 0 --mix none -o links.model -q; t $r --resume --from links.model -o w.model -q 2>&1 | sed 's/(.*)/(...)/'
# There are no embeddings, no links, and no options of a network.
tgn-train embed c.model c.s -o w; echo "exit $?"; tgn-train export c.model --ipu c.s -o w; echo "exit $?"; tgn-train eval c.model c.s --task link; echo "exit $?"
for wrong in '--task link' '--task node-label' '--rank --query' '--query'; do echo "-- $wrong"; tgn-train predict c.model part2.csv --history c.s -q $wrong; echo "exit $?"; done
t c.s --task event-label --from c.model -o w.model -q
for wrong in '--label-history no' '--architecture pyg' '--memory exact' '--memory-tier disk' '--precision bf16' '--new-nodes 0.1' '--mix none' '--pair-features' '--device cuda'; do
  echo "-- $wrong"; t c.s --task event-label $wrong -o w.model -q; done
t v.s --task node-label --label-history no --epochs 1 -o w.model | grep 'from\|exit'; t c.s --task event-label --label-history no --event-features --epochs 1 -o w.model -f | grep 'from\|exit'
tensor-file info c.model | grep 'F32\|tgn\.'
awk 'BEGIN { print "src,dst,time,label,edge_type"; for (e = 0; e < 1200; ++e) print e % 12 "," 12 + e % 5 "," e "," e % 3 % 2 ",t" e % 300 }' > many.csv; i many.csv -o many.s; t many.s --task event-label -o w.model -q
