# Packed features give the model of those in memory, and what cannot be packed is said in one line.
gnn-sample generate --scale 10 -o g.safetensors -q
t() { gnn-sample train g.safetensors --architecture sage --hidden 8 --batch-size 64 --fanouts 5,5 --epochs 2 -q "$@"; }
t -o memory --residence memory
for n in 1 2 8; do t --threads $n --residence packed --json -o m.$n > said; tensor-file diff memory m.$n && echo same; done
grep -E 'pack_windows|memory_hit_share|pack_bytes' said; grep -cE 'rows_in_memory|pack_seconds' said
t --residence packed --eval-fanouts 5,5 -o sampled; t --residence mapped --eval-fanouts 5,5 -o mapped; tensor-file diff sampled mapped && echo same
t --residence packed --checkpoint k --steps 7 -o part; t --residence packed --checkpoint k --checkpoint-every 0s -f -o whole
t --residence packed --checkpoint k --resume -o resumed; tensor-file diff whole memory && tensor-file diff resumed memory && echo same
gnn-sample generate --nodes 20000 --edges 60000 --features 64 -o large.safetensors -q
l() { SLURM_MEM_PER_NODE=4 gnn-sample train large.safetensors --architecture sage --hidden 8 --batch-size 32 --fanouts 3,2 --eval-fanouts 3,2 --epochs 1 --steps 150 "$@"; }
l -q --residence mapped -o large
for n in 1 2 8; do l -q --residence packed --threads $n --json -o l.$n > said; tensor-file diff large l.$n && grep -cE '"pack_windows": [23],|_hit_share": 0|"pack_bytes_(read|written)": [1-9]' said; done
l -q --residence packed --steps 110 --checkpoint c -o part; l -q --residence packed --checkpoint c --resume -o resumed -f; tensor-file diff large resumed && echo same
l --residence packed --threads 2 -o x 2>&1 | grep -oE 'of 20000 feature rows are in memory; packing the others in'; rm x
SLURM_MEM_PER_NODE=4 gnn-sample train large.safetensors --architecture sage --batch-size 8192 --residence packed -o x -q 2>&1 | grep -oE 'give a smaller --batch-size or smaller --fanouts'
t --residence packed --method weighted -o x; echo "exit $?"
for wrong in '--architecture sign' '--fanouts 5,5 --device cuda' '--fanouts 5,5 --feature-parts even' '--fanouts 5,5 --method window' '--fanouts 5,5 --input features,degree'; do
  echo "-- $wrong"; gnn-sample train g.safetensors --residence packed -o x -q $wrong 2>&1; echo "exit $?"
done
gnn-sample train g.safetensors --residence packed -o x -q; echo "exit $?"
gnn-sample sample g.safetensors --residence packed -o x -q; echo "exit $?"
gnn-sample generate --scale 50 --features 0 -o bare.safetensors -q; tensor-file convert g.safetensors g.tzs
printf '0,1\n1,2\n' > e.csv; printf '0 0:1\n1 9:3\n0 700:2\n' > f.libsvm; printf 'train\nvalid\ntest\n' > s.txt
gnn-sample import e.csv --features f.libsvm --split s.txt -o sparse.safetensors -q
for graph in bare.safetensors g.tzs sparse.safetensors; do gnn-sample train $graph --architecture sage --residence packed -o x -q; echo "exit $?"; done
head -c 100000 g.safetensors > cut.safetensors; gnn-sample train cut.safetensors --architecture sage --residence packed -o x -q; echo "exit $?"
ls x 2>&1
