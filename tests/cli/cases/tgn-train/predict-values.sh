# Questions in another form than the events of the training, of the same nodes and times.
tgn() { tgn-train "$@" 2>&1 | sed 's/, in [0-9.]* [a-z]*$//'; }
awk 'BEGIN { print "src;dst;time;f"; for (i = 0; i < 300; i++) printf "%d;%d;20240%d%02d%02d;0,%d\n", 10 + i % 7, 20 + i % 5, 2 + int(i / 240), 1 + int(i / 12) % 20, i % 12, i % 10 }' > e.csv
tgn import e.csv --ids any -o e.safetensors
tgn-train train e.safetensors -o m.model --memory-dim 8 --time-dim 8 --epochs 1 --new-nodes 0 --threads 1 -q; echo "exit $?"
cat > plain.csv <<'.'
src,dst,time,f
10,21,2024-03-07T00:00:00Z,0.5
11,20,2024-03-07T01:00:00Z,0.25
#12,20,2024-03-07T02:00:00Z,0.25
99,99,2024-03-07T03:00:00Z,1e-50
.
cat > other.csv <<'.'
f;dst;src;time
0,5;021;10.0;2024030700
0,25;+20;011;2024030701
0;99.0;099;2024030703
.
tgn predict m.model plain.csv --history e.safetensors -o plain.txt --save-state plain.state
tgn predict m.model other.csv --history e.safetensors -o other.txt --save-state other.state
cut -d , -f 4 plain.txt > plain.scores; cut -d , -f 4 other.txt | cmp - plain.scores && cat other.txt | cut -d , -f 1-3
# A state keeps the rule, and so do questions and embeddings.
printf 'src,dst,time,f\n010,21.0,2024030800,0\n099,10,2024030801,0\n' > later.csv
tgn predict m.model later.csv --state other.state -o later.txt
printf 'src,dst,time,f\n10,21,2024-03-08,0\n99,10,2024-03-08T01,0\n' > later.csv
tgn predict m.model later.csv --state plain.state -o later2.txt
cut -d , -f 4 later.txt > a; cut -d , -f 4 later2.txt | cmp - a && echo equal
printf 'src,dst,time,f\n10,021,2024023000,0\n' | tgn predict m.model - --history e.safetensors
printf '010,2024030800\n10.0,2024-03-08\n' | tgn embed m.model e.safetensors --nodes - -o x.safetensors
# Without a past the first line decides.
printf 'src,dst,time,f\n7,007,2024022923,0\n7.0,7,2024030100,0\n' | tgn-train predict m.model - --ids any --json -o y.txt | grep -o '"nodes": *[0-9]*'
