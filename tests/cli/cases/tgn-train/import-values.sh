# Values that programs write in more than one way are read as frugal-tables(7) says.
f() { printf "$1" > e.csv; shift; tgn-train import e.csv -o e.safetensors "$@"; echo "exit $?"; }
tensors() {
  for tensor in sources destinations times labels edge_features; do
    values=$(tensor-file cat e.safetensors --tensor $tensor 2>/dev/null | tr '\n' ' ')
    [ -z "$values" ] || echo "$tensor $values"
  done
}
# Dates of digits: an hour has 3,600 seconds. Unix times and counts stay numbers, and days must exist.
f '0,1,2024022923\n1,2,2024030100\n2,0,2024030101\n'; tensors
f 'src,dst,time\n0,1,20240229235959\n1,2,20240301000001\n'; tensors
f '0,1,20240229\n'; tensors
f '{"source": 0, "destination": 1, "time": 2024022923}\n{"source": 1, "destination": 2, "time": 2024030100}\n'; tensors
f '0,1,1709211959\n1,2,2024030100\n'; tensors
f '0,1,1709211959123\n1,2,1709211959124\n'; tensors
f '0,1,1970010100\n1,2,1999999999\n'; tensors
f '0,1,2024022923\n1,2,2024023000\n' --sort
{ for i in $(seq 1000); do echo 0,1,2024022923; done; echo 0,1,2024023000; } > long.csv
tgn-train import long.csv -o e.safetensors; echo "exit $?"
# Whole numbers are one id whatever their form, of any size; a single name makes all ids texts.
f '1,1.0,1\n7,007,2\n+7,-3,3\n18446744073709551617,018446744073709551617.0,4\n' --ids any; tensors
tensor-file cat e.safetensors --tensor names | awk '{ printf "%c", $1 }'; echo
f '1,1.0,1\n7,007,2\n7,x,3\n' --ids any; tensors
f 'user,item,time\n1,1.0,1\n01,1,2\n' --ids any; tensors
f '{"source": 1, "destination": 1.0, "time": 1}\n{"source": 2, "destination": 2, "time": 2}\n' --ids any; tensors
# A comment behind the first row may be one that somebody misses.
f 'src,dst,time\n#python,alice,1\nrust,bob,2\n#java,carol,3\n' --ids any; tensors
f '# src,dst,time\nrust,bob,1\n%% as of today\n\nrust,alice,2\n' --ids any
f 'src,dst,time\n"#python",alice,1\nrust,bob,2\n' --ids any; tensors
# Two columns of labels: the second would tell the first.
f 'src,dst,time,label,state_label,w\n0,1,1,0,0,5\n1,2,2,1,1,6\n'; tensors
f 'src,dst,time,label,state_label,w\n0,1,1,0,0,5\n1,2,2,1,1,6\n' --columns state_label:feature,label:label; tensors
# Commas as decimal points between semicolons; numbers that are too small for a float.
f 'src;dst;time;f\n0;1;1,5;0,25\n1;2;2,5;1e-3\n'; tensors
f '0;1;1;-0,5\n1;2;2;7\n' --columns 1:source,2:destination,3:time,4:feature; tensors
f 'src;dst;time;f\n0;1;1,5;0,25\n1;2;2,5,1;1\n'
f 'src,dst,time,f\n0,1,1,1e-50\n1,2,2,-1e-400\n'; tensors
f 'src,dst,time,f\n0,1,1,1e50\n1,2,2,1\n'
# Minutes are dates, too. The numbers of a column have one decimal mark, and lines do not end with CR alone.
f '0,1,202402292359\n1,2,202403010000\n'; tensors
f 'src;dst;time;x\n0;1;1;92,5\n1;2;2;1.234\n'; f 'src;dst;time;x\n0;1;1,5;92\n1;2;2.234;1\n'; f 'src,dst,time\r0,1,1\r'
