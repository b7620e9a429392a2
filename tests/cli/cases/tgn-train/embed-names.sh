# Embeddings of nodes by what the input calls them: item 3 is not user 3, and a day is a time.
awk 'BEGIN {
  srand(8); print "user,item,date"
  for (e = 0; e < 200; e++) printf "%d,%d,2024-%02d-%02d\n", 9 * rand(), 7 * rand(), 1 + e / 25, 1 + e % 25
}' > e.csv
tgn-train import e.csv -o e.events
tgn-train train e.events -o m --memory-dim 4 --time-dim 4 --epochs 1 --new-nodes 0 --threads 1 -q
embed() { tgn-train embed m e.events -o e "$@" -f -q; echo "exit $?"; }
show() { for tensor in "$@"; do echo "$tensor $(tensor-file cat e --tensor "$tensor" | tr '\n' ' ')"; done; }
echo 3 > three
embed --nodes three
for kind in source destination; do embed --nodes three --kind $kind; show nodes ids is_destination times; done
printf '8\n3.0,2024-02-01\n' | embed --nodes - --kind source; show ids times
echo 8 | embed --nodes -
echo 8 | embed --nodes - --kind destination
echo 8,2024-13-01 | embed --nodes -
embed --at yesterday
awk -F, 'NR == 1 || $1 = "u" $1' OFS=, e.csv > names.csv
tgn-train import names.csv -o e.events -f -q
echo u3 | embed --nodes -; tensor-file cat e --tensor names --format npy | tail -c 2; echo; show names.offsets is_destination
