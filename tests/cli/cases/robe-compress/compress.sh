# Tables to an array and back: sizes, the choice of the hot share, what is found again.
python3 "$SOURCE_DIR/tests/support/make_tables.py" tables.safetensors 16 user:2000 item:300 day:7
robe-compress compress tables.safetensors -o array.safetensors --compression 20; echo "exit $?"
[ "$(tensor-file info array.safetensors --json | grep -c '"name": "embedding')" -ge 1 ] && echo an array of embeddings
robe-compress compress tables.safetensors -o other.safetensors --compression 20 --threads 3 --quiet
tensor-file diff array.safetensors other.safetensors && echo the same with other threads

# The bytes are within what was asked for, and --json has the keys that scripts rely on.
robe-compress compress tables.safetensors -o a.safetensors.zst --compression 50 --hot-share 0.5 --json > result
python3 - <<'PYTHON'
import json
r = json.load(open("result"))
print(r["schema"], r["tables"], r["rows"], r["dim"], r["weighted"], r["hot_share"], r["passes"], len(r["trials"]))
print(r["bytes_after"] * 50 <= r["bytes_before"], 0.1 < r["relative_error"] < 0.9, sorted(r["errors"]))
PYTHON

# What an array stands for goes into an array of the same kind as it is: a projection.
robe-compress expand array.safetensors -o once.safetensors; echo "exit $?"
for t in user item day; do
  tensor-file cat tables.safetensors --tensor $t.counts --format npy -o $t.npy
done
echo 'table,row,count' > counts.csv
for t in user item day; do
  tensor-file cat $t.npy | awk -v t=$t '!/^#/ { for (i = 1; i <= NF; ++i) print t "," n++ "," $i }' >> counts.csv
done
robe-compress compress once.safetensors -o again.safetensors --counts counts.csv --compression 20 --quiet
robe-compress expand again.safetensors -o twice.npz --quiet
tensor-file diff once.safetensors twice.npz --rtol 1e-6 --atol 1e-7 && echo a projection
tensor-file diff once.safetensors tables.safetensors > /dev/null || echo "but not the tables"

# From a pipe, by name, as bf16 and int8, and rows of 8 and 4 bits.
cat tables.safetensors | robe-compress compress - -o piped.safetensors --compression 20 --quiet
tensor-file diff array.safetensors piped.safetensors && echo "the same from a pipe"
robe-compress compress tables.safetensors -o one.safetensors --select 'us*' --compression 20 --hot-share 0
robe-compress compress tables.safetensors -o small.safetensors --compression 20 --storage int8 --hot-share 0.5
for method in int8 int4; do
  robe-compress compress tables.safetensors -o $method.safetensors --method $method --json |
    grep -E 'bytes_after|trials'
  robe-compress expand $method.safetensors -o $method.npz
done
robe-compress expand array.safetensors -o days.npy --select day --dtype f16
tensor-file info days.npy
