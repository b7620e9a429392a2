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
# Files of versions that knew batch norms alone, and neither residual paths nor outputs of all layers.
cat > older.py <<'END'
import json, struct, sys
data = open("norm.safetensors", "rb").read()
size, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + size])
assert header["__metadata__"].pop("gnn.norm") == sys.argv[1]
header["__metadata__"].pop("gnn.residual"), header["__metadata__"].pop("gnn.jumping")
header["__metadata__"]["gnn.batch_norm"] = "true" if sys.argv[1] == "batch" else "false"
text = json.dumps(header).encode()
text += b" " * (-(8 + len(text)) % 64)
open("older.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data[8 + size:])
END
for norm in batch none; do
  gnn-sample train g.safetensors --fanouts 2,2 --hidden 4 --epochs 1 --norm $norm -o norm.safetensors -q --force
  python3 older.py $norm
  for model in norm older; do gnn-sample predict $model.safetensors g.safetensors --probabilities -o $model.out -q --force; done
  tensor-file diff norm.out older.out && echo same
done
rm -f norm.* older.*
ls
