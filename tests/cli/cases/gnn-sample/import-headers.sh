# First lines and quotes of tables as R, pandas and people write them, and masks of parts.
printf '0 1\n1 2\n2 3\n3 0\n' > e.txt
show() { tensor-file cat g.safetensors --tensor "$1" | tr '\n' ' '; }
classes() {
  gnn-sample import e.txt "$@" --split none -o g.safetensors --force && show labels
  tensor-file info g.safetensors | grep class_names
}
parts() {
  gnn-sample import e.txt "$@" -o g.safetensors --force -q && show split && echo
}
echo "one column: quotes, names above texts and numbers, answers that are no name"
printf '"label"\n"a"\n"b"\n"a"\n"b"\n' > l.txt; classes --labels l.txt
printf 'subject\nA\nB\nA\nB\n' > l.txt; classes --labels l.txt
printf 'subject\n1\n0\n1\n0\n' > l.txt; classes --labels l.txt
printf 'y\nn\nn\ny\n' > l.txt; classes --labels l.txt
echo "masks"
printf 'label\n1\n1\n0\n0\n' > l.txt
printf 'id,label,train_mask\n0,1,1\n1,1,1\n2,0,0\n3,0,0\n' > s.csv; parts --split s.csv --columns id:id,train_mask:split
printf 'id,Train_Mask,is_val,test\n0,True,0,0\n3,0,0,1\n2,0,1,0\n1,1,0,0\n' > s.csv; parts --split s.csv --columns id:id
printf 'train,val,test\n1,0,0\n1,0,0\n0,1,0\n0,0,1\n' > s.csv; parts --split s.csv
printf 'train,val\n1,0\n1,1\n0,1\n0,0\n' > s.csv; parts --split s.csv
printf 'train,val\n1,0\n2,0\n0,1\n0,0\n' > s.csv; parts --split s.csv
printf '"train"\n"train"\n"test"\n"val"\n' > s.csv; parts --split s.csv
echo "edges between blanks"
printf '"from" "to"\n"a b" "b"\n"b" "c"\n' | gnn-sample import - --ids any -o g.safetensors --force -q; show names; echo
printf 'node1 node2\nnode2 node3\nnode3 node1\n' | gnn-sample import - --ids any -o g.safetensors --force
printf 'id\n0\n1\n' > n.txt; printf '0 1\n' | gnn-sample import - --ids any --node-ids n.txt -o g.safetensors --force
