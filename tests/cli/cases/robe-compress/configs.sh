# Every configuration shipped for this tool is one that it understands and trains with.
robe-compress generate --shape small --samples 200 -o d.tsv -q
for config in $(grep -l 'robe-compress train' "$SOURCE_DIR"/configs/*.yaml); do
  rows='--bytes 100K'; grep -q '^method: full' "$config" && rows=
  grep -q '^ids: hash' "$config" && rows="$rows --hash-rows 1000"
  # shellcheck disable=SC2086
  robe-compress train d.tsv -o m --config "$config" $rows --batch-size 64 -q || echo "$(basename "$config"): exit $?"
  robe-compress eval m d.tsv --json -q | grep '"samples"'
done
