# Columns are found by what a header calls them, or by what they hold, and the command says what it took.
f() { printf "$1" > e.csv; shift; tgn-train import e.csv -o e.safetensors "$@"; echo "exit $?"; }
events() {
  for tensor in sources destinations times labels edge_features; do
    values=$(tensor-file cat e.safetensors --tensor $tensor 2>/dev/null | tr '\n' ' ')
    [ -z "$values" ] || echo "$tensor $values"
  done
}
# Any order, a column of row numbers, BOM and CRLF, quotes.
f ',source,destination,time\n0,8,16,1002\n1,7,18,1010\n'; events
f '\357\273\277"Time";"Target ID";"Source ID"\r\n1002;16;8\r\n1010;18;7\r\n'; events
f 't,i,j\n1002,8,16\n1010,7,18\n'; events
f '# source, target, time\n8, 16, 1002\n7, 18, 1010\n'; events
f 't i j\n1002\t8\t16\n1010\t7\t18\n'; events
# Names that nobody knows: times rise, or are dates; a column is no label for having 0 and 1.
f 'txId1,txId2,height,flag\n8,16,1002,0\n7,18,1010,1\n8,18,1011,1\n'; events
f 'whom,page,day,note\nann,a,2024-02-29,x\nbob,b,2024-03-01,y\n'
f 'sender,weight,amount,time\n8,1,2,3\n'
f 'a,b,when\n8,16,1002\n' --columns when:time; events
f 'user,item,time\n3,3,10\n4,3,11\n'
f 'user_id,item_id,timestamp,price,state\n3,3,10,0,1\n4,3,11,1,0\n'; events
# Without a header: a weight before the time, the time before the nodes, which needs to be said unless it is plain.
f '%% sym weighted\n8 16 1 1002\n7 18 1 1010\n7 18 2 1011\n'; events
f '1700000000 8 9\n1700000020 9 8\n1700000040 8 7\n'; events
awk 'BEGIN { for (i = 0; i < 20; i++) print 20 * i, i % 3, (i + 1) % 4 }' > tij.txt
tgn-train import tij.txt -o e.safetensors; echo "exit $?"
tgn-train import tij.txt --sort -o e.safetensors; echo "exit $?"
tgn-train import tij.txt --columns 1:time,2:source,3:destination -o e.safetensors; echo "exit $?"
# Dates and times of all forms, kept as seconds since 1970; times before then.
f 'ann,bob,2015-05-19 13:44:07\nann,cid,2015-05-19T15:44:40+02:00\n'; events
f 'ann,bob,20240229\nann,cid,20240301\n'; events
f 'ann,bob,2015-05-19T13:44:07.25Z\nann,cid,2015-05-20\n'; events
f '1,2,1709211959123456789\n1,3,1709211959123456790\n'; events
f '1,2,-31536000\n1,3,-5\n'; events
f 'ann,bob,2015-05-19\nann,cid,32-13-2016\n'
f 'ann,bob,10-10-2016\nann,cid,20-10-2016\n'
f '1,2,5\n1,3,2015-05-19\n'
# Ids as programs write them; names with quotes; missing values; labels.
f 'src,dst,time\n7.0,007,1\n 7,8,2\n'; events
f 'src,dst,time\n"a ""b"" c",x,1\nx,"a ""b"" c",2\n'; events
f 'src,dst,time\n1,2,1\nnull,3,2\n'
f 'src,dst,time\na,b,1\nnan,c,2\n'
f 'src,dst,time,x\n1,2,1,0.5\n1,3,2,NA\n1,3,2,-\n'; events
f 'src,dst,time,label\n1,2,1,-1\n1,3,2,+1\n'; events
f 'src,dst,time,label\n1,2,1,-1\n1,3,2,0\n'
f 'src,dst,time,label\n1,2,1,0\n1,3,2,2\n'
f 'src,dst,time\n1,2,1\n1,3\n'
# Files of other programs.
f '{"source": 1, "target": 2, "time": 3}\n{"source": 1, "target": 2, "time": 4}\n'
