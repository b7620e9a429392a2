# Held-out edges are ranked among the negatives of a file: those with their source, or all. Other files are refused.
gnn-sample generate --scale 8 --classes 4 -o g.safetensors -q
t() { gnn-sample train g.safetensors --task links --fanouts 5,5 --hidden 8 --embedding 4 --epochs 2 --held-out-edges "$@"; }
said() { grep -o '"[a-z_0-9]*ranked_among": "[^"]*"\|"test_hits_at_[0-9]*"' said | sort | tr '\n' ' '; echo; }
gnn-sample train g.safetensors --task links --fanouts 2 --hidden 4 --epochs 1 --held-out 0.1 --write-held-out held.csv -o x.model -q
awk -F, '$3 == "valid" || $3 == "test" { for (v = 0; v < 256; v += 11) if (v != $1 && v != $2) print $1 "," v "," $3 "-negative" }' held.csv > own
(tail -n +2 held.csv; cat own) > own.csv
t own.csv -o own.model --write-held-out written.csv --json > said 2> told; said
sed -n 's/.*\(left out\).*/\1/p; s/^gnn-sample: own.csv: \([a-z]* ranks .*\) (.*/\1/p' told
sort own.csv > 1; grep -v '^source' written.csv | sort > 2; comm -13 1 2 | grep -c .
t written.csv -o again.model --json > said.again 2> /dev/null
grep '"test_\|"validation_' said > 1; grep '"test_\|"validation_' said.again > 2; cmp 1 2 && echo 'as written'
sed 's/-negative/-shared-negative/; s/$/\r/' own.csv > shared.csv
t shared.csv -o shared.model --json > said 2> told; said
grep -v 'valid.*-negative' shared.csv > part.csv
t part.csv -o part.model --json > said 2> told; said
sed -n 's/.*warning: part.csv: \(validation.*\)/\1/p' told
t own.csv -o c.model --epochs 4 --checkpoint c.state --checkpoint-every 0s -q; echo "exit $?"
t shared.csv -o c.model --epochs 4 --checkpoint c.state --resume -q; echo "exit $?"
(tail -n +2 held.csv; grep test-negative own | head -1) > none.csv; t none.csv -o x.model -q 2>&1 | sed 's/csv: [0-9]*,[0-9]*,/csv: A,B,/'
(echo 3,4,test; echo 3,9,test-negative; echo 1,2,test-shared-negative) > both.csv
t both.csv -o x.model -q; echo "exit $?"
(echo 3,4,valid; echo 1,2,test-negative) > valid.csv; t valid.csv -o x.model -q; echo "exit $?"
# Negatives that are training edges are counted: 2 of 3 pairs, in either direction, of which one comes twice.
awk 'BEGIN { for (v = 0; v < 30; ++v) print v "," (v + 1) % 30 "\n" v "," (v + 2) % 30 }' > ring.csv; gnn-sample import ring.csv --undirected -o ring.safetensors -q
printf '0,1,test\n5,6,test\n0,2,test-negative\n0,2,test-negative\n0,7,test-negative\n5,4,test-negative\n' > edges.csv
gnn-sample train ring.safetensors --task links --input degree --fanouts 2 --hidden 4 --epochs 1 --held-out-edges edges.csv -o x.model 2>&1 | grep 'edges of training'
