# Every configuration shipped for this tool is one that it understands and trains with.
printf '4 4 2\n0 0:1 1:2\n1 1:1 2:3\n0,1 2:1\n0 3:1 0:1\n' > d.txt
for config in $(grep -l 'sparse-train train' "$SOURCE_DIR"/configs/*.yaml); do
  sparse-train train d.txt -o m --config "$config" -q --json > result || echo "$(basename "$config"): exit $?"
  [ "$(sed -n 's/^architecture: //p' "$config")" = "$(sed -n 's/.*"architecture": *"\([a-z]*\)".*/\1/p' result)" ] ||
    echo "$(basename "$config"): $(cat result)"
done
ls m
