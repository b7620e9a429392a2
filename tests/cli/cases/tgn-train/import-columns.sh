# Columns that one known name leaves, kinds of nodes that a file tells, and what the choice says.
try() { printf "$1" > e.csv; shift; tgn-train import e.csv -o o.safetensors -f "$@" >/dev/null; rc=$?; echo "exit $rc"; [ $rc != 0 ] || tensor-file info o.safetensors | grep -E 'tgn.(columns|num_)|nodes|sources:'; }
# KONECT's first line tells the kinds.
try '%% bip weighted\n%% 4 3 3\n1 1 1 100\n2 1 1 200\n1 2 1 300\n3 3 1 400\n'
try '%% bip weighted\n%% 4 3 3\n1 1 1 100\n2 1 1 200\n1 2 1 300\n3 3 1 400\n' --bipartite no
# MovieLens and the Temporal Graph Benchmark.
try 'userId,movieId,rating,timestamp\n1,1,4.5,100\n2,1,3.0,200\n1,2,5.0,300\n'
try 'ts,user_id,product_id,weight\n100,a,p,1\n200,b,p,2\n300,a,q,1\n' --ids any
try 'ts,user_id,genre,weight\n100,a,rock,1\n200,b,rock,2\n300,a,pop,1\n' --ids any
try 'user,a_id,b_id,time\n1,2,3,100\n2,1,3,200\n'
try 'player,game,hours,t\n1,1,2.5,100\n2,1,3.0,200\n1,2,5.0,300\n'
try 'one,two,hours,t\n1,1,2.5,100\n2,1,3.0,200\n1,2,5.0,300\n'
# Seconds in a double have no nanoseconds; numbers of nanoseconds are kept.
try 'source,target,timestamp\na,b,2024-01-01 00:00:00.000000300\nb,c,2024-01-01 00:00:00.000001000\n' --ids any
try 'source,target,timestamp\na,b,1704067200000000200\nb,c,1704067200000000300\n' --ids any
# Rows of features without padding are in the order of events; idx that say otherwise are refused.
python3 - <<'P'
import struct
for name, order in ('x', [3, 1, 4, 2]), ('y', [1, 2, 3, 4]):
    with open(f'ml_{name}.csv', 'w') as out:
        out.write(',u,i,ts,label,idx\n' + ''.join(f'{e},1,{2 + e},{e},0,{idx}\n' for e, idx in enumerate(order)))
for name, size in ('whole', 5), ('short', 4):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size}, 1), }}"
    head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
    with open(name + '.npy', 'wb') as out:
        out.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack(f'<{size}d', *range(size)))
P
for name in x y; do for rows in whole short; do
  tgn-train import ml_$name.csv --edge-features $rows.npy -o o.safetensors -f -q && tensor-file cat o.safetensors --tensor edge_features | tr '\n' ' '; echo "exit $?"
done; done
