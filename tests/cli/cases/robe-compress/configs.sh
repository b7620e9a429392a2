# Every configuration shipped for this tool is one that it understands and trains with.
robe-compress generate --shape small --samples 200 -o d.tsv -q
for config in $(grep -l 'robe-compress train' "$SOURCE_DIR"/configs/*.yaml); do
  rows=; grep -q '^ids: hash' "$config" && rows='--hash-rows 1000'
  # shellcheck disable=SC2086
  robe-compress train d.tsv -o m --config "$config" $rows --bytes 100K --batch-size 64 -q || echo "$(basename "$config"): exit $?"
  robe-compress eval m d.tsv --json | grep '"samples"'
done
