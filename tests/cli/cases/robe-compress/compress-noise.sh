# Tables of which nothing is left are named, with the way that keeps them; so is what the counts are worth.
python3 - <<'PYTHON'
import json, random, struct
random.seed(1)
rows = {"a": 2000, "b": 50}
header, at = {}, 0
for name, n in rows.items():
    header[name] = {"dtype": "F32", "shape": [n, 4], "data_offsets": [at, at + 16 * n]}
    at += 16 * n
    header[name + ".counts"] = {"dtype": "I64", "shape": [n], "data_offsets": [at, at + 8 * n]}
    at += 8 * n
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open("t.safetensors", "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text)
    for name, n in rows.items():
        out.write(struct.pack(f"<{4 * n}f", *(random.gauss(0, 1) for _ in range(4 * n))))
        out.write(struct.pack(f"<{n}q", *(1 if name == "a" else 1000 for _ in range(n))))
PYTHON
compress() { robe-compress compress t.safetensors -o x "$@" 2>&1 | sed -n 's/0\.[0-9]*/X/g; /noise/p; /^weighted/p; /"storage"/p'; }
compress --compression 100
compress --compression 100 --json | cut -d, -f1
compress --compression 2
for n in 1 3 20; do robe-compress compress t.safetensors -o x --compression $n --json -q | grep '"storage"'; done
robe-compress compress t.safetensors -o x --compression 100 --json -q |
  awk -F'[:,]' '/"relative_error"/ && !with { with = $2 } /"error_without_counts"/ { without = $2 } END { print (with < 0.5 * without ? "counts gain" : with " " without) }'
# The same before fine-tuning, which begins anew there.
awk 'BEGIN { srand(2); print "click,user,item"; for (i = 0; i < 800; ++i) print int(rand() * 2) ",u" int(rand() * 300) ",i" int(rand() * 3) }' > d.csv
robe-compress train d.csv -o full --method full --dim 4 --top 8 --epochs 1 -q
robe-compress compress full -o x --compression 3 --fine-tune d.csv 2>&1 | grep -c 'hot share 0.25: .* [1-9][0-9.]* % of the look-ups'
robe-compress compress full -o x --compression 150 --fine-tune d.csv 2>&1 | sed -n 's/0\.[0-9]*/X/g; /noise/p; /^weighted/p'
