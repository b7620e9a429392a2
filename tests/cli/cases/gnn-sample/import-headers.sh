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
printf 'train_mask,val_mask,test_mask\nTrue,False,False\nTrue,False,False\nFalse,True,False\nFalse,False,True\n' > s.csv; parts --split s.csv
printf 'train,val\n1,0\n1,1\n0,1\n0,0\n' > s.csv; parts --split s.csv
printf 'train,val\n1,0\n2,0\n0,1\n0,0\n' > s.csv; parts --split s.csv
printf '"train"\n"train"\n"test"\n"val"\n' > s.csv; parts --split s.csv
echo "edges between blanks"
printf '"from" "to"\n"a b" "b"\n"b" "c"\n' | gnn-sample import - --ids any -o g.safetensors --force -q; show names; echo
printf 'node1 node2\nnode2 node3\nnode3 node1\n' | gnn-sample import - --ids any -o g.safetensors --force
printf 'id\n0\n1\n' > n.txt; printf '0 1\n' | gnn-sample import - --ids any --node-ids n.txt -o g.safetensors --force
echo "comments above names and rows"
printf '# c\nage,kind\n1,x\n2,y\n3,x\n4,y\n' > l.csv; classes --labels l.csv --columns kind:label
printf '\n# c\na,b\n0,x\n1,y\n2,x\n3,y\n' > f.csv; gnn-sample import e.txt --features f.csv -o g.safetensors --force
printf '# a\n# b\n0,1\n1,2\n2,2\n3,2\n' > f.csv; gnn-sample import e.txt --features f.csv -o g.safetensors --force
echo "a name with a line end"
printf '"id","la\nbel"\n3,a\n1,b\n2,a\n0,b\n' > l.csv; classes --labels l.csv --columns 'id:id,2:label'; gnn-sample import e.txt --features l.csv -o g.safetensors --force
echo "headers repeated by cat"
printf 'from,to\na,b\nb,c\n' > e1.csv; cat e1.csv e1.csv > e2.csv; gnn-sample import e2.csv --ids any -o t.safetensors; echo "exit $?"
echo "names in a comment, as numpy.savetxt writes them"
printf '# id,label\n3,a\n2,b\n1,a\n0,b\n' > l.csv; classes --labels l.csv --columns id:id,label:label
printf '# id,x,y\n3,1,2\n2,2,2\n1,0,3\n0,2,5\n' > f.csv; gnn-sample import e.txt --features f.csv --columns id:id,y:ignore -o g.safetensors --force; tensor-file cat g.safetensors --tensor features
printf '# id,split\n3,train\n2,test\n1,valid\n0,train\n' > s.csv; gnn-sample import e.txt --labels l.csv --split s.csv --columns id:id -o g.safetensors --force
printf '# x,y\nid,label\n1,a\n0,b\n3,a\n2,b\n' > l.csv; classes --labels l.csv --columns id:id,label:label
printf '# id,label\n#3,a\n' > l.csv; classes --labels l.csv --columns id:id,label:label
