# What is wrong with the input is said with file and line, and no output appears.
t() { tgn-train import "$@" -o e.safetensors; echo "exit $?"; }
f() { printf "$1" > e.csv; shift; t e.csv "$@"; }
t nowhere.csv
f ''
f '# nothing but words\n'
f 'src,dst,time\n'
f '1,2\n'
f '0,1,5\n1,2,4\n'
f 'src,dst,time\n0,1,5\n1,2,5\n1,2,4.5\n'
f '0,1,5\n1,2,-4\n'
f '0,1,-0.5\n'
f '0,1,5\n1,2,nan\n'
f '0,1,5\n1,2,inf\n'
f '0,1,5\n1,2,\n'
f '0,1,5\n1,2,99999999999999999999\n'
f '0,1,5\n1,2,6,7\n'
f '0,1,5,0,1.5\n1,2,6,0,x\n'
f '0,1,5,0,1.5\n1,2,6,0,1e99\n'
f '0,1,5,0,1.5\n1,2,6,0\n'
f '0,1,5,3\n'
f 'a,b,5\n' --ids number
f '0,1,5\n7,1,6\n' --nodes 7
f '0,1,5\n-7,1,6\n'
f '0,1,5\n4294967295,1,6\n'
f '0,1,5\n,1,6\n' --ids any
f ',u,i,ts,label,idx\n0,1,2,3,0,1\n1,0,2,3,0,1\n'
f '1,2,3\n' --format tgn
f '1,2,3\n' --format parquet
f 'a,b,c\n1,2,3\n' --columns from=a
f 'a,b,c\n1,2,3\n' --columns d:source,b:destination,c:time
f 'a,b,c\n1,2,3\n' --columns c:time,b:time
f 'a,b,c,d\n1,2,3\n4,5,6\n' --format jodie --columns d:label
f 'a,b,c\n1,2,3\n' --columns source=a,destination=b,time=c
f '0,0,1\n1,1,2\n' --bipartite yes --nodes 3
f '0,1,5\n' --nodes 2 --ids any
f '0,4000000000,5\n'
printf '1\n2\n' > two.txt
f '0,1,5\n' --edge-features two.txt
f '0,1,5\n0,1,5\n' --edge-features two.txt --node-features two.txt --nodes 3
printf '1\n1e6\n' > large.txt
f '0,1,5\n0,1,5\n' --edge-features large.txt --feature-type f16
printf '1\nnan\n' > nan.txt
f '0,1,5\n0,1,5\n' --edge-features nan.txt
python3 "$SOURCE_DIR/tests/support/make_tables.py" pair.safetensors 2 a:1 b:1 --no-counts; f '0,1,5\n' --edge-features pair.safetensors; rm pair.safetensors
printf '1 2\n3\n' > ragged.txt
f '0,1,5\n0,1,5\n' --edge-features ragged.txt
f '0,1,5\n0\0,1,5\n'
f '"a"b,1,5\n'
f 'user_id,item_id,timestamp,state_label,f\n"a"b,1,5,0,1\n'
f 'user_id,item_id,timestamp,state_label,f\n0,1\n'
printf '0,1,5\n' | gzip | head -c 20 > cut.gz; t cut.gz
printf '0,1,5\n' > e.csv; tgn-train import e.csv -o e.csv; echo "exit $?"
ls
# A header that names some columns: by their places only where it names them there.
printf 'src,whom,time\n0,1,5\n' > half.csv; tgn-train import half.csv -o half.safetensors; echo "exit $?"
printf 'time,src,whom\n5,0,1\n' > half.csv; tgn-train import half.csv -o half.safetensors; echo "exit $?"
tgn-train import half.csv --columns src:source,whom:destination,time:time -o half.safetensors
