# Files of another version, kind or tool are refused, not guessed.
tgn-train generate --scale 20 --features 2 -o e.safetensors -q
tgn-train train e.safetensors -q --memory-dim 8 --time-dim 8 --new-nodes 0 --steps 1 -o m.safetensors
printf '1,2,99999999,0,0\n' > late; tgn-train predict m.safetensors late --history e.safetensors --save-state s.safetensors -q > out; echo "exit $?"; rm out
change() { LC_ALL=C sed "s/\"$2\":\"$3\"/\"$2\":\"$4\"/" $1.safetensors > changed.safetensors; cmp -s $1.safetensors changed.safetensors && echo same; }
e() { tgn-train eval "$@" -q; echo "exit $?"; }
change e frugal.version 1 9; e m.safetensors changed.safetensors
change e frugal.kind events evenly; e m.safetensors changed.safetensors
change m frugal.version 1 0; e changed.safetensors e.safetensors
change m frugal.tool tgn-train gnn-train; e changed.safetensors e.safetensors
change m tgn.dyrep false FALSE; e changed.safetensors e.safetensors
change s frugal.version 1 3; tgn-train predict m.safetensors late --state changed.safetensors -q; echo "exit $?"
ls
