# Every configuration shipped for this tool is one that it understands and trains with.
robe-compress generate --shape small --samples 200 -o d.tsv -q
for config in $(grep -l 'robe-compress train' "$SOURCE_DIR"/configs/*.yaml); do
  robe-compress train d.tsv -o m --config "$config" --hash-rows 1000 --bytes 100K --batch-size 64 -q || echo "$(basename "$config"): exit $?"
  robe-compress eval m d.tsv --json | grep '"samples"'
done
