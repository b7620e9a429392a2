# Files of splits: masks and parts with a header, several columns, shares that are no three.
printf '0 1\n1 2\n2 3\n3 0\n' > e.txt; printf '0\n1\n0\n1\n' > l.csv
try() { gnn-sample import e.txt --labels l.csv "$@" -o out.safetensors -f -q && tensor-file cat out.safetensors --tensor split | tr '\n' ' '; echo "exit $?"; }
printf 'train_mask\n1\n1\n0\n0\n' > s.txt; try --split s.txt
printf 'is_test\nFalse\nTrue\nFalse\nTrue\n' > s.txt; try --split s.txt
printf 'fold\ntrain\ntrain\nvalid\ntest\n' > s.txt; try --split s.txt; try --split s.txt --columns fold:split
printf 'split1,split2\n0,1\n1,2\n2,0\n2,0\n' > s.txt; try --split s.txt; try --split s.txt --columns split2:split
printf 'a,b\n0,1\n1,2\n2,0\n2,x\n' > s.txt; try --split s.txt
printf 'train\nvalid\ntest\ntest\n' > s.txt; try --split s.txt
printf 'trian\nvalid\ntest\ntest\n' > s.txt; try --split s.txt
for split in 0.6,0.2 60%,20%,20% 3,1; do try --split $split; done
