# Every configuration shipped for this tool is one that it understands and trains with.
gnn-sample generate --scale 20 -o g.safetensors -q
for config in $(grep -l 'gnn-sample train' "$SOURCE_DIR"/configs/*.yaml); do
  gnn-sample train g.safetensors -o m --config "$config" --hidden 32 --epochs 1 -q || echo "$(basename "$config"): exit $?"
  printf '%s ' "$(basename "$config" .yaml)"
  gnn-sample eval m g.safetensors --nodes test --json -q | grep '"nodes"'
done
