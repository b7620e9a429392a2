# Files of another version, kind or tool, and values that are nearly right, are refused, not guessed.
gnn-sample generate --scale 50 -o g.safetensors -q
gnn-sample train g.safetensors --fanouts 2,2 --hidden 4 --epochs 1 -o m.safetensors -q
change() { LC_ALL=C sed "s/\"$2\":\"$3\"/\"$2\":\"$4\"/" $1.safetensors > changed.safetensors; cmp -s $1.safetensors changed.safetensors && echo same; }
i() { gnn-sample predict "$@" -o out -q; echo "exit $?"; }
change g frugal.version 1 9; i m.safetensors changed.safetensors
gnn-sample sample changed.safetensors --fanouts 2 -o out -q; echo "exit $?"
change g frugal.version 1 x; i m.safetensors changed.safetensors
change g frugal.kind graph grape; i m.safetensors changed.safetensors
change g graph.directed false False; i m.safetensors changed.safetensors
change m frugal.version 1 2; i changed.safetensors g.safetensors
change m frugal.tool gnn-sample tgn-trains; i changed.safetensors g.safetensors
change m gnn.bias true yess; i changed.safetensors g.safetensors
ls
