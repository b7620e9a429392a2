# Answers to a stream: one a line, the same for any batch and any way through it.
tgn-train generate --scale 20 --features 2 --recurrence 0.95 -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 3 -o m
column() { tensor-file cat e.safetensors --tensor $1; }
column sources > s; column destinations > d; column times > t; column edge_features | tr ' \t' ',,' > f
paste -d, s d t f > all.csv
head -n 600 all.csv > past.csv; tail -n +601 all.csv > rest.csv; wc -l < rest.csv
columns='1:source,2:destination,3:time,4:feature,5:feature'
tgn-train import past.csv --columns $columns -o past.safetensors -q
same() { awk -F, -v what="$3" 'NR == FNR { a[FNR] = $0; n = FNR; next } { split(a[FNR], x, ","); d = x[4] - $4; if (d * d > 1e-8 || x[1] != $1 || x[3] != $3) ++bad } END { print what, (bad || n != FNR ? "differ" : "same") }' $1 $2; }
for b in 1 7 200; do tgn-train predict m rest.csv --history past.safetensors --batch-size $b -o b.$b; done | sed 's/, in .*//'
same b.1 b.7 batches; same b.1 b.200 batches
cat rest.csv | tgn-train predict m --history past.safetensors 2> said > b.pipe; same b.1 b.pipe pipe
tgn-train predict m all.csv -o whole -q; tail -n +601 whole > tail; same b.1 tail whole
# From run to run.
head -n 150 rest.csv | tgn-train predict m --history past.safetensors --save-state st -o half -q
tail -n +151 rest.csv | tgn-train predict m --state st --save-state st -q >> half; same b.1 half states
tensor-file info st | grep '^  tgn' | grep -v 'tgn.model\|events\|told'
# A producer that waits for each answer; headers, names, JSON.
mkfifo questions answers
tgn-train predict m questions --ids any --bipartite yes --answers json -q > answers &
exec 4< answers 3> questions
echo 'user,item,time,x,y' >&3
for line in 'ann,tea,1,0.5,1' 'bob,tea,1,0,0' 'ann,"a ""b",2.5,0,0'; do
  echo "$line" >&3; case $line in *'""'*) ;; *) read -r answer <&4; echo "$answer" | sed 's/"score":0\.[0-9]*/"score":P/' ;; esac
done
exec 3>&-; wait $! ; echo "exit $?"; exec 4<&-
printf 'src,dst,time,x,y\n7,8,1,0,0\n' | tgn-train predict m -q | sed 's/,[^,]*$/,P/'
tgn-train predict m rest.csv --history past.safetensors -o o --json | sed 's/^ *"\([a-z_0-9]*\)":.*/\1/; /^[{}]/d' | tr '\n' ' '; echo
# Behind the events of its training a model goes on from the memory that it has of them.
tgn-train train past.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --learning-rate 0.01 -o pm; tgn-train train past.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --learning-rate 0.01 -o pw --weights-only
tgn-train predict pm rest.csv --history past.safetensors -o p.all --json | grep '"memory"'; tgn-train predict pw rest.csv --history past.safetensors -o p.w --json | grep '"memory"'
head -n 150 rest.csv | tgn-train predict pm --history past.safetensors --save-state ps -o half -q
tail -n +151 rest.csv | tgn-train predict pm --state ps -q >> half; same p.all half trained; same p.all p.w anew
# Other modes: the memory is told of whole batches.
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 3 --memory exact --batch-size 20 -o x
tgn-train predict x rest.csv --history past.safetensors -o x.0 -q; tgn-train predict x rest.csv --history past.safetensors --batch-size 20 -o x.20 -q; same x.0 x.20 exact
head -n 150 rest.csv | tgn-train predict x --history past.safetensors --save-state sx -o half -q
tail -n +151 rest.csv | tgn-train predict x --state sx -q >> half; same x.0 half exact
# TERM saves and ends.
mkfifo slow; tgn-train predict m slow --history past.safetensors --save-state term -q > begun & exec 3> slow
head -n 150 rest.csv >&3; until [ "$(wc -l < begun)" = 150 ]; do sleep 0.02; done
kill -TERM $!; wait $!; echo "exit $?"; exec 3>&-
tail -n +151 rest.csv | tgn-train predict m --state term -q >> begun; same b.1 begun stopped
# Events of one time know nothing of each other, unless --ties order says so.
tail -n +150 past.csv | head -n 1 > one; at=$(tail -n 1 past.csv | cut -d, -f3); awk -F, -v t=$((at + 9)) -v OFS=, '{ $3 = t; print }' one > first; { cat first first; } > two; awk -F, -v t=$((at + 10)) -v OFS=, '{ $3 = t; print }' one > later
lone() { tgn-train predict m two --history past.safetensors -q "$@" | cut -d, -f4 | sort -u | wc -l; }
echo "strict: $(lone) score of two equal lines; order: $(lone --ties order)"
cat first later | tgn-train predict m --history past.safetensors -q > after; cat two later | tgn-train predict m --history past.safetensors -q --batch-size 1 > after.two; tail -n 1 after | cut -d, -f4 > once; tail -n 1 after.two | cut -d, -f4 > twice; cmp -s once twice || echo 'a later one knows both'
head -n 1 two | tgn-train predict m --history past.safetensors --save-state ties -o half -q; tail -n 1 two | tgn-train predict m --state ties -q >> half; sort -u half | wc -l
tgn-train predict x two --ties strict -q; echo "exit $?"
