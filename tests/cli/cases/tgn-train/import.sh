# Events of every format; which columns, ids and kinds of nodes were found is said.
show() { tensor-file info "$1" | grep 'tgn\.\|\[[0-9]' ; }
cat > jodie.csv <<'EOF'
user_id,item_id,timestamp,state_label,comma_separated_list_of_features
0,0,0.0,0,0.5,1
1,0,36.0,1,-0.25,2
0,2,36.5,0,0,3
EOF
tgn-train import jodie.csv -o jodie.safetensors
show jodie.safetensors
tgn-train import jodie.csv --bipartite no --feature-type bf16 -o one.safetensors
tgn-train import jodie.csv --ids any --json -o names.safetensors
show names.safetensors
printf 'u,i,ts,label\n0,5,9007199254740991,0\n1,6,9007199254740993,0\n' | tgn-train import - -o exact.safetensors --json | grep time
echo '# SNAP
1 2 10
3 1	12
2 2 12' | gzip > snap.txt.gz
tgn-train import snap.txt.gz --nodes 9 -o snap.safetensors
printf 'from,to,feature,time\n6,2,4,5.25\n6,5,-2,3\n1,15,1,3\n' | zstd -q > otc.csv.zst
tgn-train import otc.csv.zst --sort -o otc.safetensors
tgn-train import otc.csv.zst --sort --columns to:source,1:destination,time:time -o turned.safetensors
echo 'ann;bob;1
bob;cid;2' | tgn-train import - --ids any -o people.safetensors
echo 'ann;bob;1
bob;cid;2' | tgn-train import - --ids any --bipartite yes --json -o people.safetensors | grep 'nodes\|sources'
# Names are found, unless numbers are asked for.
echo 'ann;7;1' | tgn-train import - -o people.safetensors
echo 'ann;7;1' | tgn-train import - --nodes 9 -o people.safetensors
printf ',u,i,ts,label,idx\n0,1,3,0.0,0,2\n1,2,3,7.0,1,1\n' > ml_two.csv
tgn-train import ml_two.csv -o plain.safetensors
printf '9 9\n1 2\n3 4\n' > rows.txt
tgn-train import ml_two.csv --edge-features rows.txt -o features.safetensors
printf '0\n1\n2\n3\n' > nodes.txt
tgn-train import ml_two.csv --node-features nodes.txt -o features.safetensors --json | grep 'node\|first_id'
ls
# Ids with gaps: every node takes memory.
printf '5,70000,1\n6,70001,2\n' > gaps.csv; tgn-train import gaps.csv -o gaps.safetensors; tgn-train import gaps.csv --ids any -o gaps.safetensors
# Names with more commas than there are semicolons between columns: --separator says which separate.
printf 'Ann, B, C;Bob, D, E;1\nBob, D, E;Cid, F, G;2\n' > commas.csv
tgn-train import commas.csv -o commas.safetensors; tgn-train import commas.csv --separator ';' -o commas.safetensors
tr ';' '\t' < commas.csv | tgn-train import - --separator tab --json -o tabs.safetensors -f | grep '"nodes"\|"sources"'
tr ';,' ', ' < commas.csv | tr -d ' ' | tgn-train import - --separator ' ' -o m; tgn-train import commas.csv --separator ';;' -o m; echo "exit $?"
