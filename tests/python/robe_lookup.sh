#!/bin/sh
# examples/python/robe_lookup.py gives every row of an array as robe-compress lookup does, bit for bit.
#   robe_lookup.sh BIN_DIR SOURCE_DIR
PATH=$(cd "$1" && pwd):$PATH; source=$(cd "$2" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
PYTHONPATH=$source/examples/python; PYTHONDONTWRITEBYTECODE=1; export PYTHONPATH PYTHONDONTWRITEBYTECODE
status=0
python3 "$source/tests/support/make_tables.py" tables.safetensors 12 user:300 item:500 day:7
printf 'table,row,count\nuser,1,9\nuser,2,5\nitem,1,7\nday,0,3\nday,1,8\n' > frequent.csv  # row 0 is not, as in models

# All rows of all tables, and the example's.
compare() {
  robe-compress compress tables.safetensors -o array.safetensors.zst --compression 15 --quiet "$@" || return 1
  for table in user:300 item:500 day:7; do
    seq 0 $((${table#*:} - 1)) |
      robe-compress lookup array.safetensors.zst --table "${table%:*}" -o "${table%:*}.safetensors" --quiet || return 1
  done
  python3 - <<'PYTHON'
from read_with_zstd import documents
from robe_lookup import Tables

tables = Tables("array.safetensors.zst")
for name, rows in tables.rows.items():
    (_, tensors), = documents(name + ".safetensors")
    values = tensors[name][2]
    for x in range(rows):
        expected = values[x * tables.dim:(x + 1) * tables.dim]
        assert tables.row(name, x) == expected, f"row {x} of {name}: {tables.row(name, x)} {expected}"
PYTHON
}

for options in "--hot-share 0" "--hot-share 0.5" "--hot-share 0 --block 5 --seed 7 --sign" "--block 4 --align" \
  "--hot-share 0.5 --counts frequent.csv" "--storage bf16 --block 6" "--storage int8" \
  "--storage int4 --block 5"; do
  # shellcheck disable=SC2086
  compare $options || { echo "FAILED: $options"; status=1; }
done
robe-compress compress tables.safetensors -o array.safetensors --quiet --compression 15 --hash paper
python3 -c 'import robe_lookup; robe_lookup.Tables("array.safetensors")' 2>&1 | grep -q 'not an array of robe' ||
  { echo "FAILED: an array that the example cannot read is refused"; status=1; }
exit $status
