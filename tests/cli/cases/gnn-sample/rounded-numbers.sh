# Numbers are stored as 32-bit floats: what they lose is said.
printf '0 1\n1 2\n2 3\n3 0\n' > e.txt
printf 'id,t,x\n0,1700000000,0.125\n1,1700000010,0.25\n2,1700000020,0.5\n3,1700000030,4\n' > f.csv
gnn-sample import e.txt --features f.csv --columns id:id -o g.safetensors
tensor-file cat g.safetensors --tensor features | head -4
# A type keeps the differences: numbers are scaled before they are rounded.
gnn-sample import e.txt --features f.csv --columns '*:number,id:id' -o g.safetensors
tensor-file cat g.safetensors --tensor features | cut -c-5 | head -4
# Numbers in pieces of a file, far apart, and equal ones lose nothing.
printf '1700000000,0.1\n1600000000,0.1\n1700000010,0.1\n1,0.1000000000\n' > plain.csv
gnn-sample import e.txt --features plain.csv -o g.safetensors
cut -d, -f2 f.csv | sed 1d > t.txt
gnn-sample import e.txt --labels t.txt --label-type number -o g.safetensors; echo "exit $?"
gnn-sample import e.txt --edge-features t.txt -o g.safetensors
paste -d' ' e.txt t.txt > weights.txt
gnn-sample import weights.txt --columns 3:weight -o g.safetensors
python3 - <<'P'
import struct
def save(path, shape, rows):
    head = repr({'descr': '<f8', 'fortran_order': False, 'shape': shape}).ljust(117) + '\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.write(struct.pack('<%dd' % len(rows), *rows))
times = [1.7e9 + 10 * i for i in range(4)]
save('f.npy', (4, 3), [x for i, t in enumerate(times) for x in (i, t, t)])
save('l.npy', (4,), times)
P
gnn-sample import e.txt --features f.npy -o g.safetensors
gnn-sample import e.txt --labels l.npy --label-type number -o g.safetensors
