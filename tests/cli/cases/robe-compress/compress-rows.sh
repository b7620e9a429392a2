# Without counts, at a low compression: no worse than rows of 8 or 4 bits in the same bytes, and 1x loses nothing.
python3 "$SOURCE_DIR/tests/support/make_tables.py" all.safetensors 16 user:400 item:90
tensor-file cat all.safetensors --tensor user --format npy -o user.npy
compare() { python3 -c '
import json, sys
rows, auto = (json.load(open(name)) for name in ("rows", "auto"))
print(sys.argv[1], rows["bytes_after"], auto["bytes_after"], auto["method"], auto["storage"],
      auto["bytes_after"] <= rows["bytes_after"] and auto["relative_error"] <= rows["relative_error"])' "$1"; }
for method in int8 int4; do
  robe-compress compress user.npy --method $method -f -o r.safetensors --json > rows
  robe-compress compress user.npy -f -o a.safetensors --json > auto \
    --compression "$(python3 -c 'import json; r = json.load(open("rows")); print(r["bytes_before"] / r["bytes_after"])')"
  compare $method
done
for x in 1 1.5 2 3 5 7 8; do
  robe-compress compress user.npy -f -o a.safetensors --compression $x --json |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(sys.argv[1], r["method"], r["storage"], r["bytes_before"] / r["bytes_after"] >= float(sys.argv[1]), round(r["relative_error"], 2))' $x
done
robe-compress compress user.npy -f -o a.safetensors --compression 1
robe-compress expand a.safetensors -f -o e.npy; tensor-file diff user.npy e.npy && echo "nothing lost"
# With counts, frequent rows may be worth more than all of them; a pipe cannot be measured; a model is trained on.
robe-compress compress all.safetensors -f -o a.safetensors --compression 6 | grep -E 'rows of|taken|relative'
cat all.safetensors | robe-compress compress - --select user -f -o p.safetensors --compression 3
awk 'BEGIN { print "click,a,b"; for (i = 0; i < 400; ++i) print i % 2 "," i % 9 "," i % 50 }' > d.csv
robe-compress train d.csv -q -f --method full --epochs 1 --top 8 --dim 4 -o full.model
robe-compress compress full.model -f -o small.model --compression 3 --fine-tune d.csv | grep -E 'rows of'
robe-compress compress full.model -f -o small.model --method int8 --fine-tune d.csv; echo "exit $?"
