# Labels that are classes and numbers: imported, learnt from both ends of events, tested, predicted with a history and a state.
awk 'BEGIN { x = 7; print "src,dst,time,label,f"; for (e = 0; e < 800; ++e) { x = x * 16807 % 2147483647; s = x % 12; d = 12 + (s + e) % 5
  k = s % 3; print s "," d "," int(e / 3) ",\"" (e % 11 == 0 ? "" : k == 0 ? "red" : k == 1 ? "green, dark" : "blue") "\"," s % 2 } }' > classes.csv
awk -F'"' 'NR == 1 { print; next } { print $1 ($2 == "" ? "" : length($2) / 2 + NR % 2) $3 }' classes.csv > numbers.csv
i() { tgn-train import "$@"; echo "exit $?"; }
i classes.csv --label-type class -o c.safetensors; i numbers.csv --label-type number -o n.safetensors
i classes.csv -o x.safetensors; i classes.csv --label-type number -o x.safetensors
i classes.csv --columns src:source,dst:destination,time:time --label-type class -o x.safetensors
tensor-file info c.safetensors | grep 'targets\|tgn.classes'
tgn-train train c.safetensors --memory-dim 16 --time-dim 8 --batch-size 20 --epochs 1 --new-nodes 0 -o links.model -q
tensor-file info links.model | grep 'tgn.time_[us]'
for kind in c n; do
  tgn-train train $kind.safetensors --task event-label --event-features --from links.model --epochs 40 --patience 0 -o $kind.model --json --report r.html -q > $kind.json
  grep -o '<dt>[^<]*' r.html | tr '\n' ' '; echo
  sed 's/^ *"\(test_[a-z_0-9]*\)":.*/\1/; /test/!d' $kind.json | tr '\n' ' '; echo
  tgn-train eval $kind.model $kind.safetensors --predictions $kind.csv --json -q > tested
  for key in $(sed 's/^ *"\(test_[a-z_0-9]*\)":.*/\1/; /test/!d' tested); do [ "$(grep "\"$key\"" $kind.json)" = "$(grep "\"$key\"" tested)" ] || echo "$key differs"; done
  head -1 $kind.csv
done
awk -F'[:,]' '/"test_accuracy"/ { a = $2 } /"test_constant_accuracy"/ { print (a > $2 + 0.3 ? "learns classes" : a) }' c.json
awk -F'[:,]' '/"test_r2"/ { print ($2 > 0.5 ? "learns numbers" : $2) }' n.json
# In a pipe the answers are those of eval, in one run and by a state; lines with the time of the state's last event come after it.
for kind in c:classes n:numbers; do
  k=${kind%:*}; f=${kind#*:}.csv
  head -681 $f > before.csv; head -1 $f > part1.csv; sed -n '682,735p' $f >> part1.csv; head -1 $f > part2.csv; sed -n '736,$p' $f >> part2.csv
  type=class; [ $k = c ] || type=number
  tgn-train import before.csv --label-type $type -o before.safetensors -q
  tgn-train predict $k.model part1.csv --history before.safetensors --save-state s -o one.csv -q
  tgn-train predict $k.model part2.csv --state s -o two.csv -q; head -1 one.csv
  grep '^test' $k.csv | sed 's/^test,\([0-9]*,[0-9]*,[0-9]*\),\("green, dark"\|[^,]*\),/\1,/' > wanted
  { tail -n +2 one.csv; tail -n +2 two.csv; } | tail -"$(wc -l < wanted)" | cmp - wanted && echo alike
done
sed -n 2p part1.csv | cut -d, -f1-3,5 | tgn-train predict n.model --history before.safetensors --answers json --columns 1:source,2:destination,3:time,4:feature -q | sed 's/[0-9.]*}/...}/'
for wrong in '--query' '--rank --query' '--task node-label'; do echo "-- $wrong"; tgn-train predict n.model part1.csv --history before.safetensors -q $wrong; echo "exit $?"; done
printf 'src,dst,time,label,f\n1,12,999,pink,0\n' | tgn-train predict c.model --history c.safetensors -q; echo "exit $?"
tgn-train predict c.model part1.csv --history n.safetensors -q; echo "exit $?"
tgn-train predict c.model part2.csv --history before.safetensors --task link -q | head -1
# Classes of what becomes of the source, and what does not go together.
tgn-train train c.safetensors --task node-label --from links.model --epochs 2 -o node.model -q; tgn-train eval node.model c.safetensors --json -q | grep -c '"test_[a-z_]*accuracy"'
# predict writes labels by itself, as eval does, and links where it is asked for them.
head -n 9 classes.csv > few.csv; for task in auto node-label link; do tgn-train predict node.model few.csv --task $task -q -o $task.csv; head -1 $task.csv; done; cmp auto.csv node-label.csv && tgn-train predict node.model few.csv --query --top-k 1 -q | head -1
tgn-train predict node.model part1.csv --history c.safetensors --task node-label -q 2>&1 | head -2
for wrong in '--task node-label --event-features' '--label-history no'; do echo "-- $wrong"; tgn-train train c.safetensors $wrong -o w.model -q; echo "exit $?"; done
tgn-train eval c.model n.safetensors; echo "exit $?"; tgn-train eval c.model c.safetensors --task node-label; echo "exit $?"
