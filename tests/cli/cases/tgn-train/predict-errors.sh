# What cannot be answered is said with the line; answers before it are written.
tgn-train generate --scale 20 --features 2 -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 1 -o m
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 2 -o other
s() { tgn-train predict m "$@" -q | sed 's/,[^,]*$/,P/'; }
e() { tgn-train predict m "$@" -q > out; echo "exit $?"; }
printf '1,2,5,0,0\n1,3,4,0,0\n' | s
printf '1,2,5,0,0\nx,3,6,0,0\n' | s
printf '1,2,5,0,0\n1,3,6,0\n' | s
printf '1,2,5,0,nan\n' | e
printf '1,2,5\n' | e
printf '1,2,5,0,0,0,0\n' | e
printf '1,2,-5,0,0\n' | e
printf '1,2\n' | e
printf '' | e; printf '' | e --save-state none; ls none
printf '1,2,0,0,0\n' | e --history e.safetensors
printf '1,2,99999999,0,0\n' > late; e late --history e.safetensors --state s
e late --history e.safetensors --ids any
e late --history late
e late --state e.safetensors
e late --history e.safetensors --save-state s; tgn-train predict other late --state s -q; echo "exit $?"
head -c 2000 s > cut; e late --state cut
e late --save-state no/such/s
e late --save-state late
e late --save-state m
e late --answers xml
e late --json
e nowhere
for i in 0 1 2 3; do echo '1 2 3 4 5 6 7 8'; done > nodes.txt
printf '0,1,5\n1,2,6\n2,3,7\n0,3,8\n0,3,9\n1,2,10\n1,2,11\n' > few.csv; tgn-train import few.csv --node-features nodes.txt -o few.safetensors -q
tgn-train train few.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 1 -o m; echo "exit $?"
printf '0,1,12\n0,4,13\n' > new.csv; e new.csv; s new.csv --history few.safetensors
