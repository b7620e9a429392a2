# A command whose result cannot be printed leaves no output.
t() { rm -f out*; "$@" > /dev/full; echo "exit $?: $(ls out* 2> /dev/null)"; }
printf '0,1,1\n1,2,2\n2,0,3\n' > e.csv
t tgn-train import e.csv -o out
t tgn-train import e.csv -o out --json
t tgn-train generate --scale 10 -o out
tgn-train generate --scale 10 -o e -q
tgn-train train e --memory-dim 8 --time-dim 8 --epochs 1 --no-eval -q -o m
t tgn-train embed m e -o out
# An older file stays.
echo old > out1; tgn-train embed m e -o out1 --json > /dev/full; cat out1; ls -A | grep tmp
