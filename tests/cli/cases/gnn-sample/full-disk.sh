# A command whose result cannot be printed leaves no output.
t() { rm -f out*; "$@" > /dev/full; echo "exit $?: $(ls out* 2> /dev/null)"; }
printf '0,1\n1,2\n2,0\n' > e.csv
gnn-sample generate --nodes 200 -o g -q
gnn-sample train g --architecture sage --fanouts 2,2 --hidden 4 --epochs 1 -q -o m
t gnn-sample import e.csv -o out
t gnn-sample generate --nodes 200 -o out
t gnn-sample sample g --fanouts 2,2 -o out
t gnn-sample partition g --parts 2 -o out
t gnn-sample predict m g -o out
t gnn-sample predict m g -o out.csv
t gnn-sample predict m g -o out --json
# An older file stays.
echo old > out1; gnn-sample predict m g -o out1 --report out.html > /dev/full; cat out1; ls -A | grep 'tmp\|html'
gnn-sample predict m g -o out1 --depfile d --report out.html > /dev/null; tensor-file verify out1; ls d out.html
